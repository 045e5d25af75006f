"""System checks of the secrets that are sealed in the database: that a key of this node opens each of them."""

from collections.abc import Sequence
from typing import Any

from django.core import checks
from django.core.checks import CheckMessage, Tags, register
from django.utils.translation import gettext, ngettext

from gisc import sealed_secrets

_MOST_NAMED = 10  # chosen


@register(Tags.database)
def a_key_opens_each_secret(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check that SECRET_KEY, or one of SECRET_KEY_FALLBACKS, opens what is sealed, and that none is needed any more.

    Runs with `check --database default` and at each migrate.
    """
    if "default" not in (databases or ()) or not sealed_secrets.are_there():
        return []
    keys = sealed_secrets.find_keys()
    found: list[CheckMessage] = []
    if keys.unreadable:
        named = ", ".join(keys.unreadable[:_MOST_NAMED]) + (", ..." if len(keys.unreadable) > _MOST_NAMED else "")
        found.append(
            checks.Warning(
                ngettext(
                    "no key of this node opens {number} secret in the database ({named})",
                    "no key of this node opens {number} secrets in the database ({named})",
                    len(keys.unreadable),
                ).format(number=len(keys.unreadable), named=named),
                hint=gettext("Write the SECRET_KEY of before into SECRET_KEY_FALLBACKS, or enter these secrets again."),
                id="gisc.W004",
            )
        )
    if keys.former:
        found.append(
            checks.Warning(
                ngettext(
                    "{number} secret in the database is sealed under a SECRET_KEY of before",
                    "{number} secrets in the database are sealed under a SECRET_KEY of before",
                    keys.former,
                ).format(number=keys.former),
                hint=gettext("Run manage.py secrets reseal, before that key leaves SECRET_KEY_FALLBACKS."),
                id="gisc.W005",
            )
        )
    return found
