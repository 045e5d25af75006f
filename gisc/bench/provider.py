"""`manage.py bench --provider`: measure the answers of `/oai`, and compare with a minimal WSGI program.

That program is `$GISC_SHARED/bench/raw_wsgi.py` (default `../shared`): it only selects a page of plain texts by key and
puts an envelope around it. It has the same records, workers and clients, and is measured in turn with the node. If it is
missing, there are no ratios. Needs an empty catalogue, as `gisc.bench.catalogue` does. Results: docs/benchmarks.md.
"""

import io
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection
from isal import isal_zlib

from catalogue import datestamps
from catalogue.payloads import payload
from catalogue.reading import lists
from catalogue.reading.lists import ListPosition, Window
from gisc.bench import catalogue, servers
from gisc.bench.catalogue import Row
from gisc.bench.servers import Server
from oaiprovider.protocol import compression

_CONNECTIONS = (1, 8, 32)
_ROUNDS = 3
_SECONDS = 3.0
_PAGES_FOR_MEMORY = (100, 10_000)
_MAX_CACHED = 100_000  # records in the record cache: half a gigabyte in each worker
_BARE_TABLE = "limit_text_plain"  # raw_wsgi.py reads this table
_TOKEN = re.compile(rb"<resumptionToken[^>]*>([^<]+)</resumptionToken>")
_IDENTIFIER = re.compile(rb"<identifier>([^<]+)</identifier>")


@dataclass(slots=True)
class Measured:
    """The rounds of one measurement: answers a second of each round, and the seconds of each answer."""

    rates: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    def percentile_ms(self, share: float) -> float:
        return sorted(self.took)[int(len(self.took) * share)] * 1000


def run(folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None]) -> list[Row]:
    """Load so many records and measure everything."""
    archive = folder / "records.tar"
    say(f"making and loading {records:,} records ...")
    made_from = catalogue.make(archive, records, small=small)
    size = archive.stat().st_size
    catalogue.load(archive, processes)
    archive.unlink()
    say(f"{made_from}, {size / records:,.0f} bytes each with the archive's own; copying them into a bare table ...")
    _copy_plain()
    with ExitStack() as stack:
        raw = servers.raw(stack, page=settings.GISC_PAGE_RECORDS)
        raw_headers = servers.raw(stack, page=settings.GISC_PAGE_HEADERS)
        node = stack.enter_context(servers.node(settings.GISC_WEB_WORKERS, cached=0))
        caching = stack.enter_context(servers.node(settings.GISC_WEB_WORKERS, cached=min(records, _MAX_CACHED)))
        rows = []
        say("walking the lists ...")
        walks = {server.name: _walk(server, "ListRecords") for server in (node, raw) if server}
        walks["cached"] = _walk(caching, "ListRecords", _from_latest(_MAX_CACHED))
        for connections in _CONNECTIONS:
            say(f"ListRecords over {connections} connections ...")
            rows += list(_records(folder, walks, node, caching, raw, connections))
        say("ListIdentifiers, GetRecord, positions in a list ...")
        rows += list(_headers(folder, node, raw_headers))
        rows.append(_single(folder, node))
        rows += list(_positions(folder, node, walks[node.name]))
        rows.append(_registers())
    say("memory ...")
    with servers.node(1, cached=settings.GISC_READY_RECORDS) as alone:
        rows += list(_memory(folder, alone))
    return rows


def whole_list(say: Callable[[str], None]) -> list[Row]:
    """Have one client read the whole list; measure the memory of the only worker after few pages and at the end."""
    say("walking the whole list ...")
    with servers.node(1, cached=settings.GISC_READY_RECORDS) as node:
        memory: list[float] = []
        took: list[float] = []
        started = time.perf_counter()
        for _ in pages(node, "ListRecords"):
            took.append(time.perf_counter() - started)
            if len(took) == _PAGES_FOR_MEMORY[0]:
                memory.append(node.process.children()[0].memory_info().rss)
            started = time.perf_counter()
        memory.append(node.process.children()[0].memory_info().rss)
    few = f"{memory[0] / 2**20:,.0f} MiB after {_PAGES_FOR_MEMORY[0]} pages" if len(memory) > 1 else ""
    ratio = f"{memory[-1] / memory[0]:.2f}" if few else ""
    middle = len(took) // 2
    return [
        Row(f"memory of a worker after a walk of {len(took):,} pages", f"{memory[-1] / 2**20:,.0f} MiB", few, ratio),
        Row(
            "a page of that walk, second half",
            f"{statistics.median(took[middle:]) * 1000:.1f} ms",
            f"{statistics.median(took[: middle or 1]) * 1000:.1f} ms: first half",
            f"{statistics.median(took[middle:]) / statistics.median(took[: middle or 1]):.2f}",
        ),
    ]


# --- The work ---------------------------------------------------------------------------------------


def _from_latest(records: int) -> str:
    """Return the argument `from` that limits a list to at most so many of the latest records; empty if not needed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT datestamp FROM catalogue_record ORDER BY datestamp DESC OFFSET %s LIMIT 1", [records])
        found = cursor.fetchone()
    return f"&from={datestamps.write(found[0] + timedelta(seconds=1))}" if found else ""


def _walk(server: Server, verb: str, narrowed: str = "") -> list[str]:
    """Return the path of every page of a list."""
    return list(pages(server, verb, narrowed))


def pages(server: Server, verb: str, narrowed: str = "") -> Iterator[str]:
    """Yield the path of one page after the other, each after its answer."""
    path = f"{server.base}?verb={verb}&metadataPrefix=iso19139{narrowed}"
    while path:
        token = _TOKEN.search(servers.get(server, path)[-4000:])
        yield path
        path = f"{server.base}?verb={verb}&resumptionToken={quote(token[1].decode())}" if token else ""


def run_round(
    folder: Path,
    server: Server,
    paths: list[str],
    connections: int,
    encoding: str,
    into: Measured,
    seconds: float = _SECONDS,
) -> int:
    """Run one round and add its figures to `into`; return the number of answers."""
    file = folder / "paths.txt"
    file.write_text("\n".join(paths), encoding="ascii")
    result = json.loads(
        subprocess.run(
            client_command(server, connections, seconds, encoding, file),
            cwd=settings.BASE_DIR,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
    )
    if result["refused"]:
        raise RuntimeError(f"{result['refused']} requests were answered with 503")
    into.rates.append(len(result["took"]) / result["seconds"])
    into.took += result["took"]
    return len(result["took"])


def client_command(server: Server, connections: int, seconds: float, encoding: str, file: Path) -> list[str]:
    """Return the command that asks for the paths in `file`."""
    program = [sys.executable, "-m", "gisc.bench.clients", "127.0.0.1", str(server.port)]
    return [*program, str(connections), str(seconds), encoding, str(file)]


def _records(
    folder: Path, walks: dict[str, list[str]], node: Server, caching: Server, raw: Server | None, connections: int
) -> Iterator[Row]:
    """Measure ListRecords in turn: raw program, node, node with gzip, and node with gzip and a full record cache."""
    plain, packed, cached, bare = Measured(), Measured(), Measured(), Measured()
    _fill_caches(folder, caching, walks["cached"])
    for _ in range(_ROUNDS):
        if raw:
            run_round(folder, raw, walks[raw.name], connections, "identity", bare)
        run_round(folder, node, walks[node.name], connections, "identity", plain)
        run_round(folder, node, walks[node.name], connections, "gzip", packed)
        run_round(folder, caching, walks["cached"], connections, "gzip", cached)
    what = f"ListRecords, {connections} connection{'s' * (connections > 1)}"
    if raw:
        yield figures(f"{what}: raw plain program", bare, None)
    yield figures(f"{what}: plain", plain, bare if raw else None)
    yield figures(f"{what}: gzip, asked for once", packed, bare if raw else None)
    yield figures(f"{what}: gzip, asked for again", cached, bare if raw else None)


def _fill_caches(folder: Path, caching: Server, paths: list[str]) -> None:
    """Send so many requests that each worker has most probably answered every page."""
    answers = 0
    while answers < 4 * settings.GISC_WEB_WORKERS * len(paths):
        answers += run_round(folder, caching, paths, 8, "gzip", Measured())


def _headers(folder: Path, node: Server, raw: Server | None) -> Iterator[Row]:
    work = [(server, _walk(server, "ListIdentifiers")) for server in (node, raw) if server]
    measured, bare = Measured(), Measured()
    for _ in range(_ROUNDS):
        for server, paths in work:
            run_round(folder, server, paths, 8, "identity", measured if server is node else bare)
    what = f"ListIdentifiers, {settings.GISC_PAGE_HEADERS:,} a page, 8 connections"
    if raw:
        yield figures(f"{what}: raw plain program", bare, None)
    yield figures(f"{what}: plain", measured, bare if raw else None)


def _single(folder: Path, node: Server) -> Row:
    page = servers.get(node, f"{node.base}?verb=ListIdentifiers&metadataPrefix=iso19139")
    query = f"{node.base}?verb=GetRecord&metadataPrefix=iso19139&identifier="
    measured = Measured()
    paths = [query + quote(identifier.decode(), safe="") for identifier in _IDENTIFIER.findall(page)]
    for _ in range(_ROUNDS):
        run_round(folder, node, paths, 8, "identity", measured)
    return figures("GetRecord, 8 connections: plain", measured, None)


def _positions(folder: Path, node: Server, paths: list[str]) -> Iterator[Row]:
    """Measure the same page over one connection, at several positions in turn."""
    positions = {"second page": 1, "page at 50 %": len(paths) // 2, "last full page": max(1, len(paths) - 2)}
    measured = {"first page, with the count": Measured()} | {name: Measured() for name in positions}
    for _ in range(_ROUNDS):
        for name, into in measured.items():
            run_round(folder, node, [paths[positions.get(name, 0)]], 1, "identity", into, seconds=1.0)
    for name, each in measured.items():
        yield figures(f"ListRecords, {name}: plain", each, None)


def _registers() -> Row:
    """Measure unpacking of a page after ISA-L was used, with and without `catalogue.payloads.gzip_registers`."""
    rows = lists.page(Window(None, None, lists.instant()), after=None, size=100, payloads=True)
    packed = [row.packed for row in rows if row.packed is not None]
    compression.piece(bytes(4096))
    cleared_s = catalogue.median(lambda: [*map(payload.unpack, packed)])
    isal_zlib.crc32(bytes(4096))
    uncleared_s = catalogue.median(lambda: [*map(payload.unpack, packed)])
    compression.piece(bytes(4096))
    return Row(
        "unpacking the payloads of a page, after gzip",
        f"{cleared_s * 1000:.2f} ms",
        f"{uncleared_s * 1000:.2f} ms: registers as ISA-L leaves them",
        f"{uncleared_s / cleared_s:.2f}",
    )


def _memory(folder: Path, node: Server) -> Iterator[Row]:
    """Measure the resident memory of the only worker after few pages and after many, half of them compressed."""
    paths, done = _walk(node, "ListRecords"), 0
    for enough in _PAGES_FOR_MEMORY:
        while done < enough:
            for encoding in ("identity", "gzip"):
                done += run_round(folder, node, paths, 8, encoding, Measured(), seconds=0.3 if enough < 1000 else 5)
        resident = node.process.children()[0].memory_info().rss
        yield Row(f"memory of a worker after {done:,} pages", f"{resident / 2**20:,.0f} MiB")


def figures(what: str, measured: Measured, beside: Measured | None) -> Row:
    return Row(
        what,
        f"{measured.rate:,.0f}/s, p50 {measured.percentile_ms(0.5):,.1f} ms, p95 {measured.percentile_ms(0.95):,.1f} ms",
        f"{beside.rate:,.0f}/s: raw plain program" if beside else "",
        f"{measured.rate / beside.rate:.2f}" if beside else "",
    )


# --- The bare table ---------------------------------------------------------------------------------


def _copy_plain() -> None:
    """Copy the records as plain texts into a table with a key and an index in list order."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE {_BARE_TABLE} (id bigint PRIMARY KEY, identifier text NOT NULL, datestamp timestamptz(0) NOT NULL,"
            " set_spec text NOT NULL, payload text STORAGE EXTERNAL)"
        )
        position: ListPosition | None = None
        window = Window(None, None, lists.instant())
        while rows := lists.page(window, after=position, size=500, payloads=True):
            position = rows[-1].position
            lines = (
                "\t".join(
                    map(
                        _escaped_for_copy,
                        (
                            str(row.position.pk),
                            row.identifier,
                            row.position.datestamp.isoformat(),
                            row.set_specs[-1],
                            (row.payload or b"").decode(),
                        ),
                    )
                )
                for row in rows
            )
            cursor.copy_expert(f"COPY {_BARE_TABLE} FROM STDIN", io.StringIO("\n".join(lines) + "\n"))
        cursor.execute(f"CREATE INDEX ON {_BARE_TABLE} (datestamp, id)")
        cursor.execute("VACUUM ANALYZE")


def _escaped_for_copy(text: str) -> str:
    """Escape a value for the text format of COPY."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
