"""System checks of the secrets that are sealed in the database: that a key of this node opens each of them."""

from collections.abc import Sequence
from typing import Any

from django.core import checks
from django.core.checks import CheckMessage, Tags, register

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
                f"no key of this node opens {len(keys.unreadable)} secrets in the database ({named})",
                hint="Write the SECRET_KEY of before into SECRET_KEY_FALLBACKS, or enter these secrets again.",
                id="gisc.W004",
            )
        )
    if keys.former:
        found.append(
            checks.Warning(
                f"{keys.former} secrets in the database are sealed under a SECRET_KEY of before",
                hint="Run manage.py secrets reseal, before that key leaves SECRET_KEY_FALLBACKS.",
                id="gisc.W005",
            )
        )
    return found
