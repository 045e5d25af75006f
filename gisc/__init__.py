"""Wiring: settings, routes, Celery, process start. Holds no domain rule and is imported by no app."""

from gisc.celery import app as celery_app

__all__ = ["celery_app"]
__version__ = "0.9.0"
