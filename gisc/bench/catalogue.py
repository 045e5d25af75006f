"""`manage.py bench`: measure the catalogue, and compare with PostgreSQL and lxml alone.

The ratios count: the figures of one machine at one hour say little, but the ratio of two figures of one run says how
much the catalogue costs. Needs an empty catalogue, which `make bench` creates and deletes. Results: docs/benchmarks.md.
"""

import functools
import io
import itertools
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import urlencode

from django.conf import settings
from django.db import connection
from django.test import Client

from catalogue import bootstrap, oai
from catalogue.bulk import ingest
from catalogue.documents import iso19139, sources, xml_tree
from catalogue.documents.sources import SAMPLES
from catalogue.reading import lists
from catalogue.reading.lists import ListPosition, Window
from catalogue.writing import decisions, store
from gisc.bench.alone import digest_alone
from oaiprovider.protocol import tokens

# Bytes of disk for each record: in the archive, in the catalogue, and in the bare table. A third for small records.
_ON_DISK = 45_000
_CHUNK = 500
_REPEATS = 15  # of each request; the median is reported
_PAGE = 100


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was done, how fast, the figure it is compared with, and the ratio."""

    what: str
    figure: str
    limit: str = ""
    ratio: str = ""


def run(folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None]) -> list[Row]:
    """Measure everything with so many records in `folder`; `say` gets progress messages."""
    archive = folder / "records.tar"
    say(f"making {records:,} records ...")
    made_from = make(archive, records, small=small)
    raw_bytes = sum(length for _, length in _extents(archive))
    say(f"{made_from}, mean {raw_bytes / records:,.0f} bytes; reading them without a catalogue ...")
    reading = records / _read_alone(archive, processes)
    say("loading ...")
    loading = records / load(archive, processes)
    say("offering the same again ...")
    again = records / load(archive, processes)
    say("copying the same bytes into a bare table ...")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    copying = records / _copy_alone()
    limit = f"{reading:,.0f}/s: parse + C14N + SHA-256 alone, {processes} processes"
    rows = [
        Row("ingest, new records", f"{loading:,.0f}/s", limit, f"{loading / reading:.2f}"),
        Row(
            "ingest, new records",
            f"{loading:,.0f}/s",
            f"{copying:,.0f}/s: COPY of the payloads",
            f"{loading / copying:.2f}",
        ),
        Row("ingest, all unchanged", f"{again:,.0f}/s", limit, f"{again / reading:.2f}"),
    ]
    say("asking for pages ...")
    rows += _pages(records)
    rows.append(_incremental(archive))
    rows.append(_withdrawing(min(1000, records // 2)))
    rows += _sizes(raw_bytes, records)
    return rows


def table(rows: Iterable[Row]) -> str:
    """Format the rows as a Markdown table."""
    lines = ["| what | figure | side by side | ratio |", "| --- | ---: | --- | ---: |"]
    return "\n".join([*lines, *(f"| {row.what} | {row.figure} | {row.limit} | {row.ratio} |" for row in rows)])


# --- The records ------------------------------------------------------------------------------------


def make(archive: Path, records: int, *, small: bool) -> str:
    """Make the records, small ones if the disk has no room for others; return a description of them."""
    generator = Path(os.environ.get("GISC_SHARED", settings.BASE_DIR.parent / "shared")) / "tools/synthesize_records.py"
    if not generator.exists():
        _vary_samples(archive, records)
        return "variations of the samples that ship"
    templates = ["--max-template-bytes", "9000"] if small or not _fits(archive.parent, records * _ON_DISK) else []
    command = [sys.executable, str(generator), str(records), "--tar", str(archive), *templates]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return "synthetic records of synthesize_records.py" + (f" ({' '.join(templates)})" if templates else "")


def _vary_samples(archive: Path, records: int) -> None:
    samples = [xml_tree.root_element(file.read_bytes()) for file in sorted(SAMPLES.glob("*/*.xml"))]
    identified = [(element, iso19139.read(element).identifier.encode()) for element in samples]
    with tarfile.open(archive, "w") as tar:
        for number, (element, identifier) in zip(range(records), itertools.cycle(identified), strict=False):
            content = element.replace(identifier, b"%b-%07d" % (identifier, number))
            member = tarfile.TarInfo(f"{number:07d}.xml")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


def _extents(archive: Path) -> list[tuple[int, int]]:
    """Return offset and length of each record in the archive."""
    with tarfile.open(archive, "r:") as tar:
        return [(member.offset_data, member.size) for member in tar]


# --- Alone: the same bytes without a catalogue --------------------------------------------------------


def _read_alone(archive: Path, processes: int) -> float:
    """Measure the seconds to parse, canonicalise and hash all records in so many processes."""
    extents = _extents(archive)
    chunks = [(str(archive), extents[start : start + _CHUNK]) for start in range(0, len(extents), _CHUNK)]
    with ProcessPoolExecutor(processes, mp_context=get_context("forkserver")) as pool:
        list(pool.map(digest_alone, chunks[:processes]))  # all have started
        started = time.perf_counter()
        list(pool.map(digest_alone, chunks))
        return time.perf_counter() - started


def _copy_alone() -> float:
    """Measure the seconds to COPY all payloads, as they are stored, into a table that has only a key."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_bare (id bigint PRIMARY KEY, payload bytea STORAGE EXTERNAL)")
        cursor.execute("SELECT count(*), max(id) FROM catalogue_record")
        last = cursor.fetchone()[1]
        seconds = 0.0
        for start in range(0, last + 1, 10_000):
            cursor.execute(
                "SELECT id, payload FROM catalogue_record WHERE id > %s AND id <= %s ORDER BY id",
                [start, start + 10_000],
            )
            lines = io.StringIO("".join(f"{pk}\t\\\\x{bytes(packed).hex()}\n" for pk, packed in cursor.fetchall()))
            started = time.perf_counter()
            cursor.copy_expert("COPY bench_bare FROM STDIN", lines)
            seconds += time.perf_counter() - started
        cursor.execute("VACUUM ANALYZE bench_bare")
    return seconds


def _select_alone(after: int) -> float:
    """Measure the median seconds to read the payloads of one page from the bare table, by key."""

    def select() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT id, payload FROM bench_bare WHERE id > %s ORDER BY id LIMIT %s", [after, _PAGE])
            cursor.fetchall()

    return median(select)


# --- The catalogue ----------------------------------------------------------------------------------


def load(archive: Path, processes: int) -> float:
    started = time.perf_counter()
    report = ingest.ingest(sources.documents([archive]), into=bootstrap.own_set(), processes=processes)
    if report.rejects:
        raise RuntimeError(f"{len(report.rejects)} records were rejected, the first: {report.rejects[0]}")
    return time.perf_counter() - started


def _pages(records: int) -> Iterator[Row]:
    """Measure a page of 100 at three depths: over HTTP, by `lists.page`, and from the bare table."""
    end = lists.instant()
    own = bootstrap.own_set().spec
    for label, share in (("first page", 0.0), ("page at 50 %", 0.5), ("page at 99.99 %", 0.9999)):
        delivered = min(int(records * share), max(0, records - _PAGE - 1))
        position = _position_after(delivered)
        alone = _select_alone(position.pk if position else 0)
        for what, spec in (("catalogue", oai.CATALOGUE_SET), ("one set", own)):
            window = Window(spec, None, end)
            read = median(functools.partial(lists.page, window, after=position, size=_PAGE, payloads=True))
            token = position and tokens.encode(
                tokens.Token(
                    verb="ListRecords",
                    prefix="iso19139",
                    set_spec=spec,
                    start=None,
                    end=end,
                    position=position,
                    delivered=delivered,
                    size=records,
                    issued=end,
                )
            )
            first = {"metadataPrefix": "iso19139", "set": spec}
            answered = median(functools.partial(_get_list, {"resumptionToken": token} if token else first))
            yield Row(
                f"{label}, {what}: read from the database",
                f"{read * 1000:.1f} ms",
                f"{alone * 1000:.2f} ms: SELECT of the payloads by key",
                f"{read / alone:.1f}",
            )
            yield Row(f"{label}, {what}: whole answer", f"{answered * 1000:.1f} ms")


def _position_after(delivered: int) -> ListPosition | None:
    """Return the position in list order after so many records."""
    if not delivered:
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT datestamp, id FROM catalogue_record ORDER BY datestamp, id OFFSET %s LIMIT 1", [delivered - 1]
        )
        return ListPosition(*cursor.fetchone())


def _incremental(archive: Path) -> Row:
    """Measure an incremental list after ten records were changed."""
    with archive.open("rb") as file:
        documents = [os.pread(file.fileno(), length, offset) for offset, length in _extents(archive)[:10]]
    since = lists.instant()
    while lists.instant() == since:  # so that only the changes have a later datestamp
        time.sleep(0.05)
    since = lists.instant()
    changed = [
        re.sub(rb"(<(?:\w+:)?abstract[^<>]*>\s*<[^<>]*>)", rb"\1Changed. ", document, count=1) for document in documents
    ]
    results = store.put_entries([store.prepare(document) for document in changed], into=bootstrap.own_set())
    if [result.action for result in results] != [decisions.Action.UPDATED] * len(documents):
        raise RuntimeError(f"ten records should have changed: {results}")
    query = {"metadataPrefix": "iso19139", "from": f"{since:%Y-%m-%dT%H:%M:%SZ}"}
    if _get_list(query).count(b"<record>") != len(documents):
        raise RuntimeError("the list of ten changes does not have ten records")
    return Row("incremental harvest of 10 changes", f"{median(lambda: _get_list(query)) * 1000:.1f} ms")


def _withdrawing(number: int) -> Row:
    with connection.cursor() as cursor:
        cursor.execute("SELECT identifier FROM catalogue_record ORDER BY datestamp, id LIMIT %s", [number])
        identifiers = [row[0] for row in cursor.fetchall()]
    started = time.perf_counter()
    store.withdraw(identifiers)
    seconds = time.perf_counter() - started
    return Row(f"withdraw {number:,}, journal included", f"{seconds * 1000:,.0f} ms", "", "")


def _sizes(raw_bytes: int, records: int) -> Iterator[Row]:
    raw = raw_bytes / records
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid)
            FROM pg_class c WHERE c.relkind = 'r' AND c.relname LIKE 'catalogue\\_%' ORDER BY 2 DESC
            """
        )
        sizes = cursor.fetchall()
        cursor.execute("SELECT avg(pg_column_size(payload)) FROM catalogue_record WHERE NOT deleted")
        payload = float(cursor.fetchone()[0])
    total = sum(heap + indexes for _, heap, indexes in sizes) / records
    yield Row("database per record", f"{total:,.0f} bytes", f"{raw:,.0f} bytes: raw XML", f"{total / raw:.3f}")
    yield Row("of that, payload", f"{payload:,.0f} bytes", f"{raw:,.0f} bytes: raw XML", f"{payload / raw:.3f}")
    for name, heap, indexes in sizes:
        if heap + indexes > records:  # less than a byte a record is not reported
            yield Row(f"{name}: table, indexes", f"{heap / records:,.0f} + {indexes / records:,.0f} bytes")


def _get_list(query: dict[str, str]) -> bytes:
    answer = _client().get(f"/oai?{urlencode({'verb': 'ListRecords', **query})}")
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
    if answer.status_code != 200 or b"<error" in body:
        raise RuntimeError(f"{query} was answered with {answer.status_code}: {body[:500]!r}")
    return bytes(body)


@functools.cache
def _client() -> Client:
    """Return one client for all requests: its first request loads the middleware, as a server does at its start."""
    return Client(headers={"host": settings.ALLOWED_HOSTS[0] if settings.ALLOWED_HOSTS else "127.0.0.1"})


def median(function: Callable[[], object]) -> float:
    """Measure the median seconds of a call."""
    function()
    seconds = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def lack_of_room(folder: Path, records: int) -> str:
    """Return a sentence if the disk has too little room for so many records, even small ones; else empty."""
    needed = records * _ON_DISK // 3
    if _fits(folder, needed):
        return ""
    free = shutil.disk_usage(folder).free
    return f"{records:,} records need about {needed / 1e9:.0f} GB and {folder} has {free / 1e9:.0f}"


def _fits(folder: Path, size: int) -> bool:
    return shutil.disk_usage(folder).free > size
