"""`manage.py bench --provider`: what `/oai` serves in a second, side by side with the least a WSGI program can do.

That program is `$GISC_SHARED/bench/raw_wsgi.py` (default `../shared`): it selects a page of plain texts by key, puts an
envelope around it and knows nothing else; it has the same records, workers and clients, in turn with the node. Where it is
absent, there are no ratios. Runs on a catalogue that is thrown away, as `gisc.bench.catalogue` does. Results: docs/benchmarks.md.
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
_MOST_READY = 100_000  # records that are kept ready at once: half a gigabyte in each worker
_BARE = "limit_text_plain"  # where raw_wsgi.py looks
_TOKEN = re.compile(rb"<resumptionToken[^>]*>([^<]+)</resumptionToken>")
_IDENTIFIER = re.compile(rb"<identifier>([^<]+)</identifier>")


@dataclass(slots=True)
class Measured:
    """What the rounds of one measurement gave: answers a second, and the milliseconds of each."""

    rates: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    def at(self, share: float) -> float:
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
        node = stack.enter_context(servers.node(settings.GISC_WEB_WORKERS, ready=0))
        keeper = stack.enter_context(servers.node(settings.GISC_WEB_WORKERS, ready=min(records, _MOST_READY)))
        rows = []
        say("walking the lists ...")
        walks = {server.name: _walk(server, "ListRecords") for server in (node, raw) if server}
        walks["kept"] = _walk(keeper, "ListRecords", _latest(_MOST_READY))
        for connections in _CONNECTIONS:
            say(f"ListRecords over {connections} connections ...")
            rows += list(_records(folder, walks, node, keeper, raw, connections))
        say("ListIdentifiers, GetRecord, places of a list ...")
        rows += list(_headers(folder, node, raw_headers))
        rows.append(_single(folder, node))
        rows += list(_places(folder, node, walks[node.name]))
        rows.append(_registers())
    say("memory ...")
    with servers.node(1, ready=settings.GISC_READY_RECORDS) as alone:
        rows += list(_memory(folder, alone))
    return rows


def whole_list(say: Callable[[str], None]) -> list[Row]:
    """One client walks the whole list; the memory of the one worker after few pages, and at the end."""
    say("walking the whole list ...")
    with servers.node(1, ready=settings.GISC_READY_RECORDS) as node:
        memory: list[float] = []
        took: list[float] = []
        begun = time.perf_counter()
        for _ in _pages(node, "ListRecords"):
            took.append(time.perf_counter() - begun)
            if len(took) == _PAGES_FOR_MEMORY[0]:
                memory.append(node.process.children()[0].memory_info().rss)
            begun = time.perf_counter()
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


def _latest(records: int) -> str:
    """The argument that narrows a list to at most so many of the records, the latest; empty where there are no more."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT datestamp FROM catalogue_record ORDER BY datestamp DESC OFFSET %s LIMIT 1", [records])
        found = cursor.fetchone()
    return f"&from={datestamps.write(found[0] + timedelta(seconds=1))}" if found else ""


def _walk(server: Server, verb: str, narrowed: str = "") -> list[str]:
    """The address of every page of a list."""
    return list(_pages(server, verb, narrowed))


def _pages(server: Server, verb: str, narrowed: str = "") -> Iterator[str]:
    """The address of one page after the other, each when it has come."""
    path = f"{server.base}?verb={verb}&metadataPrefix=iso19139{narrowed}"
    while path:
        token = _TOKEN.search(servers.get(server, path)[-4000:])
        yield path
        path = f"{server.base}?verb={verb}&resumptionToken={quote(token[1].decode())}" if token else ""


def _ask(
    folder: Path,
    server: Server,
    paths: list[str],
    connections: int,
    encoding: str,
    into: Measured,
    seconds: float = _SECONDS,
) -> int:
    """One round; the number of answers."""
    file = folder / "paths.txt"
    file.write_text("\n".join(paths), encoding="ascii")
    command = [sys.executable, "-m", "gisc.bench.clients", "127.0.0.1", str(server.port)]
    told = json.loads(
        subprocess.run(
            [*command, str(connections), str(seconds), encoding, str(file)],
            cwd=settings.BASE_DIR,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
    )
    into.rates.append(len(told["took"]) / told["seconds"])
    into.took += told["took"]
    return len(told["took"])


def _records(
    folder: Path, walks: dict[str, list[str]], node: Server, keeper: Server, raw: Server | None, connections: int
) -> Iterator[Row]:
    """ListRecords in turn: raw, node, node with gzip, and one that has kept the records since they were last asked for."""
    plain, packed, kept, bare = Measured(), Measured(), Measured(), Measured()
    _fill(folder, keeper, walks["kept"])
    for _ in range(_ROUNDS):
        if raw:
            _ask(folder, raw, walks[raw.name], connections, "identity", bare)
        _ask(folder, node, walks[node.name], connections, "identity", plain)
        _ask(folder, node, walks[node.name], connections, "gzip", packed)
        _ask(folder, keeper, walks["kept"], connections, "gzip", kept)
    what = f"ListRecords, {connections} connection{'s' * (connections > 1)}"
    if raw:
        yield _row(f"{what}: raw plain program", bare, None)
    yield _row(f"{what}: plain", plain, bare if raw else None)
    yield _row(f"{what}: gzip, asked for once", packed, bare if raw else None)
    yield _row(f"{what}: gzip, asked for again", kept, bare if raw else None)


def _fill(folder: Path, keeper: Server, paths: list[str]) -> None:
    """Ask until each worker, whichever of them happens to answer, has most probably been asked for every page."""
    asked = 0
    while asked < 4 * settings.GISC_WEB_WORKERS * len(paths):
        asked += _ask(folder, keeper, paths, 8, "gzip", Measured())


def _headers(folder: Path, node: Server, raw: Server | None) -> Iterator[Row]:
    work = [(server, _walk(server, "ListIdentifiers")) for server in (node, raw) if server]
    ours, bare = Measured(), Measured()
    for _ in range(_ROUNDS):
        for server, paths in work:
            _ask(folder, server, paths, 8, "identity", ours if server is node else bare)
    what = f"ListIdentifiers, {settings.GISC_PAGE_HEADERS:,} a page, 8 connections"
    if raw:
        yield _row(f"{what}: raw plain program", bare, None)
    yield _row(f"{what}: plain", ours, bare if raw else None)


def _single(folder: Path, node: Server) -> Row:
    page = servers.get(node, f"{node.base}?verb=ListIdentifiers&metadataPrefix=iso19139")
    asked = f"{node.base}?verb=GetRecord&metadataPrefix=iso19139&identifier="
    measured = Measured()
    paths = [asked + quote(identifier.decode(), safe="") for identifier in _IDENTIFIER.findall(page)]
    for _ in range(_ROUNDS):
        _ask(folder, node, paths, 8, "identity", measured)
    return _row("GetRecord, 8 connections: plain", measured, None)


def _places(folder: Path, node: Server, paths: list[str]) -> Iterator[Row]:
    """One page again and again over one connection, at three places, in turn."""
    places = {"second page": 1, "page at 50 %": len(paths) // 2, "last full page": max(1, len(paths) - 2)}
    measured = {"first page, with the count": Measured()} | {name: Measured() for name in places}
    for _ in range(_ROUNDS):
        for name, into in measured.items():
            _ask(folder, node, [paths[places.get(name, 0)]], 1, "identity", into, seconds=1.0)
    for name, each in measured.items():
        yield _row(f"ListRecords, {name}: plain", each, None)


def _registers() -> Row:
    """How long it takes to unpack a page after ISA-L was used, with and without `catalogue.payloads.gzip_registers`."""
    rows = lists.page(Window(None, None, lists.instant()), after=None, size=100, payloads=True)
    packed = [row.packed for row in rows if row.packed is not None]
    compression.piece(bytes(4096))
    cleared = catalogue.median(lambda: [*map(payload.unpack, packed)])
    isal_zlib.crc32(bytes(4096))
    left = catalogue.median(lambda: [*map(payload.unpack, packed)])
    compression.piece(bytes(4096))
    return Row(
        "unpacking the payloads of a page, after gzip",
        f"{cleared * 1000:.2f} ms",
        f"{left * 1000:.2f} ms: registers as ISA-L leaves them",
        f"{left / cleared:.2f}",
    )


def _memory(folder: Path, node: Server) -> Iterator[Row]:
    """The resident memory of the one worker, after few pages and after many, half of them compressed."""
    paths, done = _walk(node, "ListRecords"), 0
    for wanted in _PAGES_FOR_MEMORY:
        while done < wanted:
            for encoding in ("identity", "gzip"):
                done += _ask(folder, node, paths, 8, encoding, Measured(), seconds=0.3 if wanted < 1000 else 5)
        resident = node.process.children()[0].memory_info().rss
        yield Row(f"memory of a worker after {done:,} pages", f"{resident / 2**20:,.0f} MiB")


def _row(what: str, measured: Measured, beside: Measured | None) -> Row:
    return Row(
        what,
        f"{measured.rate:,.0f}/s, p50 {measured.at(0.5):,.1f} ms, p95 {measured.at(0.95):,.1f} ms",
        f"{beside.rate:,.0f}/s: raw plain program" if beside else "",
        f"{measured.rate / beside.rate:.2f}" if beside else "",
    )


# --- The bare table ---------------------------------------------------------------------------------


def _copy_plain() -> None:
    """The records as plain texts, uncompressed, in a table with a key and an index in list order."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE {_BARE} (id bigint PRIMARY KEY, identifier text NOT NULL, datestamp timestamptz(0) NOT NULL,"
            " set_spec text NOT NULL, payload text STORAGE EXTERNAL)"
        )
        place: ListPosition | None = None
        window = Window(None, None, lists.instant())
        while rows := lists.page(window, after=place, size=500, payloads=True):
            place = rows[-1].position
            lines = (
                "\t".join(
                    map(
                        _copied,
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
            cursor.copy_expert(f"COPY {_BARE} FROM STDIN", io.StringIO("\n".join(lines) + "\n"))
        cursor.execute(f"CREATE INDEX ON {_BARE} (datestamp, id)")
        cursor.execute("VACUUM ANALYZE")


def _copied(text: str) -> str:
    """As COPY's text format has it."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
