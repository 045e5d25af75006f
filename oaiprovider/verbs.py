"""One function for each verb: ask the catalogue, hand what it says to `render`. No HttpRequest here.

Each takes a checked `Request`, the instant of the answer, which the view took before any query (P39), and the terms
on which this harvester is served; it gives the verb's element, or raises `Refused`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.utils.module_loading import import_string

from catalogue import datestamps, oai
from catalogue.models import MetadataSet
from catalogue.payloads.payload import PayloadDamaged
from catalogue.reading import lists, stats
from catalogue.reading.lists import ListPosition, ListRow, Window
from oaiprovider import list_entries, record_cache
from oaiprovider.builtin_formats import FORMATS, Format
from oaiprovider.formats import supported
from oaiprovider.list_entries import ListEntry
from oaiprovider.models import IdentifyDescription
from oaiprovider.protocol import compression, identify_descriptions, render, tokens
from oaiprovider.protocol.arguments import Request, quote
from oaiprovider.protocol.errors import (
    BadResumptionToken,
    CannotDisseminateFormat,
    Fault,
    IdDoesNotExist,
    NoMetadataFormats,
    NoRecordsMatch,
    NoSetHierarchy,
    Refused,
)
from oaiprovider.protocol.tokens import Token
from oaiprovider.terms import Terms


def base_url() -> str:
    """P1: a setting, never taken from the Host header."""
    return f"{settings.GISC_BASE_URL}/oai"


def identify(_request: Request, _at: datetime, terms: Terms) -> bytes:
    return render.identify(
        render.Repository(
            name=terms.repository_name,
            base_url=base_url(),
            admin_emails=terms.admin_emails,
            earliest=lists.earliest(),
            # P82: what the retention promises, so that the two cannot differ.
            deleted_record="transient" if settings.GISC_TOMBSTONE_RETENTION_DAYS else "persistent",
            compressions=compression.ENCODINGS,
            descriptions=tuple(_descriptions()),
        )
    )


def _descriptions() -> Iterator[bytes]:
    """P127 to P130. Who our friends are the harvesting side knows, which only the wiring may ask."""
    known = import_string(settings.OAI_FRIENDS)()
    if known:
        yield identify_descriptions.friends(known)
    yield from IdentifyDescription.objects.elements()


def list_metadata_formats(request: Request, _at: datetime, terms: Terms) -> bytes:
    formats = supported.offered(terms.formats)
    if request.identifier:
        record = lists.find(request.identifier, terms.scope)
        if record is None:
            raise Refused(_unknown(request.identifier))
        if record.deleted:
            raise Refused(NoMetadataFormats("The item has been deleted."))
        formats = [known for known in formats if known.certain or _is_available(record, known)]  # P63, P66
    return render.list_metadata_formats(
        render.FormatLine(known.prefix, known.schema, known.namespace) for known in formats
    )


def _is_available(record: ListRow, known: Format) -> bool:
    here = list_entries.crosswalked_entry(record, known)
    return here is not None and not here.damaged


def list_sets(request: Request, at: datetime, terms: Terms) -> bytes:
    sets = lists.visible_sets(terms.scope)
    first = 0
    if request.token is not None:
        token = tokens.decode(request.token, verb=request.verb, profile=terms.key, at=at)
        first = next((n for n, shown_set in enumerate(sets, 1) if shown_set.pk == token.place.pk), len(sets))
    page, more = sets[first : first + terms.page_sets], len(sets) > first + terms.page_sets
    if not page:
        if request.token is not None:
            raise Refused(_exhausted())
        raise Refused(NoSetHierarchy("This repository has no sets."))
    resumption = None
    if more or request.token is not None:
        place = ListPosition(at, page[-1].pk)
        state = Token(request.verb, "", "", None, at, place, first + len(page), len(sets), at, terms.key)
        resumption = _resumption(state, cursor=first, more=more)
    figures = stats.by_set()
    return render.list_sets((_set_line(shown, figures.get(shown.spec)) for shown in page), resumption)


def _set_line(shown: MetadataSet, figures: dict[str, Any] | None) -> render.SetLine:
    """The set, its description and its size, which the monitors of other centres read here."""
    said = [shown.description] if shown.description else []
    if figures is not None:
        newest = f" Newest change: {figures['newest']}." if figures["newest"] else ""
        said.append(f"Live records: {figures['live']}.{newest}")
    return render.SetLine(shown.spec, shown.name, tuple(said))


def get_record(request: Request, _at: datetime, terms: Terms) -> bytes:
    record = lists.find(request.identifier, terms.scope)
    known = supported.find(request.prefix, terms.formats)
    faults: list[Fault] = []
    if record is None:
        faults.append(_unknown(request.identifier))
    if known is None:
        faults.append(_unsupported(request.prefix, terms))
    if record is None or known is None:
        raise Refused(*faults)  # P14 (8): both, when both are wrong (T3.29)
    here = list_entries.stored_entry(record, known) if known.certain else list_entries.crosswalked_entry(record, known)
    if here is None:  # T3.28
        raise Refused(CannotDisseminateFormat(f"The item is not available in {quote(known.prefix)}."))
    if here.damaged:
        raise PayloadDamaged(f"the stored metadata of {record.identifier} cannot be read back")
    return render.get_record(list_entries.oai_entry(here, known))


def list_identifiers(request: Request, at: datetime, terms: Terms) -> bytes:
    page = _page(request, at, terms, _header_rows)
    return render.list_identifiers((list_entries.header(row, page.format) for row in page.rows), page.resumption)


def list_records(request: Request, at: datetime, terms: Terms) -> render.Body:
    page = _page(request, at, terms, _record_rows)
    # One record that cannot be read back must not stop every harvester; once mended, it comes with a new datestamp.
    whole = [here for here in page.rows if not here.damaged]
    if not whole:
        raise PayloadDamaged(f"none of the {len(page.rows)} records of a page can be read back")
    return render.list_records(list_entries.oai_entries(whole, page.format), page.resumption)


# What the network may call is written out: no attribute is ever looked up by a verb's name.
ANSWERS: dict[str, Callable[[Request, datetime, Terms], render.Body]] = {
    "Identify": identify,
    "ListMetadataFormats": list_metadata_formats,
    "ListSets": list_sets,
    "GetRecord": get_record,
    "ListIdentifiers": list_identifiers,
    "ListRecords": list_records,
}


_Row = TypeVar("_Row", ListRow, ListEntry)


@dataclass(frozen=True, slots=True)
class Page(Generic[_Row]):
    """What one answer of ListRecords or ListIdentifiers holds."""

    rows: list[_Row]
    format: Format
    resumption: render.Resumption | None


# Reads the rows of one answer in this format, of the window and behind the place; and whether another one follows (P106,
# S17). The token is that of the request.
_Read = Callable[[Format, Window, ListPosition | None, Terms, Token | None], tuple[list[_Row], bool]]


def _page(request: Request, at: datetime, terms: Terms, read: _Read[_Row]) -> Page[_Row]:
    """The list's next page: the first one for a query, the following one for a token.

    A token keeps the list as it was asked for and a place by the record's own datestamp; what the format does to
    datestamps is worked out anew for each page. A format that changes puts all its records at the end of the list: they
    are behind the end of one that is being read, which then can no longer be continued, or in its last second.
    """
    token = None
    if request.token is not None:
        token = tokens.decode(request.token, verb=request.verb, profile=terms.key, at=at)
    prefix, window = (token.prefix, _rest(token)) if token else (request.prefix, _window(request, at))
    known = supported.find(prefix, terms.formats)
    if token is None:
        _require_format_and_sets(request, known, terms)
    if known is None:
        raise Refused(_exhausted())  # the crosswalk was deleted while the list was being read
    raised = window.raised_to(known.changed)
    page, more = read(known, raised, token.place if token else None, terms, token) if raised else ([], False)
    if not page:
        raise Refused(_exhausted() if token else _nothing(request, terms))
    if token is None and not more:
        return Page(page, known, None)  # P96: a complete first answer has no token element
    cursor = token.delivered if token else 0
    state = Token(
        verb=request.verb,
        prefix=prefix,
        set_spec=window.set_spec or "",
        start=window.start,
        end=window.end,
        place=page[-1].position,
        delivered=cursor + len(page),
        # P103, S20: counted once; never less than what is seen to be there.
        size=token.size if token else max(lists.count(raised or window, terms.scope), len(page) + more),
        issued=at,
        profile=terms.key,
    )
    return Page(page, known, _resumption(state, cursor=cursor, more=more))


def _header_rows(
    known: Format, window: Window, after: ListPosition | None, terms: Terms, _token: Token | None
) -> tuple[list[ListRow], bool]:
    if _is_everywhere(known):
        rows = lists.page(window, after=after, size=terms.page_headers + 1, payloads=False, scope=terms.scope)
        return rows[: terms.page_headers], len(rows) > terms.page_headers
    # The records have to be made as well (S39), so these pages are no larger than those of ListRecords.
    found, more = _made(known, window, after, terms, size=min(terms.page_headers, terms.page_records))
    return [here.row for here in found], more


def _record_rows(
    known: Format, window: Window, after: ListPosition | None, terms: Terms, token: Token | None
) -> tuple[list[ListEntry], bool]:
    if not _is_everywhere(known):
        return _made(known, window, after, terms, size=terms.page_records)
    # A list that memory cannot hold would only drive others out of it.
    kept = token is None or token.size <= settings.GISC_READY_RECORDS
    if kept and terms.in_pieces and known is FORMATS[oai.ISO19139]:
        return _bounded(lambda behind, size: _ready(known, window, behind, size, terms), after, terms.page_records)
    return _bounded(lambda behind, size: _whole(known, window, behind, size, terms), after, terms.page_records)


def _is_everywhere(known: Format) -> bool:
    """Whether every record is in this format, as a deleted one if need be."""
    return known.certain or known.withdrawn


def _made(
    known: Format, window: Window, after: ListPosition | None, terms: Terms, *, size: int
) -> tuple[list[ListEntry], bool]:
    """Of a format that a record may not be available in."""
    return list_entries.crosswalked_page(
        known,
        lambda behind, number: lists.page(window, after=behind, size=number, payloads=True, scope=terms.scope),
        after=after,
        size=size,
    )


def _ready(known: Format, window: Window, after: ListPosition | None, size: int, terms: Terms) -> Iterable[ListEntry]:
    rows = record_cache.page(window, after=after, size=size, scope=terms.scope)
    return _whole(known, window, after, size, terms) if rows is None else rows


def _whole(known: Format, window: Window, after: ListPosition | None, size: int, terms: Terms) -> Iterable[ListEntry]:
    """Made one by one, as they are asked for."""
    payloads = not known.withdrawn
    rows = lists.page(window, after=after, size=size, payloads=payloads, scope=terms.scope)
    return (list_entries.stored_entry(row, known) for row in rows)


def _bounded(
    read: Callable[[ListPosition | None, int], Iterable[ListEntry]], after: ListPosition | None, size: int
) -> tuple[list[ListEntry], bool]:
    """The rows of a page in a format that every record has, and whether a record that can be shown follows them.

    `size` records make a page, or as many as GISC_PAGE_BYTES hold, but at least one (P107). A record that cannot be read
    back is passed over and does not count.
    """
    rows: list[ListEntry] = []
    enough = settings.GISC_PAGE_BYTES
    total = whole = 0
    while True:
        before = len(rows)
        # One record more than is shown, so that a token is given only where something follows.
        for here in read(after, size + 1):
            if not here.damaged:
                total += here.size
                if whole == size or (whole and total > enough):
                    return rows, True
                whole += 1
            rows.append(here)
        if len(rows) - before <= size:
            return rows, False
        after = rows[-1].position  # nothing but damaged records: look behind them


def _window(request: Request, at: datetime) -> Window:
    """P101: `until` is frozen at the first page's instant, that second included, or at what was asked if earlier."""
    latest = datestamps.end_of(at, datestamps.Granularity.SECOND)
    end = latest if request.end is None else min(request.end, latest)
    return Window(request.set_spec or None, request.start, end)


def _rest(token: Token) -> Window:
    return Window(token.set_spec or None, token.start, token.end)


def _require_format_and_sets(request: Request, known: Format | None, terms: Terms) -> None:
    """P14 (8): both faults, when there are both (T3.55)."""
    faults: list[Fault] = []
    if known is None:
        faults.append(_unsupported(request.prefix, terms))
    if request.set_spec and not lists.is_any_set_visible(terms.scope):
        faults.append(NoSetHierarchy("This repository has no sets."))
    if faults:
        raise Refused(*faults)


def _nothing(request: Request, terms: Terms) -> Fault:
    """P78: an undefined set has no code of its own, so the text must say it."""
    if request.set_spec and lists.visible_set_id(request.set_spec, terms.scope) is None:
        return NoRecordsMatch(f"Set {quote(request.set_spec)} is not defined in this repository.")
    return NoRecordsMatch("No record matches the request.")


def _exhausted() -> Fault:
    """P106: an empty page cannot be sent."""
    return BadResumptionToken(
        "The list can no longer be continued: nothing of it remains behind this token. Ask for it again from its beginning."
    )


def _unknown(identifier: str) -> Fault:
    return IdDoesNotExist(f"No item {quote(identifier)} in this repository.")


def _unsupported(prefix: str, terms: Terms) -> Fault:
    known = ", ".join(known.prefix for known in supported.offered(terms.formats))
    return CannotDisseminateFormat(f"Format {quote(prefix)} is not supported; supported: {known}.")


def _resumption(state: Token, *, cursor: int, more: bool) -> render.Resumption:
    """P96: a token where something follows; on the last page of a sequence an empty one."""
    if not more:
        return render.Resumption("", None, state.size, cursor)
    return render.Resumption(tokens.encode(state), state.expires, state.size, cursor)
