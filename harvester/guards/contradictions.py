"""Records that one list gives as live and as deleted: the provider is asked which it is (F72)."""

from dataclasses import replace

from catalogue import datestamps, oai
from harvester.errors import RefusedByProvider
from harvester.models import RemoteHeader, Run
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.protocol.warnings import ProviderWarning, WarningCode
from harvester.rows import remote_headers

MAX_ASKED = 20  # chosen: of a page; of more the last word counts


def decided(run: Run, page: Page, provider: Conversation) -> Page:
    """The page with GetRecord's answer for what contradicts itself, or what the same list has said before.

    Raises HarvestError where the provider cannot be asked.
    """
    doubtful = _contradicted(run, page)[:MAX_ASKED]
    answers: dict[str, ReceivedEntry] = {}
    for key, identifier in doubtful:
        try:
            answers[key] = provider.record(identifier)
        except RefusedByProvider:
            continue  # then the last word counts
    if not answers:
        return page
    entries = tuple(
        answers.get(oai.identifier_key(entry.entry.header.identifier), entry)  # however often it is listed
        for entry in page.entries
    )
    told = ProviderWarning(
        WarningCode.LIVE_AND_DELETED, "A record is listed both as live and as deleted; it was asked for by itself."
    )
    return replace(page, entries=entries, warnings=(*page.warnings, replace(told, count=len(answers))))


def _contradicted(run: Run, page: Page) -> list[tuple[str, str]]:
    """Keys and identifiers of what is live and deleted at once.

    Across pages: deleted here, with a datestamp not later than the live record's that the table knows, or live, with one
    earlier than that of a deletion which this run has brought.
    """
    said: dict[str, dict[bool, str]] = {}
    identifiers: dict[str, str] = {}
    for header in (entry.entry.header for entry in page.entries if entry.entry.header.identifier):
        key = oai.identifier_key(header.identifier)
        identifiers[key] = header.identifier
        said.setdefault(key, {})[header.deleted] = header.datestamp
    found = {key: None for key, words in said.items() if len(words) == 2}
    looked_up = [key for key, words in said.items() if True in words or run.deleted]
    for key, known in remote_headers.load_known(run.link, looked_up).items() if looked_up else ():
        before = datestamps.lenient(said[key].get(not known.deleted, ""))
        if known.state != RemoteHeader.State.HELD or known.datestamp is None or before is None:
            continue
        if before < known.datestamp or (before == known.datestamp and not known.deleted):
            found[key] = None
    return [(key, identifiers[key]) for key in found]
