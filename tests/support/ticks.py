"""Ticks as if each kind had just come through."""

from django.apps import apps

from catalogue import chores
from catalogue.models import TickCanary


def begin_all() -> None:
    """Store that a tick of each app has come now."""
    for model in apps.get_models():
        if issubclass(model, TickCanary):
            chores.begin_tick(model)
