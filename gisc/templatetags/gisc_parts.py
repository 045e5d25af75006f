"""Tags for the templates of the administration: which parts of the node are not well."""

from django import template

from gisc.parts import parts
from gisc.parts.parts import Part
from gisc.parts.reasons import in_words

register = template.Library()
register.filter("part_in_words", in_words)


@register.simple_tag
def troubled_parts() -> list[Part]:
    """Return the parts that are degraded or have failed."""
    return parts.recent().unwell
