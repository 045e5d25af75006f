"""What a list shows as it goes by: that it is complete, or not what was asked for. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from catalogue import datestamps, oai
from harvester.errors import BrokenReply
from harvester.protocol.answers import Page, ReceivedEntry
from harvester.protocol.warnings import ProviderWarning, WarningCode

MIN_SAME = 3  # chosen: so many records of a page with one identifier, and no other, are a fault of the provider


_TOO_OLD = ProviderWarning(
    WarningCode.TOO_OLD, "A record is older than what was asked for; the provider may ignore `from`."
)
CSW_END = "0"  # pycsw passes on the nextRecord of CSW, where 0 means the end


class ListChecker:
    """Looks at the pages of a list in turn. `received`: entries of the list before these pages."""

    def __init__(self, remote_set: str = "", *, received: int, list_size: int | None) -> None:
        self._remote_set = remote_set
        self._received, self._list_size = received, list_size
        self._from = ""

    @property
    def is_complete(self) -> bool:
        """Whether as many entries have come as the provider announced (a hint: F31, F36)."""
        return self._list_size is not None and self._received >= self._list_size > 0

    def look_at(self, page: Page, arguments: Mapping[str, str]) -> Page:
        """The page with its warnings, an identifier's last word last. Raises BrokenReply."""
        self._from = arguments.get("from", self._from)
        self._list_size = page.list_size if page.list_size is not None else self._list_size
        self._received += len(page.entries)
        identifiers = {entry.entry.header.identifier for entry in page.entries}
        if len(page.entries) >= MIN_SAME and len(identifiers) == 1 and identifiers != {""}:  # F73
            raise BrokenReply(f"all {len(page.entries)} records of a page have the identifier {identifiers.pop()!r}")
        warnings = [*page.warnings, *self._strays(page.entries), *_odd_stamps(page.entries)]
        token = page.token
        if token == CSW_END and self.is_complete:
            token = None
            warnings.append(
                ProviderWarning(WarningCode.END, "The list ended with the token 0, which would begin it again.")
            )
        return replace(page, entries=_last_word_last(page.entries), token=token, warnings=tuple(warnings))

    def _strays(self, entries: Sequence[ReceivedEntry]) -> list[ProviderWarning]:
        """Records that were not asked for (F34, F55, F56): taken, as each is authoritative (H16, H36), and told."""
        start = datestamps.lenient(self._from) if self._from else None
        found = []
        for header in (entry.entry.header for entry in entries):
            if self._remote_set and header.set_specs and not any(map(self._is_in_set, header.set_specs)):
                found.append(
                    ProviderWarning(WarningCode.OTHER_SET, f"A record names other sets than {self._remote_set}.")
                )
            stamp = datestamps.lenient(header.datestamp)
            if start is not None and stamp is not None and stamp < start:
                found.append(_TOO_OLD)
        return found

    def _is_in_set(self, spec: str) -> bool:
        return spec == self._remote_set or spec.startswith(f"{self._remote_set}:")


def _odd_stamps(entries: Sequence[ReceivedEntry]) -> list[ProviderWarning]:
    """H35, F60: told, not refused."""
    headers = [entry.entry.header for entry in entries if entry.entry.header.identifier]
    odd = [header for header in headers if datestamps.lenient(header.datestamp) is None]
    return [ProviderWarning(WarningCode.DATESTAMP, "A record has no datestamp that can be read.")] * len(odd)


def _last_word_last(entries: tuple[ReceivedEntry, ...]) -> tuple[ReceivedEntry, ...]:
    """The entries, those of one identifier by their datestamps, at equal ones the living last (F72, F73, H36)."""
    places: dict[str, list[int]] = {}
    for place, entry in enumerate(entries):
        places.setdefault(oai.identifier_key(entry.entry.header.identifier), []).append(place)
    if len(places) == len(entries):
        return entries
    ordered = list(entries)
    for same in places.values():
        words = sorted((entries[place] for place in same), key=_weight)
        for place, entry in zip(same, words, strict=True):
            ordered[place] = entry
    return tuple(ordered)


def _weight(entry: ReceivedEntry) -> tuple[str, bool]:
    stamp = datestamps.lenient(entry.entry.header.datestamp)
    return (datestamps.write(stamp) if stamp else "", not entry.entry.header.deleted)
