"""System checks: contradictions in the settings that a start must not get past."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from catalogue import oai


@register()
def own_set_is_a_set_spec(**_: Any) -> list[CheckMessage]:
    """W1, P72: the node's name is the setSpec of its own set, and is not the catalogue's."""
    name = settings.GISC_NAME
    if oai.is_set_spec(name) and name != oai.CATALOGUE_SET:
        return []
    return [
        Error(
            f"GISC_NAME is {name!r}",
            hint="Write the setSpec of this node's own set, such as WIS-GISC-TOKYO (W1).",
            id="catalogue.E001",
        )
    ]
