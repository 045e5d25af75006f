"""`manage.py bench --upload`: store records by an upload, beside `ingest` of the same archive in the same run.

What counts is the ratio of storing: the preview is what an upload has besides, and is told apart.
"""

import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from django.db import connection

from catalogue import bootstrap
from catalogue.bulk import upload
from catalogue.bulk.upload_folder import SentFile
from catalogue.models import Record, Upload
from gisc.bench import catalogue as catalogue_bench
from gisc.bench.catalogue import Row

_ROUNDS = 3  # each of both, in turns; the median is reported


def run(folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None]) -> list[Row]:
    """Measure both with so many records in `folder`; `say` gets progress messages."""
    archive = folder / "records.tar"
    say(f"making {records:,} records ...")
    say(catalogue_bench.make(archive, records, small=small))
    catalogue_bench.load(archive, processes)  # trains the dictionary, which the others have then
    empty(records)
    ingested, checked, stored = [], [], []
    for number in range(_ROUNDS):
        ingested.append(catalogue_bench.load(archive, processes))
        empty(records)
        check_s, store_s = _upload(archive, processes)
        empty(records)
        checked.append(check_s)
        stored.append(store_s)
        say(f"round {number + 1}: ingest {ingested[-1]:.1f} s, preview {check_s:.1f} s, storing {store_s:.1f} s")
    ingest_s, check_s, store_s = (statistics.median(seconds) for seconds in (ingested, checked, stored))
    beside = f"{records / ingest_s:,.0f}/s: ingest of the archive"
    return [
        Row("upload, storing new records", f"{records / store_s:,.0f}/s", beside, f"{ingest_s / store_s:.2f}"),
        Row(
            "upload, preview before it, with checks", f"{records / check_s:,.0f}/s", beside, f"{ingest_s / check_s:.2f}"
        ),
    ]


def _upload(archive: Path, processes: int) -> tuple[float, float]:
    """Upload the archive as the worker does, slice by slice; return the seconds of checking and of storing."""
    copy = archive.with_name("sent.tar")
    shutil.copyfile(archive, copy)
    made = upload.create([SentFile("records.tar", copy)], into=bootstrap.own_set(), who="bench")
    started = time.perf_counter()
    while upload.work(processes=processes):
        pass
    checked = time.perf_counter()
    upload.begin_storing(made, made.contents.all())
    begun = time.perf_counter()
    while upload.work(processes=processes):
        pass
    ended = time.perf_counter()
    made.refresh_from_db()
    if made.state != Upload.State.CLOSED:
        raise RuntimeError(f"the upload is {made.state}: {made.fault}")
    upload.remove(made)
    return checked - started, ended - begun


def empty(records: int) -> None:
    """Check that all records were stored, and delete them for the next round."""
    if (found := Record.objects.filter(deleted=False).count()) != records:
        raise RuntimeError(f"{found} records were stored instead of {records}")
    with connection.cursor() as cursor:
        for table in ("validation", "description", "membership", "record"):
            cursor.execute(f"DELETE FROM catalogue_{table}")
        cursor.execute("VACUUM ANALYZE")
