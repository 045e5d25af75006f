"""Check the documents of an upload: say of each what storing it would do, by the decisions that storing it makes.

Works through the files from where it stood last; each batch is one transaction, so a worker that is killed loses and
doubles nothing.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction

from catalogue import seams, validation
from catalogue.bulk import ingest, upload_folder
from catalogue.bulk.ingest import Outcome
from catalogue.bulk.upload_folder import KeptDocuments
from catalogue.documents.sources import Document
from catalogue.models import MetadataSet, Upload, UploadDocument
from catalogue.payloads import payload
from catalogue.reasons import ActRefused, Reason, ReasonCode, read_reason
from catalogue.writing import current, decisions, store, uploads
from catalogue.writing.entry import PreparedEntry
from catalogue.writing.read_document import ParsedDocument, ReadResult

# The names of outcomes (`ingest.Outcome`) of what can be stored, and of those that replace a live record's content.
_WRITTEN = ("new", "updated", ingest.REPEATED, ingest.BROUGHT_BACK, ingest.OLDER)
STORABLE = (*_WRITTEN, ingest.CLAIMED)
_REPLACING = ("updated", ingest.OLDER, ingest.CLAIMED)


@dataclass(frozen=True, slots=True)
class PreviewLimits:
    """How much one upload may have."""

    documents: int = 500_000  # chosen: more than any catalogue of WIS; each costs a row until the report is removed
    faults: int = 20  # chosen: of the checks of one document


DEFAULTS = PreviewLimits()


def check(
    upload: Upload,
    into: MetadataSet,
    *,
    until: float,
    processes: int,
    limits: PreviewLimits = DEFAULTS,
    ingest_limits: ingest.IngestLimits = ingest.DEFAULTS,
) -> bool:
    """Check documents until the instant of the monotonic clock; whether all have been. `upload` is left as it was read.

    Raises ActRefused if the set takes no uploads, or there are too many documents.
    """
    yields_to = uploads.check(into)
    if upload.documents == 0:
        Upload.objects.filter(pk=upload.pk).update(estimate=upload_folder.estimate(upload))
    remaining = _Remaining(upload, until)
    number = upload.documents
    with KeptDocuments(upload) as kept:
        for batch, parsed in ingest.read_batches(remaining, processes, ingest_limits):
            if number + len(batch) > limits.documents:
                raise ActRefused(Reason(ReasonCode.TOO_MANY_DOCUMENTS, {"limit": limits.documents}))
            rows = _check_batch(upload, number, batch, parsed, into, yields_to, kept, limits)
            kept.sync()
            number += len(batch)
            if not _write(upload, rows, number):
                return False  # somebody has ended it
    return remaining.is_done


class _Remaining:
    """The documents that have not been checked yet, until an instant."""

    def __init__(self, upload: Upload, until: float) -> None:
        self._upload, self._until = upload, until
        self.is_done = False

    def __iter__(self) -> Iterator[Document]:
        for document in itertools.islice(upload_folder.documents_of(self._upload), self._upload.documents, None):
            yield document
            if seams.monotonic() >= self._until:
                return
        self.is_done = True


@transaction.atomic
def _write(upload: Upload, rows: Sequence[UploadDocument], number: int) -> bool:
    """Write a batch, unless the upload was ended meanwhile; whether it was written."""
    still_open = Upload.objects.filter(pk=upload.pk, state=Upload.State.CHECKING, documents=number - len(rows))
    if not still_open.update(documents=number, tries=0, worked=seams.now()):
        return False
    UploadDocument.objects.bulk_create(rows)
    return True


def _check_batch(
    upload: Upload,
    number: int,
    batch: Sequence[Document],
    parsed: Sequence[ReadResult],
    into: MetadataSet,
    yields_to: frozenset[str],
    kept: KeptDocuments,
    limits: PreviewLimits,
) -> list[UploadDocument]:
    entries = [_entry(result) for result in parsed if not isinstance(result, Reason)]
    keys = [entry.key for entry in entries]
    earlier = _written_before(upload, keys) if number else []
    results = store.preview_entries([*earlier, *entries], into=into, yields_to=yields_to)[len(earlier) :]
    seen = ingest.SeenRecords(recall=lambda replacing: documents_of_records(upload, replacing))
    outcomes = seen.mark(batch, parsed, ingest.outcomes_of(batch, parsed, results))
    digests = current.current_digests(keys)
    repeated = {entry.key for entry in earlier} | {key for key in keys if keys.count(key) > 1}
    remaining = iter(keys)
    row_keys = ["" if isinstance(result, Reason) else next(remaining) for result in parsed]
    replaced = [key for key, outcome in zip(row_keys, outcomes, strict=True) if outcome.name in _REPLACING]
    versions = current.current_versions(replaced)
    rows = []
    for at, (document, result, outcome, key) in enumerate(zip(batch, parsed, outcomes, row_keys, strict=True), 1):
        row = UploadDocument(upload=upload, number=number + at, source=document.source)
        row.identifier, row.key, row.preview = outcome.identifier, key, outcome.name
        row.reason = outcome.reason.to_json() if outcome.reason else None
        if not isinstance(result, Reason):
            entry = _entry(result)
            row.digest, row.metadata_date = entry.digest, entry.metadata_date
            row.replaces = None if key in repeated else digests.get(key, b"")
        if isinstance(result, ParsedDocument):
            row.title = result.version.title
        if outcome.name in STORABLE:
            before = _unpack(versions[key]) if key in versions and outcome.name in _REPLACING else b""
            place = kept.add(document.content, before)
            row.place, row.length, row.length_before = place.start, place.length, place.length_before
            _label(row, document, result, limits)
        rows.append(row)
    return rows


def _entry(result: ParsedDocument | PreparedEntry) -> PreparedEntry:
    """Return the entry of a document as far as it decides: without a row, which takes packing."""
    if isinstance(result, PreparedEntry):
        return result
    version = result.version
    return PreparedEntry(version.identifier, version.key, version.digest, version.metadata_date, b"")


def _written_before(upload: Upload, keys: Iterable[str]) -> list[PreparedEntry]:
    """Return what earlier documents of the upload would have left of these records: the last of each."""
    found = UploadDocument.objects.filter(upload=upload, key__in=set(keys), preview__in=_WRITTEN)
    last = {
        row.key: row
        for row in found.only("upload", "number", "key", "identifier", "digest", "metadata_date").order_by("number")
    }
    return [
        PreparedEntry(row.identifier, key, bytes(row.digest or b""), row.metadata_date, b"")
        for key, row in last.items()
    ]


def documents_of_records(
    upload: Upload, replacing: Sequence[ingest.Replacing], *, stored: bool = False
) -> dict[str, str]:
    """Return, by the keys of records, which documents of the upload have given them so far, the last of each; only those `stored`."""
    names = (*_WRITTEN, decisions.Action.UNCHANGED.value)
    found = UploadDocument.objects.filter(upload=upload, key__in={each.key for each in replacing})
    found = found.filter(result__in=names) if stored else found.filter(preview__in=names)
    return dict(found.order_by("number").values_list("key", "source"))


def _unpack(version: current.CurrentVersion) -> bytes:
    try:
        return payload.unpack(version.packed)
    except payload.PayloadDamaged:
        return b""


def _label(row: UploadDocument, document: Document, result: ReadResult, limits: PreviewLimits) -> None:
    """Add what the checks say of a document, as the record's label will."""
    element = result.element_of(document.content) if isinstance(result, ParsedDocument) else document.content
    checked = validation.check_document(element)
    row.structure = checked.structure.value
    row.faults = [fault._asdict() for fault in checked.faults[: limits.faults]]


def describe(row: UploadDocument) -> Outcome:
    """Return what was said of a document when it was checked."""
    return Outcome(row.preview, row.identifier, read_reason(row.reason))
