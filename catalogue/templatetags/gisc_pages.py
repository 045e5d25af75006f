"""Tags and filters for the templates of the public pages. No database, so that error pages work without one."""

from django import template
from django.conf import settings

from catalogue.documents import languages, web_addresses
from catalogue.models import Description
from catalogue.pages import display, interfaces, private_pages

register = template.Library()


@register.simple_tag
def gisc_name() -> str:
    """Return the setSpec of this node's own set, its name among GISCs."""
    return str(settings.GISC_NAME)


@register.simple_tag
def repository_name() -> str:
    """Return the repositoryName of Identify."""
    return str(settings.GISC_REPOSITORY_NAME)


register.filter("box", display.box)
register.filter("code_in_words", display.code_in_words)
register.filter("language_in_words", display.language_in_words)
register.filter("is_offered", interfaces.is_offered)
register.filter("is_private", private_pages.is_private)
register.filter("language_tag", languages.language_tag)
register.filter("may_be_followed", web_addresses.may_be_followed)


@register.simple_tag
def time_extent(description: Description) -> str:
    """Return the time extent of the described data in words."""
    return display.span(description.begins, description.ends)
