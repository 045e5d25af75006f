"""Watch a folder: files that appear, change and vanish become added, updated and withdrawn records.

What each file gave is in the database, written in the transactions that store it, so a watcher that starts again sees what
has changed and vanished meanwhile. A file is read when it has been the same in two looks, so none is read half-written. The
records of what has vanished are withdrawn after three looks, unless they are too many for one day, or all that there are.
"""

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from catalogue import ceilings, locks, seams
from catalogue.bulk import ingest
from catalogue.bulk.ingest import IngestReport, Outcome, RejectedDocument, Replacing
from catalogue.ceilings import Ceiling
from catalogue.documents import sources
from catalogue.documents.sources import Document
from catalogue.models import DamagedRecord, MetadataSet, WatchedFile, WatchedFolder, WatchedRecord
from catalogue.reasons import ActRefused, Reason, ReasonCode
from catalogue.writing import decisions, read_back, staging, store
from catalogue.writing.read_document import guess_identifier

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class WatchLimits:
    """How patient a watcher is. All are chosen."""

    looks_the_same: int = 2  # in a row, before a file is read
    looks_missing: int = 3  # in a row, before its records are withdrawn: a file that was renamed has been read by then
    forget_days: int = 366  # records that were withdrawn, and would come back with their file
    named: int = 10  # of what cannot be read, for people
    noted_s: float = 60  # between two notes that the folder was looked through, where nothing else is new
    rests: int = (
        9  # times as long as a look, which takes seconds with very many files: the processor is for others, too
    )
    longest_rest_s: float = 60


DEFAULTS = WatchLimits()


class Signature(NamedTuple):
    """What tells that a file has changed."""

    size: int
    modified_ns: int


@dataclass(slots=True)
class LookReport:
    """What one look found and did. `waiting`: files that are not settled yet, or missing for too short a time.

    `not_withdrawn`: records, and files that have none any more, each with the reason. `above_ceiling`: records of files that have
    vanished, which stay because they are too many. `unread`: files that cannot be read,
    for which others are to blame: each look tries them again, and only the first reports it.
    """

    files: int = 0
    ingested: IngestReport = field(default_factory=IngestReport)
    withdrawn: int = 0
    not_withdrawn: list[RejectedDocument] = field(default_factory=list)
    above_ceiling: int = 0
    ceiling: int = 0
    waiting: int = 0
    unreadable: list[str] = field(default_factory=list)
    unread: list[RejectedDocument] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _WatchedDocument(Document):
    path: str = ""


class Watcher:
    """Watches one folder for one set. `look` is called again and again.

    `every_s`: how often it is to be called, so that others see that nobody does; None: it is not to be called for ever.
    """

    def __init__(
        self,
        folder: Path,
        into: MetadataSet,
        *,
        revives: bool = False,
        ceiling: Ceiling = ceilings.DEFAULTS,
        beyond_ceiling: bool = False,
        processes: int = 1,
        every_s: int | None = None,
        limits: WatchLimits = DEFAULTS,
    ) -> None:
        self._folder, self._into, self._revives, self._every_s = folder, into, revives, every_s
        self._ceiling, self._beyond_ceiling = ceiling, beyond_ceiling
        self._processes, self._limits = processes, limits
        self._name = _name_of(folder)
        self._seen: dict[str, tuple[Signature, int]] = {}
        self._missing: dict[str, int] = {}
        self._unread: dict[str, str] = {}  # the files that cannot be read, each with the reason
        self._odd_names: dict[str, str] = {}  # names that are no text, by what they are called in the database
        self._noted: dict[str, Any] = {}  # of the folder, as it stands in the database
        self._noted_s = 0.0

    def look(self) -> LookReport:
        """Look through the folder once, and store what has settled since. Raises ActRefused, and OSError of the folder itself."""
        _keep_for_session(self._name)
        report = LookReport()
        if self._every_s is not None and not self._noted:
            self._begin()
        try:
            self._look(report)
        except OSError:
            WatchedFolder.objects.filter(folder=self._name).update(unreadable=[self._name])
            self._noted = {}
            raise
        self._note(report)
        return report

    def _begin(self) -> None:
        """Write down that the folder is to be watched, so that it is missed even if no look ever succeeds."""
        now = seams.now()
        values = {"looked": now, "every_s": self._every_s}
        if not WatchedFolder.objects.get_or_create(folder=self._name, defaults=values)[1]:
            WatchedFolder.objects.filter(folder=self._name, every_s=None).update(**values)

    def end(self) -> None:
        """Write down that the folder is not to be watched any more: somebody has ended the watcher."""
        WatchedFolder.objects.filter(folder=self._name).update(every_s=None)

    def _note(self, report: LookReport) -> None:
        """Write down how the folder is, for those who look after the node."""
        unreadable = sorted([*report.unreadable, *(sources.as_text(self._file(path)) for path in self._unread)])
        found: dict[str, Any] = {"every_s": self._every_s, "unreadable": unreadable[: self._limits.named]}
        # As long as it is not known what has vanished, what was known before holds.
        looks = self._limits.looks_missing
        if not report.unreadable and min(self._missing.values(), default=looks) >= looks:
            found |= {"above_ceiling": report.above_ceiling, "ceiling": report.ceiling}
        now_s = seams.monotonic()
        if found != self._noted or now_s - self._noted_s >= self._limits.noted_s:
            WatchedFolder.objects.update_or_create(folder=self._name, defaults={**found, "looked": seams.now()})
            self._noted, self._noted_s = found, now_s

    def _look(self, report: LookReport) -> None:
        found = self._scan(report)
        self._read_damaged_again()
        known = set(self._files().values_list("path", flat=True))
        known.update(self._records().exclude(path="").values_list("path", flat=True).distinct())
        signatures = {
            path: Signature(size, modified)
            for path, size, modified in self._files().values_list("path", "size", "modified_ns")
            if size is not None and modified is not None
        }
        changed = {path: signature for path, signature in found.items() if signatures.get(path) != signature}
        self._unread = {path: why for path, why in self._unread.items() if path in changed}
        settled = [path for path, signature in changed.items() if self._is_settled(path, signature)]
        settled = self._readable(settled, report)
        self._seen = {path: seen for path, seen in self._seen.items() if path in found and path not in settled}
        report.waiting = len(changed.keys() - set(settled) - self._unread.keys())
        if settled:
            self._read(settled, found, report)
        if not report.unreadable:  # what cannot be listed has not vanished
            self._withdraw_vanished(known, found, report)
        WatchedRecord.objects.filter(
            folder=self._name, withdrawn__lt=seams.now() - timedelta(days=self._limits.forget_days)
        ).delete()

    @transaction.atomic
    def _read_damaged_again(self) -> None:
        """Let the files be read again that gave records whose stored metadata is damaged; once for each time of being damaged."""
        live = self._records().exclude(path="")
        known = read_back.damaged().filter(asked=False, record__identifier__in=live.values("identifier"))
        damaged = dict(known.values_list("pk", "record__identifier"))
        if damaged:
            paths = live.filter(identifier__in=damaged.values()).values("path")
            self._files().filter(path__in=paths).update(size=None)
            DamagedRecord.objects.filter(pk__in=damaged).update(asked=True)

    # --- What is there -----------------------------------------------------------------------------------

    def _files(self) -> QuerySet[WatchedFile]:
        return WatchedFile.objects.filter(folder=self._name)

    def _records(self) -> QuerySet[WatchedRecord]:
        return WatchedRecord.objects.filter(folder=self._name)

    def _scan(self, report: LookReport) -> dict[str, Signature]:
        """Return the files of records and archives below the folder, by their path in it."""
        next(self._folder.iterdir(), None)  # raises OSError, where os.walk says nothing
        found: dict[str, Signature] = {}
        start = len(os.path.join(self._folder, ""))
        self._odd_names.clear()
        for path in sources.walk(self._folder, lambda error: report.unreadable.append(sources.as_text(error.filename))):
            if path.lower().endswith(sources.RECORD_NAMES) and not os.path.basename(path).startswith("."):
                try:
                    signature = _signature(path)
                except OSError:  # a disk that fails, a server that is away
                    report.unreadable.append(sources.as_text(path))
                    continue
                if signature is not None:
                    name = path[start:]
                    text = sources.as_text(name)
                    if text != name:
                        self._odd_names[text] = name
                    found[text] = signature
        return found

    def _file(self, path: str) -> Path:
        """Return the file that is called so in the database."""
        return self._folder / self._odd_names.get(path, path)

    def _is_settled(self, path: str, signature: Signature) -> bool:
        before, times = self._seen.get(path, (None, 0))
        times = times + 1 if before == signature else 1
        self._seen[path] = (signature, times)
        return times >= self._limits.looks_the_same

    def _readable(self, paths: Iterable[str], report: LookReport) -> list[str]:
        """Return the files that can be read. Of the others nothing is written down, so that each look tries them again."""
        readable = []
        for path in paths:
            file = self._file(path)
            try:
                with file.open("rb"):
                    readable.append(path)
                    self._unread.pop(path, None)
            except OSError as exc:
                if file.exists() and self._unread.get(path) != exc.strerror:
                    self._unread[path] = exc.strerror or str(exc)
                    reason = Reason(ReasonCode.UNREADABLE_FILE, {"error": self._unread[path]})
                    report.unread.append(RejectedDocument(sources.as_text(file), "", reason))
        return readable

    # --- What appeared or changed --------------------------------------------------------------------------

    def _read(self, paths: Sequence[str], found: dict[str, Signature], report: LookReport) -> None:
        """Store the documents of these files, and write down what each of them gave."""
        withdrawn = set(self._records().filter(withdrawn__isnull=False).values_list("identifier", flat=True))
        notes = _Notes(self._name)
        report.ingested = self._ingest(paths, notes, revives=self._revives)
        back = {
            path
            for path, _source, identifier, reason in notes.rejects
            if reason.code is ReasonCode.WITHDRAWN and identifier in withdrawn
        }
        if back:  # their file had vanished, which withdrew them; it has come back
            notes.rejects = [each for each in notes.rejects if each.identifier not in withdrawn]
            again = self._ingest(sorted(back), notes, revives=True, only=withdrawn)
            report.ingested.rejects = [each for each in report.ingested.rejects if each.identifier not in withdrawn]
            report.ingested.counts["rejected"] = len(report.ingested.rejects)
            report.ingested.counts.update(again.counts)
            report.ingested.rejects += again.rejects
            report.ingested.remarks += again.remarks
        for path in paths:
            # Else it has changed while it was read, and is read again.
            if _signature_if_known(self._file(path)) == found[path]:
                self._write_file(path, found[path], notes, report)
                report.files += 1

    def _ingest(
        self, paths: Iterable[str], notes: "_Notes", *, revives: bool, only: set[str] | None = None
    ) -> IngestReport:
        return ingest.ingest(
            self._documents(paths, only),
            into=self._into,
            revives=revives,
            processes=self._processes,
            note=notes.note,
            recall=self._other_files,
        )

    def _other_files(self, replacing: Sequence[Replacing]) -> dict[str, str]:
        """Return, by the keys of records, which other files that are still there have given them."""
        found: dict[str, dict[str, str]] = {}
        rows = self._records().filter(identifier__in={each.identifier for each in replacing}).exclude(path="")
        for identifier, path in rows.order_by("path").values_list("identifier", "path"):
            if _signature_if_known(self._file(path)) is not None:
                found.setdefault(identifier, {})[path] = sources.as_text(self._file(path))
        others: dict[str, str] = {}
        for document, identifier, key in replacing:
            own = document.path if isinstance(document, _WatchedDocument) else ""
            others.update((key, source) for path, source in found.get(identifier, {}).items() if path != own)
        return others

    def _documents(self, paths: Iterable[str], only: set[str] | None) -> Iterator[_WatchedDocument]:
        for path in paths:
            file = self._file(path)
            try:
                sources.check_sources([file])
            except sources.SourceError as exc:
                if only is None:  # a fault, so that its records do not count as vanished
                    yield _WatchedDocument(sources.as_text(file), fault=exc.reason, path=path)
                continue
            for document in sources.documents([file]):
                if only is None or guess_identifier(document.content) in only:
                    yield _WatchedDocument(document.source, document.content, document.fault, path)

    @transaction.atomic
    def _write_file(self, path: str, signature: Signature, notes: "_Notes", report: LookReport) -> None:
        """Write down that a file was read. Records that are not in it any more have left it, if all of it could be stored.

        Of a file that has no record at all any more nothing has left: it may have been written by a program that failed.
        """
        identifiers = notes.identifiers.get(path, set())
        left = self._records().filter(path=path).exclude(identifier__in=identifiers)
        fault = next(((each.source, each.reason) for each in notes.rejects if each.path == path), None)
        if fault is None and not identifiers and (number := left.count()):
            fault = path, Reason(ReasonCode.EMPTIED, {"number": number})
            report.not_withdrawn.append(RejectedDocument("", *fault))
        WatchedFile.objects.update_or_create(
            folder=self._name,
            path=path,
            defaults={
                "size": signature.size,
                "modified_ns": signature.modified_ns,
                "fault": {"source": fault[0], **fault[1].to_json()} if fault else None,
            },
        )
        if fault is None:
            rows = [WatchedRecord(folder=self._name, identifier=each.identifier) for each in left]
            left.delete()
            WatchedRecord.objects.bulk_create(rows, ignore_conflicts=True)

    # --- What vanished ---------------------------------------------------------------------------------------

    def _withdraw_vanished(self, known: Iterable[str], found: dict[str, Signature], report: LookReport) -> None:
        self._missing = {path: self._missing.get(path, 0) + 1 for path in known if path not in found}
        vanished = [path for path, times in self._missing.items() if times >= self._limits.looks_missing]
        report.waiting += len(self._missing) - len(vanished)
        live = self._records().filter(withdrawn__isnull=True)
        gone = Q(path="") | Q(path__in=vanished)
        there = set(live.exclude(gone).values_list("identifier", flat=True))
        going = sorted(set(live.filter(gone).values_list("identifier", flat=True)) - there)
        if going and not self._is_allowed(len(going), len(there), report):
            return
        for start in range(0, len(going), staging.BATCH):
            self._withdraw(going[start : start + staging.BATCH], report)
        self._read_again(live.filter(gone), live.exclude(gone), report)
        live.filter(gone).delete()  # those that are in another file as well
        self._files().filter(path__in=vanished).delete()

    def _read_again(self, gone: QuerySet[WatchedRecord], left: QuerySet[WatchedRecord], report: LookReport) -> None:
        """Let the files that are left be read again whose records have gone from another file that was read after them."""
        later = gone.filter(identifier=OuterRef("identifier"), pk__gt=OuterRef("pk"))
        doubled = left.filter(Exists(later))
        report.waiting += self._files().filter(path__in=doubled.values("path"), size__isnull=False).update(size=None)

    def _is_allowed(self, number: int, left: int, report: LookReport) -> bool:
        """Whether so many records may go: with those of the last day no more than the ceiling, and not all that there are."""
        lately = self._records().filter(withdrawn__gte=seams.now() - _DAY).count()
        report.ceiling = self._ceiling.number(number + left + lately)
        if self._beyond_ceiling or (left and number + lately <= report.ceiling):
            return True
        report.above_ceiling = number
        return False

    @transaction.atomic
    def _withdraw(self, identifiers: Sequence[str], report: LookReport) -> None:
        now = seams.now()
        for result in store.withdraw(identifiers, only_from=self._into):
            rows = self._records().filter(identifier=result.identifier)
            if result.action is decisions.Action.REJECTED and result.reason is not None:
                report.not_withdrawn.append(RejectedDocument("", result.identifier, result.reason))
                rows.delete()
            else:
                rows.delete()
                WatchedRecord.objects.create(folder=self._name, identifier=result.identifier, withdrawn=now)
                report.withdrawn += 1


def _name_of(folder: Path) -> str:
    """Return what a folder is called in the database."""
    return sources.as_text(folder.resolve())


def _keep_for_session(name: str) -> None:
    """Let no other process watch the folder. Raises ActRefused if one does."""
    if not locks.keep_for_session(locks.WATCHED_FOLDER, name):
        raise ActRefused(Reason(ReasonCode.FOLDER_WATCHED))


@transaction.atomic
def forget(folder: Path) -> int:
    """Forget a watched folder, whose records stay; return how many there were. Raises ActRefused if somebody watches it."""
    name = _name_of(folder)
    _keep_for_session(name)
    number = WatchedRecord.objects.filter(folder=name, withdrawn=None).values("identifier").distinct().count()
    for model in (WatchedRecord, WatchedFile, WatchedFolder):
        model._default_manager.filter(folder=name).delete()
    return number


class _Reject(NamedTuple):
    """A document of a file that was not stored."""

    path: str
    source: str
    identifier: str
    reason: Reason


class _Notes:
    """What the documents of files became: in the database, and here by file."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.identifiers: dict[str, set[str]] = {}
        self.rejects: list[_Reject] = []

    def note(self, batch: Sequence[Document], outcomes: Sequence[Outcome]) -> None:
        """Write down which records a batch gave, in the transaction that stores it."""
        WatchedFolder.objects.filter(folder=self._folder).update(looked=seams.now())  # a large load takes long
        rows = []
        for document, (name, identifier, reason) in zip(batch, outcomes, strict=True):
            path = document.path if isinstance(document, _WatchedDocument) else ""
            if name == decisions.Action.REJECTED:
                if reason is not None:  # each rejection has one
                    self.rejects.append(_Reject(path, document.source, identifier, reason))
            else:
                self.identifiers.setdefault(path, set()).add(identifier)
                rows.append(WatchedRecord(folder=self._folder, path=path, identifier=identifier))
        identifiers = [row.identifier for row in rows]
        elsewhere = WatchedRecord.objects.filter(folder=self._folder, identifier__in=identifiers)
        elsewhere.filter(Q(withdrawn__isnull=False) | Q(path="")).delete()
        # Of several files with one record, the row of the one that was read last is the last.
        given = {(row.path, row.identifier) for row in rows}
        known = list(elsewhere.values_list("pk", "path", "identifier"))
        files = Counter(identifier for _, _, identifier in known)
        again = [pk for pk, path, identifier in known if files[identifier] > 1 and (path, identifier) in given]
        WatchedRecord.objects.filter(pk__in=again).delete()
        WatchedRecord.objects.bulk_create(rows, ignore_conflicts=True)


def _signature(path: Path | str) -> Signature | None:
    """Return size and time of a regular file; None if it is something else, or gone. Raises OSError if nobody can say, or it is a link
    to nothing."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise
        return None
    return Signature(found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def _signature_if_known(path: Path) -> Signature | None:
    try:
        return _signature(path)
    except OSError:
        return None


def keep_looking(
    watcher: Watcher,
    *,
    every_s: float,
    once: bool,
    tell: Callable[[LookReport], object],
    limits: WatchLimits = DEFAULTS,
) -> LookReport:
    """Look again and again; with `once` until nothing waits any more. `tell` gets each report. Returns the last."""
    while True:
        started_s = seams.monotonic()
        report = watcher.look()
        took_s = seams.monotonic() - started_s
        tell(report)
        if once and not report.waiting:
            return report
        seams.sleep(every_s if once else max(every_s, min(limits.rests * took_s, limits.longest_rest_s)))
