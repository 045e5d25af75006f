"""`manage.py bench --public`: measure the public search, and what a crowd on the public pages costs the harvesters.

Searches are asked over one connection. Then `/oai` is asked over one connection, alone and while 32 others send searches,
or ask for the status of harvesting, as fast as they are answered; what counts is the ratio of the two figures of one run.
Needs an empty catalogue, as `gisc.bench.catalogue` does. Results: docs/benchmarks.md.
"""

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from catalogue.models import Description
from gisc.bench import catalogue, provider, servers
from gisc.bench.catalogue import Row
from gisc.bench.provider import Measured
from gisc.bench.servers import Server

_ROUNDS = 3
_SECONDS = 4.0
_CROWD = 32
_PAGES = 20  # of the list of `/oai`
_WORDS = 8  # of each kind of search


def run(folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None]) -> list[Row]:
    """Load so many records and measure."""
    archive = folder / "records.tar"
    say(f"making and loading {records:,} records ...")
    catalogue.make(archive, records, small=small)
    catalogue.load(archive, processes)
    archive.unlink()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    searches = _searches()
    with servers.node(settings.GISC_WEB_WORKERS, cached=settings.GISC_READY_RECORDS) as node:
        say("searching ...")
        rows = [_measured(folder, node, what, paths) for what, paths in searches.items()]
        crowds = {"searches": [path for paths in searches.values() for path in paths], "/harvest/": ["/harvest/"]}
        for what, paths in crowds.items():
            say(f"/oai beside {_CROWD} connections to {what} ...")
            rows += _beside(folder, node, what, paths)
    return rows


def _searches() -> dict[str, list[str]]:
    """Return the paths of searches by kind, made of words of the records."""
    texts = Description.objects.values_list("title", "abstract")[:2000]
    words = Counter(
        word for title, abstract in texts for word in set(re.findall(r"[a-z]{5,}", f"{title} {abstract}".lower()))
    )
    common = [word for word, _ in words.most_common(_WORDS)]
    rare = [word for word, number in words.items() if number == 1][:_WORDS]
    kinds = {
        "search without a hit": [f"zzz{word}" for word in rare],
        "search, many hits": common,
        "search, beginning of a word": [word[:4] for word in (*common[: _WORDS // 2], *rare[: _WORDS // 2])],
        "search, few hits": rare,
    }
    return {what: [f"/?q={quote(word)}" for word in found] for what, found in kinds.items()}


def _measured(folder: Path, node: Server, what: str, paths: list[str]) -> Row:
    measured = Measured()
    for _ in range(_ROUNDS):
        provider.run_round(folder, node, paths, 1, "identity", measured, seconds=_SECONDS / 2)
    return provider.figures(what, measured, None)


def _beside(folder: Path, node: Server, what: str, crowd_paths: list[str]) -> Iterator[Row]:
    """Measure `/oai` alone and beside a crowd, in turn."""
    pages = [path for path, _ in zip(provider.pages(node, "ListRecords"), range(_PAGES), strict=False)]
    alone, beside = Measured(), Measured()
    file = folder / "crowd.txt"
    file.write_text("\n".join(crowd_paths), encoding="ascii")
    for _ in range(_ROUNDS):
        provider.run_round(folder, node, pages, 1, "identity", alone, seconds=_SECONDS)
        crowd = subprocess.Popen(
            provider.client_command(node, _CROWD, _SECONDS + 2, "identity", file),
            cwd=settings.BASE_DIR,
            stdout=subprocess.DEVNULL,
        )
        provider.run_round(folder, node, pages, 1, "identity", beside, seconds=_SECONDS)
        if crowd.wait() != 0:
            raise RuntimeError(f"the crowd of {what} was answered wrongly")
    yield provider.figures("ListRecords of /oai, alone", alone, None)
    ratio = beside.percentile_ms(0.95) / alone.percentile_ms(0.95)
    row = provider.figures(f"ListRecords of /oai, beside {_CROWD} x {what}", beside, None)
    yield Row(row.what, row.figure, f"p95 {alone.percentile_ms(0.95):,.1f} ms: alone", f"{ratio:.2f}")
