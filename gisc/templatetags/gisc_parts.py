"""Tags for the templates of the administration: which parts of the node are not well, and since when something lasts."""

from datetime import datetime

from django import template

from gisc.parts import parts
from gisc.parts.parts import Part
from gisc.parts.reasons import in_words
from harvester.monitoring.status import duration

register = template.Library()
register.filter("part_in_words", in_words)


@register.simple_tag
def troubled_parts() -> list[Part]:
    """Return the parts that are degraded or have failed."""
    return parts.recent().unwell


@register.filter
def length_until(since: datetime, now: datetime) -> str:
    """Return how long something has lasted, in at most two units: 45 s, 12 min."""
    return duration((now - since).total_seconds())
