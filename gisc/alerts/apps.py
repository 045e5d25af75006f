"""Configuration of the Django app."""

from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "gisc.alerts"
    label = "alerts"
    verbose_name = "Alerts"
