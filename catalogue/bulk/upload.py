"""Uploads: take files, have their documents checked, store those that a person chooses, and keep the report.

`work` is what the task of the worker calls, again and again; it goes on from where it stood. Storing is `ingest`: what became
of each document is written in the transaction that stores it, so a worker that is killed loses and doubles nothing.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet

from catalogue import seams
from catalogue.bulk import ingest, preview, upload_folder
from catalogue.bulk.upload_folder import Place, SentFile
from catalogue.documents.sources import Document
from catalogue.limits import Replaceable
from catalogue.models import MetadataSet, Upload, UploadDocument
from catalogue.reasons import ActRefused, Reason, ReasonCode
from catalogue.writing import uploads

logger = logging.getLogger(__name__)
State = Upload.State


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """How much is done at a time. All are chosen."""

    slice_s: float = 20  # the longest time that one task keeps a worker from harvesting
    tries: int = 5  # by workers that come no further, one after the other; then a person has to look
    rows: int = 50_000  # documents to store that are looked up at once
    progress_s: float = 0.5  # how often the row says how far it has come


LIMITS = Replaceable(UploadLimits())


# --- What a person does ------------------------------------------------------------------------------


def storable_sets() -> list[tuple[MetadataSet, Reason | None, frozenset[str]]]:
    """Return the sets that have records of their own, each with why nothing may be uploaded into it, or the links that it yields to."""
    found: list[tuple[MetadataSet, Reason | None, frozenset[str]]] = []
    kinds = (MetadataSet.Kind.CATALOGUE, MetadataSet.Kind.VIRTUAL)
    for each in MetadataSet.objects.exclude(kind__in=kinds):
        try:
            found.append((each, None, uploads.check(each)))
        except ActRefused as exc:
            found.append((each, exc.reason, frozenset()))
    return sorted(found, key=lambda entry: (entry[0].kind != MetadataSet.Kind.OWN, entry[1] is not None, entry[0].spec))


def create(files: Sequence[SentFile], *, into: MetadataSet, who: str) -> Upload:
    """Take files for a set; a worker checks them next. Raises ActRefused if the set takes none, or the disk has no room."""
    uploads.check(into)
    upload_folder.check_room(sum(file.path.stat().st_size for file in files))
    folder, described = upload_folder.move_in(files)
    now = seams.now()
    return Upload.objects.create(
        folder=folder, set_spec=into.spec, files=described, who=who[:150], created=now, worked=now, begun=now
    )


def can_be_stored(upload: Upload) -> QuerySet[UploadDocument]:
    """The documents that may be stored and have not been."""
    return UploadDocument.objects.filter(upload=upload, preview__in=preview.STORABLE, result="")


@transaction.atomic
def begin_storing(upload: Upload, documents: QuerySet[UploadDocument]) -> int:
    """Have these documents stored, those that can be; return how many. Raises ActRefused if there are none, or it is busy."""
    now = seams.now()
    ready = Upload.objects.filter(pk=upload.pk, state=State.READY)
    if not ready.update(state=State.STORING, begun=now, worked=now, stored=0, tries=0):
        raise ActRefused(Reason(ReasonCode.UPLOAD_NOT_READY))
    number = documents.filter(upload=upload, preview__in=preview.STORABLE, result="").update(chosen=True)
    if not number:
        raise ActRefused(Reason(ReasonCode.NOTHING_TO_STORE))
    Upload.objects.filter(pk=upload.pk).update(to_store=number)
    return number


def stop(upload: Upload) -> bool:
    """End what goes on: no more documents are checked, or stored. What is stored stays. Whether anything was ended."""
    if Upload.objects.filter(pk=upload.pk, state=State.STORING).update(state=State.READY):
        UploadDocument.objects.filter(upload=upload, chosen=True, result="").update(chosen=False)
        return True
    return close(upload)


def close(upload: Upload) -> bool:
    """End an upload: what is not stored by now will not be. The report stays. Whether it was open."""
    open_states = (State.CHECKING, State.READY, State.FAILED)
    found = Upload.objects.filter(pk=upload.pk, state__in=open_states)
    closed = bool(found.update(state=State.CLOSED, finished=seams.now()))
    if closed:
        upload_folder.remove_sent_files(upload)
    return closed


def try_again(upload: Upload) -> bool:
    """Go on with an upload that has failed, from where it stood; whether it had."""
    is_storing = UploadDocument.objects.filter(upload=upload, chosen=True, result="").exists()
    state = State.STORING if is_storing else State.CHECKING
    failed = Upload.objects.filter(pk=upload.pk, state=State.FAILED)
    return bool(failed.update(state=state, tries=0, fault=None, finished=None, worked=seams.now()))


def remove_old() -> None:
    """Remove the uploads, with documents and report, that are older than GISC_UPLOAD_RETENTION_DAYS, but for those under way."""
    before = seams.now() - timedelta(days=settings.GISC_UPLOAD_RETENTION_DAYS)
    settled = (State.READY, State.CLOSED, State.FAILED)
    for old in Upload.objects.filter(created__lt=before, state__in=settled)[:10]:
        remove(old)
    upload_folder.remove_strays({str(folder) for folder in Upload.objects.values_list("folder", flat=True)})


def remove(upload: Upload) -> None:
    """Remove an upload with its documents and its report. What it has stored stays."""
    with transaction.atomic():
        with connection.cursor() as cursor:  # Django would read each row, where somebody listens to its signals
            cursor.execute("DELETE FROM catalogue_uploaddocument WHERE upload_id = %s", [upload.pk])
        upload.delete()
    upload_folder.remove(upload.folder)


# --- What a worker does ------------------------------------------------------------------------------


def waiting() -> QuerySet[Upload]:
    """The uploads that a worker has to do something for, the one that has waited longest first."""
    return Upload.objects.filter(state__in=(State.CHECKING, State.STORING)).order_by("worked", "pk")


def work(*, processes: int) -> bool:
    """Work on the upload that has waited longest, for a while; whether any waits afterwards. One process at a time calls this."""
    upload = waiting().first()
    if upload is None:
        return False
    limits = LIMITS.in_force
    if upload.tries >= limits.tries:
        facts = {"tries": upload.tries, "number": upload.stored if upload.state == State.STORING else upload.documents}
        _fail(upload, Reason(ReasonCode.UPLOAD_STALLED, facts))
        return waiting().exists()
    Upload.objects.filter(pk=upload.pk).update(tries=F("tries") + 1, worked=seams.now())
    until = seams.monotonic() + limits.slice_s
    try:
        into = MetadataSet.objects.filter(spec=upload.set_spec).first()
        if into is None:
            raise ActRefused(Reason(ReasonCode.SET_GONE, {"set": upload.set_spec}))
        if upload.state == State.CHECKING:
            if preview.check(upload, into, until=until, processes=processes):
                _finish_checking(upload)
        else:
            _store(upload, into, until=until, processes=processes)
    except ActRefused as exc:
        _fail(upload, exc.reason)
    except FileNotFoundError:
        _fail(upload, Reason(ReasonCode.UPLOAD_FILES_GONE))
    return waiting().exists()


def _fail(upload: Upload, reason: Reason) -> None:
    logger.warning("upload failed", extra={"upload": upload.pk, "code": reason.code.value, "reason": str(reason)})
    found = Upload.objects.filter(pk=upload.pk, state=upload.state)
    found.update(state=State.FAILED, fault=reason.to_json(), finished=seams.now())


def _finish_checking(upload: Upload) -> None:
    _settle(upload, State.CHECKING)
    upload_folder.remove_sent_files(upload)


def _settle(upload: Upload, was: State) -> None:
    """Let the upload wait for a person if anything can still be stored; else it is closed."""
    values = (
        {"state": State.READY} if can_be_stored(upload).exists() else {"state": State.CLOSED, "finished": seams.now()}
    )
    Upload.objects.filter(pk=upload.pk, state=was).update(**values)


@dataclass(frozen=True, slots=True)
class _ChosenDocument(Document):
    """A document that is to be stored. `record_changed`: the record has changed since this was checked."""

    number: int = 0
    record_changed: bool = False


def _store(upload: Upload, into: MetadataSet, *, until: float, processes: int) -> None:
    progress = _Progress(upload, until)
    # Those that were checked as coming back, first: later documents of theirs are not to be refused as of a deleted record.
    for revives in (True, False):
        while (rows := _chosen(upload, brought_back=revives)) and progress.goes_on:
            ingest.ingest(
                progress.until_it_ends(_read(upload, rows)),
                into=into,
                revives=revives,
                processes=processes,
                advance=progress.advance,
                note=progress.note,
                recall=lambda replacing: preview.documents_of_records(upload, replacing, stored=True),
            )
    progress.write()
    if not UploadDocument.objects.filter(upload=upload, chosen=True, result="").exists():
        _settle(upload, State.STORING)


_Row = tuple[int, str, int, int, bool]
_CHOSEN = """
    SELECT d.number, d.source, d.place, d.length, d.replaces IS NOT NULL AND coalesce(r.digest, '') <> d.replaces
    FROM catalogue_uploaddocument d LEFT JOIN catalogue_record r ON r.key = d.key
    WHERE d.upload_id = %(upload)s AND d.chosen AND d.result = '' AND (d.preview = %(brought_back)s) = %(is_brought_back)s
    ORDER BY d.number LIMIT %(rows)s
"""


def _chosen(upload: Upload, *, brought_back: bool) -> list[_Row]:
    values: dict[str, Any] = {"upload": upload.pk, "brought_back": ingest.BROUGHT_BACK}
    values |= {"is_brought_back": brought_back, "rows": LIMITS.in_force.rows}
    with connection.cursor() as cursor:
        cursor.execute(_CHOSEN, values)
        return list(cursor.fetchall())


def _read(upload: Upload, rows: Sequence[_Row]) -> Iterator[_ChosenDocument]:
    contents = upload_folder.read_kept(upload, (Place(place, length) for _, _, place, length, _ in rows))
    for (number, source, _, _, record_changed), content in zip(rows, contents, strict=True):
        yield _ChosenDocument(source, content, number=number, record_changed=record_changed)


_NOTE = """
    UPDATE catalogue_uploaddocument d
    SET result = n.result, result_reason = n.reason::jsonb, record_changed = n.record_changed
    FROM unnest(%(numbers)s::int[], %(results)s::text[], %(reasons)s::text[], %(record_changed)s::boolean[])
        AS n (number, result, reason, record_changed)
    WHERE d.upload_id = %(upload)s AND d.number = n.number AND d.result = ''
"""


class _Progress:
    """How far the storing has come: written down for the page now and then, and asked whether it goes on."""

    def __init__(self, upload: Upload, until: float) -> None:
        self._upload, self._until = upload, until
        left = UploadDocument.objects.filter(upload=upload, chosen=True, result="").count()
        self._stored = max(upload.to_store - left, 0)
        self._next_s = 0.0
        self.goes_on = True

    def until_it_ends(self, documents: Iterator[_ChosenDocument]) -> Iterator[_ChosenDocument]:
        for document in documents:
            yield document
            if seams.monotonic() >= self._until:
                self.goes_on = False
            if not self.goes_on:
                return

    def note(self, batch: Sequence[Document], outcomes: Sequence[ingest.Outcome]) -> None:
        """Write down what became of a batch, in the transaction that stores it."""
        chosen = [document for document in batch if isinstance(document, _ChosenDocument)]
        values: dict[str, Any] = {
            "upload": self._upload.pk,
            "numbers": [document.number for document in chosen],
            "results": [outcome.name for outcome in outcomes],
            "reasons": [json.dumps(outcome.reason.to_json()) if outcome.reason else None for outcome in outcomes],
            "record_changed": [document.record_changed for document in chosen],
        }
        with connection.cursor() as cursor:
            cursor.execute(_NOTE, values)

    def advance(self, number: int) -> None:
        self._stored += number
        if seams.monotonic() >= self._next_s:
            self._next_s = seams.monotonic() + LIMITS.in_force.progress_s
            self.write()

    def write(self) -> None:
        """Write down how much is stored; end if a person has stopped it."""
        found = Upload.objects.filter(pk=self._upload.pk, state=State.STORING)
        if not found.update(stored=self._stored, tries=0, worked=seams.now()):
            self.goes_on = False
