"""One function for each verb: read the catalogue and render the verb's element. No HttpRequest here.

Each takes a checked `Request`, the instant of the answer, which the view took before any query (P39), and the terms
on which this harvester is served. It returns the element's bytes or raises `Refused`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

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
from oaiprovider.protocol.arguments import IDENTIFIER, Request, quote, value_fault
from oaiprovider.protocol.errors import (
    BadResumptionToken,
    CannotDisseminateFormat,
    IdDoesNotExist,
    NoMetadataFormats,
    NoRecordsMatch,
    NoSetHierarchy,
    OaiFault,
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
            # P82: derived from the retention setting, so that the two cannot differ.
            deleted_record="transient" if settings.GISC_TOMBSTONE_RETENTION_DAYS else "persistent",
            compressions=compression.ENCODINGS,
            descriptions=tuple(_descriptions()),
        )
    )


def _descriptions() -> Iterator[bytes]:
    """Yield the containers of Identify (P127 to P130).

    The friends come through a setting, because this app may not import the harvester, which knows them.
    """
    yield identify_descriptions.policy(settings.GISC_VERSION)
    base_urls = import_string(settings.OAI_FRIENDS)()
    if base_urls:
        yield identify_descriptions.friends(base_urls)
    yield from IdentifyDescription.objects.elements()


def list_metadata_formats(request: Request, _at: datetime, terms: Terms) -> bytes:
    formats = supported.offered(terms.formats)
    if request.identifier:
        record = lists.find(request.identifier, terms.scope)
        if record is None:
            raise Refused(_unknown(request.identifier))
        if record.deleted:
            raise Refused(NoMetadataFormats("The item has been deleted."))
        formats = [offered for offered in formats if offered.certain or _is_available(record, offered)]  # P63, P66
    return render.list_metadata_formats(
        render.FormatLine(offered.prefix, offered.schema, offered.namespace) for offered in formats
    )


def _is_available(record: ListRow, metadata_format: Format) -> bool:
    entry = list_entries.crosswalked_entry(record, metadata_format)
    return entry is not None and not entry.damaged


def list_sets(request: Request, at: datetime, terms: Terms) -> bytes:
    sets = lists.visible_sets(terms.scope)
    token = None
    if request.token is not None:
        token = _decoded(request.verb, request.token, at, terms)
    first = 0 if token is None else _place_after(sets, token)
    page, more = sets[first : first + terms.page_sets], len(sets) > first + terms.page_sets
    if not page and token is not None:
        page = sets[-1:]  # P106: the sets that were left are gone
    if not page:
        raise Refused(NoSetHierarchy("This repository has no sets.") if token is None else _exhausted())
    resumption = None
    if more or token is not None:
        cursor, size = (token.delivered, token.size) if token else (0, len(sets))
        position, last = ListPosition(at, page[-1].pk), page[-1].spec
        served = terms.key, terms.scope.set_tombstones, terms.epoch
        state = Token(request.verb, "", last, None, at, position, cursor + len(page), size, at, *served)
        resumption = _resumption(state, cursor=cursor, more=more)
    figures = stats.by_set_for(terms.scope)
    lines = (_set_line(metadata_set, figures.get(metadata_set.spec)) for metadata_set in page)
    return render.list_sets(lines, resumption)


def _decoded(verb: str, text: str, at: datetime, terms: Terms) -> Token:
    set_tombstones, epoch = terms.scope.set_tombstones, terms.epoch
    return tokens.decode(text, verb=verb, profile=terms.key, set_tombstones=set_tombstones, epoch=epoch, at=at)


def _place_after(sets: Sequence[MetadataSet], token: Token) -> int:
    """Return the index of the first set that follows the last one delivered, also where that one is gone."""
    last = MetadataSet.objects.filter(pk=token.position.pk).first() or MetadataSet(spec=token.set_spec)
    order = lists.order_of_set(last)
    return next((index for index, each in enumerate(sets) if lists.order_of_set(each) > order), len(sets))


def _set_line(metadata_set: MetadataSet, figures: dict[str, Any] | None) -> render.SetLine:
    """Describe a set: its description and its number of records, which monitors of other centres read here."""
    descriptions = [metadata_set.description] if metadata_set.description else []
    if figures is not None:
        newest = f" Newest change: {figures['newest']}." if figures["newest"] else ""
        descriptions.append(f"Live records: {figures['live']}.{newest}")
    return render.SetLine(metadata_set.spec, metadata_set.name, tuple(descriptions))


def get_record(request: Request, _at: datetime, terms: Terms) -> bytes:
    record = lists.find(request.identifier, terms.scope)
    metadata_format = supported.find(request.prefix, terms.formats)
    faults: list[OaiFault] = []
    if record is None:
        faults.append(_unknown(request.identifier))
    if metadata_format is None:
        faults.append(_unsupported(request.prefix, terms))
    if record is None or metadata_format is None:
        raise Refused(*faults)  # P14 (8): both, when both are wrong (T3.29)
    make_entry = list_entries.stored_entry if metadata_format.certain else list_entries.crosswalked_entry
    entry = make_entry(record, metadata_format)
    if entry is None:  # T3.28
        raise Refused(CannotDisseminateFormat(f"The item is not available in {quote(metadata_format.prefix)}."))
    if entry.damaged:
        raise PayloadDamaged(f"the stored metadata of {record.identifier} cannot be read back")
    return render.get_record(list_entries.oai_entry(entry, metadata_format))


def list_identifiers(request: Request, at: datetime, terms: Terms) -> bytes:
    page = _requested_page(request, at, terms)
    rows, more = _header_rows(page)
    if not rows:
        rows = next((found[:1] for closing in _closing_pages(page) if (found := _header_rows(closing)[0])), [])
    resumption = _resumption_after(page, rows[-1] if rows else None, delivered=len(rows), more=more)
    return render.list_identifiers((list_entries.header(row, page.format) for row in rows), resumption)


def list_records(request: Request, at: datetime, terms: Terms) -> render.Body:
    page = _requested_page(request, at, terms)
    entries, more = _record_entries(page)
    if not entries:
        entries = next((found for closing in _closing_pages(page) if (found := _one_readable(closing))), [])
    resumption = _resumption_after(page, entries[-1].row if entries else None, delivered=len(entries), more=more)
    # One damaged record must not stop every harvester; once it is repaired, it comes with a new datestamp.
    readable = [entry for entry in entries if not entry.damaged]
    if not readable:
        raise PayloadDamaged(f"none of the {len(entries)} records of a page can be read back")
    return render.list_records(list_entries.oai_entries(readable, page.format), resumption)


# A table, not getattr(): the network can call only the functions that are listed here.
ANSWERS: dict[str, Callable[[Request, datetime, Terms], render.Body]] = {
    "Identify": identify,
    "ListMetadataFormats": list_metadata_formats,
    "ListSets": list_sets,
    "GetRecord": get_record,
    "ListIdentifiers": list_identifiers,
    "ListRecords": list_records,
}


class FitsOnePage(Exception):
    """A list that was to be shared has one page, which nothing can be shared of."""


@dataclass(frozen=True, slots=True)
class RequestedPage:
    """The page of ListIdentifiers or ListRecords that a request asks for: the first one, or the one after its token.

    `asked` is the list as it was first asked for; `window` has the same records by their datestamps in this format (P93).
    """

    verb: str
    prefix: str
    format: Format
    asked: Window
    window: Window
    token: Token | None
    at: datetime
    terms: Terms

    @property
    def after(self) -> ListPosition | None:
        """The position after which the page begins; None for the beginning of the list."""
        return None if self.token is None else self.token.position


def _requested_page(request: Request, at: datetime, terms: Terms) -> RequestedPage:
    """Find out which page of which list is asked for. Raises Refused.

    A token keeps the list as it was asked for and a position by the record's own datestamp; the datestamps of the format
    are computed anew for each page. When a format changes, all its records move to the end of the list: a list that is
    being read then ends before them (P106), unless the change was in its last second.
    """
    token = None
    if request.token is not None:
        token = _decoded(request.verb, request.token, at, terms)
    prefix, asked = (token.prefix, _window_of(token)) if token else (request.prefix, _first_window(request, at))
    metadata_format = supported.find(prefix, terms.formats)
    if token is None:
        _require_format_and_sets(request, metadata_format, terms)
    if metadata_format is None:
        raise Refused(_exhausted())  # the crosswalk was deleted while the list was being read
    window = asked.raised_to(metadata_format.changed) or Window(asked.set_spec, asked.end, asked.end)  # or no record
    return RequestedPage(request.verb, prefix, metadata_format, asked, window, token, at, terms)


_FOR_EVER = datetime(9999, 12, 31, tzinfo=UTC)


def _closing_pages(page: RequestedPage) -> Iterator[RequestedPage]:
    """Yield pages one of which ends a list where all that was left has changed or is gone, as none may be empty (P106).

    First that of the changed records, which are the next ones in list order, after the end of the list, even after
    `until`; then that of the last record delivered. But where the list had reached its last second, one of that second before
    all others: what has changed within it may lie before the position, and whoever goes on from the datestamp of a later
    record would never ask for it (P91).
    """
    if page.token is None:
        return
    last, end = page.token.position, page.asked.end
    one = replace(page.terms, page_records=1, page_headers=1)
    closings = [
        (last, datestamps.end_of(page.at, datestamps.Granularity.SECOND), one),  # P94
        (ListPosition(last.datestamp, last.pk - 1), _FOR_EVER, one),
    ]
    if datestamps.end_of(last.datestamp, datestamps.Granularity.SECOND) >= end:
        # A whole page, as its first records may be damaged.
        closings.insert(0, (ListPosition(last.datestamp, 0), end, page.terms))
    for position, end, terms in closings:
        window = Window(page.asked.set_spec, None, end).raised_to(page.format.changed)
        if window is not None:
            yield replace(page, window=window, token=replace(page.token, position=position), terms=terms)


def _one_readable(page: RequestedPage) -> list[ListEntry]:
    return [entry for entry in _record_entries(page)[0] if not entry.damaged][:1]


def _resumption_after(
    page: RequestedPage, last: ListRow | None, *, delivered: int, more: bool
) -> render.Resumption | None:
    """Make the token element of a page with `delivered` rows, the last being `last`; None if the page is the whole list.

    `more`: whether another row follows (P106, S17). Raises Refused if the page is empty.
    """
    token = page.token
    if last is None:
        raise Refused(_no_record(token, page.asked, page.terms))
    if token is None and not more:
        if page.terms.shared:
            raise FitsOnePage
        return None  # P96: a complete first answer has no token element
    cursor = token.delivered if token else 0
    state = Token(
        verb=page.verb,
        prefix=page.prefix,
        set_spec=page.asked.set_spec or "",
        start=page.asked.start,
        end=page.asked.end,
        position=last.position,
        delivered=cursor + delivered,
        # P103, S20: counted once; never less than the rows that are known to be there.
        size=token.size if token else max(lists.count(page.window, page.terms.scope), delivered + more),
        issued=token.issued_next(page.at) if token else page.at,
        profile=page.terms.key,
        set_tombstones=page.terms.scope.set_tombstones,
        epoch=page.terms.epoch,
        shared=token.shared if token else page.terms.shared,
    )
    return _resumption(state, cursor=cursor, more=more)


def _header_rows(page: RequestedPage) -> tuple[list[ListRow], bool]:
    """Read the rows of a page of ListIdentifiers, and whether another row follows."""
    window, terms = page.window, page.terms
    if _has_every_record(page.format):
        rows = lists.page(window, after=page.after, size=terms.page_headers + 1, payloads=False, scope=terms.scope)
        return rows[: terms.page_headers], len(rows) > terms.page_headers
    # The records have to be crosswalked as well (S39), so these pages are no larger than those of ListRecords.
    size = min(terms.page_headers, terms.page_records)
    entries, more = list_entries.crosswalked_page(page.format, window, after=page.after, size=size, scope=terms.scope)
    return [entry.row for entry in entries], more


def _record_entries(page: RequestedPage) -> tuple[list[ListEntry], bool]:
    """Read the entries of a page of ListRecords, and whether another record follows."""
    if _has_every_record(page.format):
        return _entries_within_limits(page)
    terms = page.terms
    return list_entries.crosswalked_page(
        page.format, page.window, after=page.after, size=terms.page_records, scope=terms.scope
    )


def _has_every_record(metadata_format: Format) -> bool:
    """Whether every record is in this format, if only as deleted."""
    return metadata_format.certain or metadata_format.withdrawn


def _entries_within_limits(page: RequestedPage) -> tuple[list[ListEntry], bool]:
    """Read a page in a format that every record has, and whether a readable record follows.

    A page has at most `page_records` records and GISC_PAGE_BYTES, but at least one record (P107). Damaged records are
    returned too, but count for neither limit.
    """
    size, max_bytes = page.terms.page_records, settings.GISC_PAGE_BYTES
    entries: list[ListEntry] = []
    after = page.after
    total_bytes = readable = 0
    while True:
        before = len(entries)
        # One record more than fits, so that a token is given only where a record follows.
        for entry in _read_entries(page, after, size + 1):
            if not entry.damaged:
                total_bytes += entry.size
                if readable == size or (readable and total_bytes > max_bytes):
                    return entries, True
                readable += 1
            entries.append(entry)
        if len(entries) - before <= size:
            return entries, False
        after = entries[-1].position  # only damaged records were over the limit: look for a readable one after them


def _read_entries(page: RequestedPage, after: ListPosition | None, size: int) -> Iterable[ListEntry]:
    """Read up to `size` entries after `after`, from the record cache if the list may use it."""
    window, scope = page.window, page.terms.scope
    if _uses_record_cache(page):
        cached = record_cache.page(window, after=after, size=size, scope=scope)
        if cached is not None:
            return cached
    rows = lists.page(window, after=after, size=size, payloads=not page.format.withdrawn, scope=scope)
    return (list_entries.stored_entry(row, page.format) for row in rows)  # lazy: the page may be full before the end


def _uses_record_cache(page: RequestedPage) -> bool:
    """Whether the answer is gzip in iso19139, and the list not larger than the cache, which it would only empty."""
    fits = page.token is None or page.token.size <= settings.GISC_READY_RECORDS
    return fits and page.terms.in_pieces and page.format is FORMATS[oai.ISO19139]


def _first_window(request: Request, at: datetime) -> Window:
    """P101: the list ends with the second of the first page's instant, or with `until` if that is earlier."""
    latest = datestamps.end_of(at, datestamps.Granularity.SECOND)
    end = latest if request.end is None else min(request.end, latest)
    return Window(request.set_spec or None, request.start, end)


def _window_of(token: Token) -> Window:
    return Window(token.set_spec or None, token.start, token.end)


def _require_format_and_sets(request: Request, metadata_format: Format | None, terms: Terms) -> None:
    """P14 (8): both faults, when there are both (T3.55)."""
    faults: list[OaiFault] = []
    if metadata_format is None:
        faults.append(_unsupported(request.prefix, terms))
    if request.set_spec and not (
        lists.is_any_set_visible(terms.scope) or lists.find_set_seen_before(request.set_spec, terms.scope)
    ):
        faults.append(NoSetHierarchy("This repository has no sets."))
    if faults:
        raise Refused(*faults)


def _no_record(token: Token | None, asked: Window, terms: Terms) -> OaiFault:
    """P78: OAI-PMH has no error code for an undefined set, so the text says it."""
    if token is not None:
        return _exhausted()
    if asked.set_spec and lists.visible_set_id(asked.set_spec, terms.scope) is None:
        return NoRecordsMatch(f"Set {quote(asked.set_spec)} is not defined in this repository.")
    return NoRecordsMatch("No record matches the request.")


def _exhausted() -> OaiFault:
    """P106: the set, the format or all its records are gone, and an answer without records is not allowed."""
    return BadResumptionToken(
        "The list can no longer be continued: nothing of it is left. Ask for the list again from its beginning."
    )


def _unknown(identifier: str) -> OaiFault:
    """P68: what is no URI is a bad argument, unless it is the gmd:fileIdentifier of a record."""
    if fault := oai.identifier_fault(identifier):
        return value_fault(IDENTIFIER, identifier, str(fault))
    return IdDoesNotExist(f"No item {quote(identifier)} in this repository.")


def _unsupported(prefix: str, terms: Terms) -> OaiFault:
    prefixes = ", ".join(offered.prefix for offered in supported.offered(terms.formats))
    return CannotDisseminateFormat(f"Format {quote(prefix)} is not supported; supported: {prefixes}.")


def _resumption(state: Token, *, cursor: int, more: bool) -> render.Resumption:
    """P96: a token where more follows; on the last page of a sequence an empty one."""
    if not more:
        return render.Resumption("", None, state.size, cursor)
    return render.Resumption(tokens.encode(state), state.expires, state.size, cursor)
