"""How a link stands, at one glance: its state, and what an operator is to do about it. Reads only."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from harvester import overview
from harvester.models import Link, Run
from harvester.words import Kind

RUNNING, WAITING, NEVER, DISABLED = "open", "waiting", "never", "disabled"
PLACES = CONFLICTS, REJECTS, LINK, RUN = "conflicts", "rejects", "link", "run"


@dataclass(frozen=True, slots=True)
class Todo:
    """Something that waits for a person; `place`: on which page it is done, one of PLACES."""

    text: str
    place: str


def state(link: Link, now: datetime | None = None) -> tuple[str, str]:
    """As a key for its colour, and in a few words. `link` as `overview.with_last_run` gives it."""
    run = overview.last_run(link)
    if run is None:
        return (NEVER, "not harvested yet") if link.enabled else (DISABLED, "disabled")
    if run.is_open:
        if run.not_before is not None and run.not_before > (now or timezone.now()):
            return WAITING, f"waits until {run.not_before:%H:%M:%S}"
        return RUNNING, f"runs, {run.received} received"
    key, words = overview.outcome(run)
    if run.state == Run.State.FAILED and link.failures > 1:
        words = f"failed {link.failures} times"
    return key, words


def todos(link: Link) -> Iterator[Todo]:
    """What waits for an operator, the most urgent first; nothing, if all is well."""
    run, comparison = overview.last_run(link), overview.last_comparison(link)
    for name, said in link.access_told().items():
        if isinstance(said, str) and said.startswith("cannot be read"):
            yield Todo(f"The {name.replace('_', ' ')} {said}.", LINK)
    if link.moved_to:
        yield Todo(f"The provider has moved to {link.moved_to}: accept the new address, or ask the centre.", LINK)
    if run is not None and (run.state == Run.State.FAILED or (run.is_open and run.attempts)) and run.message:
        yield Todo(run.message, RUN)
    if comparison is not None and comparison.held_back:
        number = f"{comparison.held_back} records are" if comparison.held_back > 1 else "1 record is"
        yield Todo(f"{number} no longer listed by the provider: ask it, then compare beyond the ceiling.", LINK)
    if waiting := overview.conflicts_waiting(link):
        yield Todo(f"{waiting} conflict{'s wait' if waiting > 1 else ' waits'} for a decision.", CONFLICTS)
    if run is not None and run.rejected:
        number = f"{run.rejected} records were" if run.rejected > 1 else "1 record was"
        yield Todo(f"{number} rejected: tell the provider why.", REJECTS)
    if not link.enabled and link.kind != Kind.RECOVERY:
        yield Todo("Not harvested by schedule: enable it, or run it by hand.", LINK)
