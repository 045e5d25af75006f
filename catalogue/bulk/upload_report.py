"""Report on uploads: counts, the documents that a filter leaves, and all of them as CSV. No writes."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet

from catalogue import datestamps, seams
from catalogue.bulk import preview
from catalogue.models import Upload, UploadDocument, Validation
from catalogue.pages.csv_lines import Echo, escape_formula
from catalogue.reasons import read_reason

Structure = Validation.Structure
# The names of outcomes in the order in which people read them.
OUTCOMES = (*preview.STORABLE, "unchanged", "rejected")
LABELS = ("invalid", "faults", "valid")
RESULTS = ("stored", "otherwise", "open")
COLUMNS = (
    *("number", "source", "identifier", "title", "preview", "reason", "reason_code", "structure", "faults"),
    *("result", "result_reason", "result_reason_code", "record_changed_meanwhile"),
)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many documents have which outcome. `otherwise`: stored, and not with the outcome that was shown before."""

    preview: Counter[str]
    results: Counter[str]
    open: Counter[str]
    otherwise: int
    invalid: int
    faulty: int

    @property
    def stored(self) -> int:
        return self.results.total()


def count(upload: Upload) -> Counts:
    """Count the documents of an upload."""
    counts = Counts(Counter(), Counter(), Counter(), 0, 0, 0)
    otherwise = invalid = faulty = 0
    found = (
        UploadDocument.objects.filter(upload=upload)
        .order_by()
        .values("preview", "result")
        .annotate(
            documents=Count("number"),
            otherwise=Count("number", filter=_OTHERWISE),
            invalid=Count("number", filter=Q(structure=Structure.INVALID)),
            faulty=Count("number", filter=_FAULTY),
        )
    )
    for row in found:
        counts.preview[row["preview"]] += row["documents"]
        if row["result"]:
            counts.results[row["result"]] += row["documents"]
        elif row["preview"] in preview.STORABLE:
            counts.open[row["preview"]] += row["documents"]
        otherwise, invalid, faulty = otherwise + row["otherwise"], invalid + row["invalid"], faulty + row["faulty"]
    return Counts(counts.preview, counts.results, counts.open, otherwise, invalid, faulty)


_OTHERWISE = ~Q(result="") & (~Q(result=F("preview")) | Q(record_changed=True))
_FAULTY = ~Q(structure="") & ~Q(faults=[])


def select(
    upload: Upload, *, outcome: str = "", label: str = "", result: str = "", words: str = ""
) -> QuerySet[UploadDocument]:
    """Return the documents of an upload that have this outcome, label and result, and these words in identifier, title or file."""
    found = UploadDocument.objects.filter(upload=upload).order_by("number")
    if outcome in OUTCOMES:
        found = found.filter(preview=outcome)
    if label == "faults":
        found = found.filter(_FAULTY)
    elif label in LABELS:
        found = found.filter(structure=label)
    if result == "otherwise":
        found = found.filter(_OTHERWISE)
    elif result in RESULTS:
        found = (
            found.exclude(result="") if result == "stored" else found.filter(result="", preview__in=preview.STORABLE)
        )
    if words:
        found = found.filter(Q(identifier__icontains=words) | Q(title__icontains=words) | Q(source__icontains=words))
    return found


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the checking or storing has come. `total`: None if it is not known. `left_s`: None as well."""

    state: str
    done: int
    total: int | None
    rate: float
    left_s: float | None

    @property
    def percent(self) -> int | None:
        return min(100, 100 * self.done // self.total) if self.total else None


def read_progress(upload: Upload) -> Progress:
    """Return how far the upload has come."""
    is_storing = upload.state == Upload.State.STORING
    done, total = (upload.stored, upload.to_store) if is_storing else (upload.documents, upload.estimate)
    if total is not None and total < done:
        total = None  # files with several documents each
    seconds = (seams.now() - upload.begun).total_seconds() if upload.begun else 0.0
    rate = done / seconds if seconds > 0 else 0.0
    left_s = (total - done) / rate if total is not None and rate > 0 else None
    return Progress(upload.state, done, total, rate, left_s)


def lines(upload: Upload) -> Iterator[str]:
    """Yield the report as CSV: a line of column names, then a line for each document."""
    writer = csv.writer(Echo())
    yield str(writer.writerow(COLUMNS))
    for row in UploadDocument.objects.filter(upload=upload).order_by("number").iterator(chunk_size=500):
        texts = map(escape_formula, (row.source, row.identifier, row.title))
        faults = escape_formula("\n".join(f"{fault['rule']}: {fault['text']}" for fault in row.faults))
        reasons = [_reason(row.reason), _reason(row.result_reason)]
        yield str(
            writer.writerow(
                [row.number, *texts, row.preview, *reasons[0], row.structure, faults]
                + [row.result, *reasons[1], "yes" if row.record_changed else ""]
            )
        )


def _reason(stored: dict[str, object] | None) -> tuple[str, str]:
    reason = read_reason(stored)
    return (str(reason), reason.code.value) if reason else ("", str((stored or {}).get("code", "")))


def file_name(upload: Upload) -> str:
    """Return the name of the CSV file."""
    return f"upload-{upload.pk}-{datestamps.write(upload.created)[:10]}.csv"
