"""The tag that displays how two documents differ. No database."""

from typing import Any

from django import template
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from catalogue.documents.differences import Differences, Notation

register = template.Library()

_NOTATIONS = {
    Notation.WHITE_SPACE: _("white space"),
    Notation.ATTRIBUTE_ORDER: _("the order of attributes"),
    Notation.PREFIXES: _("prefixes of namespaces"),
    Notation.COMMENTS: _("comments"),
    Notation.OTHER: _("notation, such as declarations, encoding or quotation marks"),
}


@register.inclusion_tag("snippets/differences.html")
def show_differences(
    differences: Differences, before: str = "", after: str = "", name: str = "differences"
) -> dict[str, Any]:
    """Display differences. `before`, `after`: headings of the two documents; `name`: unique in the page."""
    return {
        "differences": differences,
        "before": before or gettext("before"),
        "after": after or gettext("after"),
        "name": name,
        "notations": ", ".join(gettext(_NOTATIONS[notation]) for notation in differences.notations),
    }
