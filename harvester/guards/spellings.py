"""Ask a provider whether it has two spellings of one identifier both live, so that each is a record of its own (F74).

A list that brings a new spelling may be that of a record whose spelling has changed, or of another record: the catalogue
takes it for a change (`catalogue.writing.spellings`), unless the old one is live at the provider as well. The same page
may tell; else the old spelling is asked for by GetRecord, if the provider has listed it as live. A provider that does not
answer for it has it no more. Uploads, and what no link has listed, are not asked for: of these one batch alone tells.
"""

from collections.abc import Callable, Iterable, Mapping

from catalogue.writing import current
from harvester.errors import BrokenReply, FaultCode, RefusedByProvider
from harvester.header import ReceivedHeader
from harvester.models import Link
from harvester.protocol.answers import ReceivedEntry
from harvester.rows import remote_headers

MAX_ASKED = 50  # chosen: of a page; beyond them all are records of their own if one of those asked for is

Ask = Callable[[str], ReceivedEntry]  # GetRecord, by the provider's own identifier


def find_apart(link: Link, headers: Iterable[ReceivedHeader], ask: Ask) -> frozenset[str]:
    """Return the keys of those headers that are records of their own beside a live one with another spelling.

    Raises HarvestError if the provider cannot be asked.
    """
    by_key = {header.key: header for header in headers if header.identifier}
    apart, others_of = set[str](), dict[str, list[str]]()
    for key, others in current.live_spellings(by_key).items():
        if key in others:
            continue
        unlisted = sorted(others - by_key.keys())
        if unlisted:
            others_of[key] = unlisted
        elif any(not by_key[other].deleted for other in others):
            apart.add(key)
    return frozenset(apart.union(_ask_for_others(link, others_of, ask)) if others_of else apart)


def _ask_for_others(link: Link, others_of: Mapping[str, list[str]], ask: Ask) -> set[str]:
    """Return the keys of which the provider has another spelling live. `others_of`: the live records here with others."""
    listed = remote_headers.identifiers_listed_as_live(link, [other for found in others_of.values() for other in found])
    asked: dict[str, bool] = {}
    for other, identifier in list(listed.items())[:MAX_ASKED]:
        asked[other] = _is_live(identifier, ask)
    of_the_rest = any(asked.values())
    return {
        key
        for key, others in others_of.items()
        if any(asked.get(other, of_the_rest) for other in others if other in listed)
    }


def _is_live(identifier: str, ask: Ask) -> bool:
    """Whether the provider has exactly this identifier live."""
    try:
        return not ask(identifier).header.deleted
    except RefusedByProvider:
        return False
    except BrokenReply as exc:
        if exc.code != FaultCode.OTHER_RECORD:
            raise
        return False  # it answers with the other spelling
