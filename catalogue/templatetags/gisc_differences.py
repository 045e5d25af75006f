"""The tag that displays how two documents differ. No database."""

from typing import Any

from django import template
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from catalogue.documents.differences import Differences, Notation, Sign
from catalogue.documents.field_differences import Field

register = template.Library()

_NOTATIONS = {
    Notation.WHITE_SPACE: _("white space"),
    Notation.ATTRIBUTE_ORDER: _("the order of attributes"),
    Notation.PREFIXES: _("prefixes of namespaces"),
    Notation.COMMENTS: _("comments"),
    Notation.OTHER: _("notation, such as declarations, encoding or quotation marks"),
}
_FIELDS = {
    Field.IDENTIFIER: _("Identifier"),
    Field.TITLE: _("Title"),
    Field.ABSTRACT: _("Abstract"),
    Field.KEYWORD: _("Keyword"),
    Field.CATEGORY: _("WMO category"),
    Field.AREA: _("Area (west, south, east, north)"),
    Field.BEGINS: _("Begin of the data"),
    Field.ENDS: _("End of the data"),
    Field.LANGUAGE: _("Language"),
    Field.METADATA_DATE: _("Metadata date"),
    Field.LINK: _("Link to data"),
    Field.LINK_NAME: _("Name of the link {of}"),
    Field.LINK_PROTOCOL: _("Protocol of the link {of}"),
    Field.CONTACT: _("Contact"),
    Field.CONTACT_NAME: _("Name of the contact {of}"),
    Field.CONTACT_ROLE: _("Role of the contact {of}"),
    Field.CONTACT_EMAIL: _("E-mail of the contact {of}"),
}


def _fields(differences: Differences) -> list[dict[str, str]]:
    """Return the fields that differ, in words."""
    return [
        {
            "name": gettext(_FIELDS[field.field]).format(of=field.of),
            "sign": Sign.ADDED if not field.before else Sign.REMOVED if not field.after else Sign.CHANGED,
            "before": field.before,
            "after": field.after,
        }
        for field in differences.fields or ()
    ]


@register.inclusion_tag("snippets/differences.html")
def show_differences(
    differences: Differences, before: str = "", after: str = "", name: str = "differences"
) -> dict[str, Any]:
    """Display differences. `before`, `after`: headings of the two documents; `name`: unique in the page."""
    return {
        "differences": differences,
        "fields": _fields(differences),
        "before": before or gettext("before"),
        "after": after or gettext("after"),
        "name": name,
        "notations": ", ".join(gettext(_NOTATIONS[notation]) for notation in differences.notations),
    }
