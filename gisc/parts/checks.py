"""System check of the replica: the sentence that health has, for who has just set it up."""

from collections.abc import Sequence
from typing import Any

from django.core import checks
from django.core.checks import CheckMessage, Tags, register
from django.utils.translation import gettext

from catalogue.reading import replica
from gisc.parts import parts


@register(Tags.database)
def lists_can_be_read_from_the_replica(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check the replica of DATABASE_REPLICA_URL. Runs with `check --database default` and at each migrate."""
    if "default" not in (databases or ()) or not replica.is_set_up():
        return []
    part = parts.judge_replica(replica.examine())
    if part.state == parts.State.OK:
        return []
    hint = gettext("The node serves meanwhile; docs/scaling.md (A read replica) says how a replica is made.")
    return [checks.Warning(part.sentence, hint=hint, id="gisc.W006")]
