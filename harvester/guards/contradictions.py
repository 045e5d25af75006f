"""Ask the provider again for records that one list gives both as live and as deleted (F72)."""

from collections import Counter
from dataclasses import replace
from datetime import datetime

from harvester.errors import RefusedByProvider
from harvester.models import RemoteHeader, Run
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.protocol.warnings import ProviderWarning, WarningCode
from harvester.rows import remote_headers

MAX_FETCHED = 20  # chosen: records of a page; of the others the later entry is stored (H36)


def resolve(run: Run, page: Page, provider: Conversation) -> Page:
    """Replace the entries that contradict each other, or this run's earlier pages, by what GetRecord brings.

    If GetRecord is refused, the last entry stays. Of more than MAX_FETCHED, what earlier pages had stays, as it is the
    later version, or the live one of the same second. Raises HarvestError if the provider cannot be asked.
    """
    answers: dict[str, ReceivedEntry] = {}
    contradictory = _contradictory(run, page)
    for key, identifier in contradictory[:MAX_FETCHED]:
        try:
            answer = provider.record(identifier)
        except RefusedByProvider:
            continue
        # What is deleted has no gmd:fileIdentifier that would say which record the provider's name means.
        answers[key] = answer._replace(header=answer.header._replace(key=key)) if answer.header.deleted else answer
    if not contradictory:
        return page
    repeated = {key for key, number in Counter(entry.header.key for entry in page.entries).items() if number > 1}
    left = {key for key, _ in contradictory[MAX_FETCHED:]} - repeated
    entries = tuple(
        answers.get(entry.header.key, entry)  # however often it is listed
        for entry in page.entries
        if entry.header.key not in left
    )
    warning = ProviderWarning(WarningCode.LIVE_AND_DELETED, count=len(contradictory))
    return replace(page, entries=entries, warnings=(*page.warnings, warning))


def _contradictory(run: Run, page: Page) -> list[tuple[str, str]]:
    """Return keys and identifiers of records that are both live and deleted.

    On the page itself, or across pages of the run: the page deletes a record with a datestamp not later than that of
    the live header in the link's table; or lists it as live with a datestamp earlier than that of a deletion which this
    run has stored.
    """
    headers = [entry.header for entry in page.entries if entry.header.identifier]
    identifiers: dict[str, str] = {}
    stamp_of: dict[str, dict[bool, datetime | None]] = {}  # by key, then by whether the header is deleted
    for header in headers:
        identifiers[header.key] = header.identifier
        stamp_of.setdefault(header.key, {})[header.deleted] = header.stamp
    found = {key: None for key, by_status in stamp_of.items() if len(by_status) == 2}
    keys = [key for key, by_status in stamp_of.items() if True in by_status or run.deleted]
    for key, known in remote_headers.load_known(run.link, keys).items():
        stamp = stamp_of[key].get(not known.deleted)
        if known.state != RemoteHeader.State.STORED or known.datestamp is None or stamp is None:
            continue
        if stamp < known.datestamp or (stamp == known.datestamp and not known.deleted):
            found[key] = None
    return [(key, identifiers[key]) for key in found]
