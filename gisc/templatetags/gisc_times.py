"""Filters for the templates of the administration: how long something has lasted."""

from datetime import datetime

from django import template

from harvester.monitoring.status import duration

register = template.Library()


@register.filter
def length_until(since: datetime, now: datetime) -> str:
    """Return how long something has lasted, in at most two units: 45 s, 12 min."""
    return duration((now - since).total_seconds())
