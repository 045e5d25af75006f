"""What follows when a database was put back from a copy: it is now older than what the world has seen.

Datestamps go on after all that harvesters have seen (P92), and the sets that this node answers for are stamped anew,
because nobody knows what of them differs from what was seen (W34). Records come back from the data managers' files; then
deletions and moves come back from the journals. In that order: a record that has moved is ingested into the set that it
had left, and moved again.

Until the journals are replayed the node is not ready, so that a restore that is cut off is not taken for a whole one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from django.utils.translation import gettext

from catalogue import journal_state, oai, seams
from catalogue.bulk import ingest
from catalogue.bulk.ingest import IngestReport
from catalogue.documents import sources
from catalogue.documents.sources import Document
from catalogue.history import History
from catalogue.models import JournalOutbox, MetadataSet, Record
from catalogue.reasons import ActRefused
from catalogue.replay import MARK_AHEAD, HistoryIncomplete, ReplayReport, replay
from catalogue.writing import clock, read_document, restamp
from gisc.accounts import sessions
from gisc.backup.errors import RestoreRefused
from harvester.messages import OutcomeCode
from harvester.models import Run
from harvester.runs import lifecycle

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_LOOK_UP = 500  # identifiers at a time


@dataclass(frozen=True, slots=True)
class RecordFiles:
    """A file, folder or archive with the present version of records, and the set that they belong to; '': the own one."""

    spec: str
    path: Path


@dataclass(slots=True)
class FollowUpReport:
    """What was done after the database was put back.

    `cancelled_runs`: those that were open in the copy. `signed_out`: sessions that the copy had. `restamped`: records by setSpec. `mark`: no datestamp is given before
    it. `ingested`: by path. `brought_back`: records that are deleted here, though they were brought back after the copy was
    made: their content is neither there nor in the files.
    """

    cancelled_runs: int
    signed_out: int
    restamped: dict[str, int]
    replay: ReplayReport = field(default_factory=ReplayReport)
    mark: datetime = _BEGINNING
    ingested: dict[str, list[IngestReport]] = field(default_factory=dict)
    brought_back: list[str] = field(default_factory=list)


def follow_up(
    journals: Sequence[Path],
    *,
    records: Sequence[RecordFiles] = (),
    mark: datetime | None = None,
    accept_gap: bool = False,
) -> FollowUpReport:
    """Bring a database that was put back up to what the world has seen. May be run again. Raises RestoreRefused, OSError.

    `journals`: files and folders of other hosts; the node's own folder is always read. `records`: see `ingest_files`.
    `mark`: no datestamp may be before it, beside what the journals show. `accept_gap`: go on though events are missing.
    """
    journal_state.begin_epoch()
    with History(journals) as history:
        if (missing := history.missing()) and not accept_gap:
            raise RestoreRefused(
                gettext(
                    "Events of the journal are missing: {events}. The database is restored, and nothing else is done yet. "
                    "Name the journals of the other hosts by --journal, or accept that deletions are lost by --accept-gap, "
                    "and go on with: manage.py restore --in-place."
                ).format(events=", ".join(map(str, missing)))
            )
        latest = history.latest_datestamp(seams.now() + MARK_AHEAD)
        returned = _returned(history)
    clock.raise_mark(max(filter(None, (latest, mark)), default=None))
    report = FollowUpReport(cancel_open_runs(), sessions.end_all(), restamp_own_sets())
    ingest_files(records, returned, report)
    try:
        report.replay = replay(journals, accept_gap=accept_gap, restoring=True)
    except HistoryIncomplete as exc:  # a file was taken away meanwhile
        raise RestoreRefused(
            gettext("{reason}. The restore has not ended; go on with: manage.py restore --in-place.").format(reason=exc)
        ) from exc
    report.mark, report.brought_back = clock.current_mark(), sorted(_deleted_here(returned))
    return report


def _returned(history: History) -> set[str]:
    """Return the records whose last event is that they came back, and that are deleted in this database."""
    returned = (
        last.identifier
        for last in history.last_events()
        if last.event is not None and last.event.event == JournalOutbox.Event.RETURNED
    )
    found: set[str] = set()
    while batch := list(islice(returned, _LOOK_UP)):
        found.update(_deleted_here(batch))
    return found


def _deleted_here(identifiers: Iterable[str]) -> Iterable[str]:
    """Return those of the identifiers whose records are deleted in this database."""
    keys = {oai.oai_identifier(identifier) for identifier in identifiers}
    return Record.objects.filter(key__in=keys, deleted=True).values_list("identifier", flat=True)


def cancel_open_runs() -> int:
    """Cancel the runs that were open in the copy: no worker has them, and their lists are long over.

    The positions of the links stay: `harvested_to` and the headers are of one moment, so the next run asks for all since.
    """
    return sum(lifecycle.cancel(run, OutcomeCode.RESTORED) for run in Run.objects.filter(state=Run.State.OPEN))


def restamp_own_sets() -> dict[str, int]:
    """Give all records of the sets that this node answers for new datestamps: its own, and the shared ones (W34)."""
    sets = MetadataSet.objects.filter(kind__in=(MetadataSet.Kind.OWN, MetadataSet.Kind.SHARED)).order_by("spec")
    return {each.spec: restamp.restamp(each, _BEGINNING).records for each in sets}


def ingest_files(records: Sequence[RecordFiles], returned: set[str], report: FollowUpReport) -> None:
    """Ingest records in their present version. Those that are deleted here stay so, but for `returned`.

    What is deleted by the journal alone is deleted by the replay. Raises RestoreRefused.
    """
    sets = {each.spec: each for each in MetadataSet.objects.all()}
    sets[""] = MetadataSet.objects.get(kind=MetadataSet.Kind.OWN)
    for each in records:
        if each.spec not in sets:
            raise RestoreRefused(
                gettext(
                    "There is no set {spec}. The restore has not ended; go on with: manage.py restore --in-place."
                ).format(spec=each.spec)
            )
        report.ingested[str(each.path)] = reports = []
        for revives in (False, True) if returned else (False,):
            documents = _documents(each.path, returned, are_returned=revives)
            try:
                reports.append(
                    ingest.ingest(
                        documents, into=sets[each.spec], revives=revives, processes=ingest.default_processes()
                    )
                )
            except ActRefused as exc:
                raise RestoreRefused(
                    gettext(
                        "{reason}. The restore has not ended; go on with: manage.py restore --in-place, without {path}."
                    ).format(reason=exc, path=each.path)
                ) from exc


def _documents(path: Path, returned: set[str], *, are_returned: bool) -> Iterator[Document]:
    """Yield the documents whose records are among those that came back, or the others."""
    for document in sources.documents([path]):
        if (read_document.guess_identifier(document.content) in returned) == are_returned:
            yield document
