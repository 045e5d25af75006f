"""Check the pages of a list as they come: is the list complete, and is it what was asked for? No network, no database."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from catalogue import datestamps
from harvester.errors import BrokenReply, FaultCode
from harvester.header import ReceivedHeader
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.protocol.warnings import ProviderWarning, WarningCode

MIN_SAME = 3  # chosen: so many records of a page with one identifier, and no other, are a fault of the provider
CSW_END = "0"  # pycsw passes on the nextRecord of CSW, where 0 means the end

_TOO_OLD = ProviderWarning(WarningCode.TOO_OLD)


@dataclass(slots=True)
class ListChecker:
    """Checks the pages of one list in turn, which was asked for from `start`, and before `end`.

    `received`, `list_size`: entries until now, and announced. `last`: the last header of the page before.
    """

    remote_set: str = ""
    start: datetime | None = None
    end: datetime | None = None
    received: int = 0
    list_size: int | None = None
    last: ReceivedHeader | None = None

    def start_at(self, start: datetime) -> None:
        """Expect entries from there on, as the list is asked for from an earlier `from` than was meant."""
        self.start = start if self.start is None else min(self.start, start)

    @property
    def is_complete(self) -> bool:
        """Whether as many entries have come as the provider announced (a hint: F31, F36)."""
        return self.list_size is not None and self.received >= self.list_size > 0

    def check(self, page: Page) -> Page:
        """Return the page with its warnings, the valid entry of each identifier last. Raises BrokenReply.

        Its list size is the largest that the list has announced so far.
        """
        if page.list_size is not None:  # some count what is left, and a replica may take over that has less
            self.list_size = max(page.list_size, self.list_size or 0)
        if self._only_closes(page):
            page = replace(page, entries=())
        self.received += len(page.entries)
        self.last = page.entries[-1].header if page.entries else None
        identifiers = {entry.header.identifier for entry in page.entries}
        if len(page.entries) >= MIN_SAME and len(identifiers) == 1 and identifiers != {""}:  # F73
            facts = {"records": len(page.entries), "identifier": identifiers.pop()}
            raise BrokenReply(FaultCode.ONE_IDENTIFIER, facts)
        warnings = [*page.warnings, *self._warn_of_headers(page.entries)]
        token = page.token
        if token == CSW_END and self.is_complete:
            token = None
            warnings.append(ProviderWarning(WarningCode.END, {"token": CSW_END}))
        entries = page.entries
        if len({entry.header.key for entry in entries}) < len(entries):
            entries = _latest_last(entries)
        return replace(page, entries=entries, token=token, list_size=self.list_size, warnings=tuple(warnings))

    def _only_closes(self, page: Page) -> bool:
        """Whether the last page has a record only because none may be empty: the last one again, or one after `until`.

        So a list ends whose other records have all changed since; they come in the next one (P106).
        """
        if page.token is not None or len(page.entries) != 1 or not self.received:
            return False
        header = page.entries[0].header
        return header == self.last or (self.end is not None and header.stamp is not None and header.stamp >= self.end)

    def _warn_of_headers(self, entries: Sequence[ReceivedEntry]) -> Iterator[ProviderWarning]:
        """Warn of records outside the requested set or time (F34, F55, F56), and of datestamps that cannot be read (F60).

        All are stored all the same (H16, H35, H36).
        """
        for header in (entry.header for entry in entries):
            if is_of_other_sets(header, self.remote_set):
                yield ProviderWarning(WarningCode.OTHER_SET, {"set": self.remote_set})
            if header.stamp is None:
                if header.identifier:
                    yield ProviderWarning(WarningCode.DATESTAMP)
            elif self.start is not None and header.stamp < self.start:
                yield _TOO_OLD


def is_of_other_sets(header: ReceivedHeader, remote_set: str) -> bool:
    """Whether a header names sets, and neither the one that was asked for nor one below it."""
    specs = header.set_specs if remote_set else ()
    return bool(specs) and remote_set not in specs and not any(spec.startswith(f"{remote_set}:") for spec in specs)


def strays(headers: Sequence[ReceivedHeader], remote_set: str) -> frozenset[str]:
    """Return the keys of headers of other sets, in a list that names the set that was asked for as well."""
    if not any(remote_set in header.set_specs for header in headers):
        return frozenset()  # this provider calls the set otherwise
    return frozenset(header.key for header in headers if is_of_other_sets(header, remote_set))


def _latest_last(entries: tuple[ReceivedEntry, ...]) -> tuple[ReceivedEntry, ...]:
    """Order the entries of one identifier by datestamp, the live one last of equal ones (F72, F73, H36).

    The last one is stored.
    """
    positions: dict[str, list[int]] = {}
    for position, entry in enumerate(entries):
        positions.setdefault(entry.header.key, []).append(position)
    ordered = list(entries)
    for same_record in positions.values():
        versions = sorted((entries[position] for position in same_record), key=_datestamp_then_live)
        for position, entry in zip(same_record, versions, strict=True):
            ordered[position] = entry
    return tuple(ordered)


def _datestamp_then_live(entry: ReceivedEntry) -> tuple[str, bool]:
    return (datestamps.write(entry.header.stamp) if entry.header.stamp else "", not entry.header.deleted)
