"""`manage.py bench --pycsw PYTHON`: searches for a word and a box, in process, beside those of pycsw's own repository.

Both have the same records, in one run, and answer the first 20 hits with their number. PYTHON has pycsw (`pycsw_peer.py`); it keeps
its records in SQLite, as its installation does. Needs an empty catalogue. Results: docs/benchmarks.md.
"""

import json
import random
import re
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from django.db import connection

from catalogue.documents import sources
from catalogue.models import Description, Record
from catalogue.reading.query import conditions
from catalogue.reading.query.search import Query, Search
from gisc.bench import catalogue
from gisc.bench.catalogue import Row

_PEER = Path(__file__).with_name("pycsw_peer.py")
_QUESTIONS = 60
_PAGE = 20
_ROUNDS = 3


def run(
    folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None], python: str
) -> list[Row]:
    """Load so many records into both, and measure."""
    archive = folder / "records.tar"
    say(f"making and loading {records:,} records ...")
    catalogue.make(archive, records, small=small)
    catalogue.load(archive, processes)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    say("loading them into pycsw ...")
    files = folder / "xml"
    files.mkdir()
    for number, document in enumerate(sources.documents([archive])):
        (files / f"{number:07d}.xml").write_bytes(document.content)
    asked = _questions()
    done = subprocess.run(
        [python, "-P", _PEER, files, folder / "pycsw.db", str(_ROUNDS)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"pycsw could not be asked:\n{done.stderr[-2000:]}")
    theirs = [tuple(each) for each in json.loads(done.stdout.splitlines()[-1])]
    ours = [min(_ask(*each) for _ in range(_ROUNDS)) for each in asked]
    return [
        _row("pycsw's repository (SQLite), text + box", [took for took, _hits in theirs], sum(n for _, n in theirs)),
        _row(
            "search, text + box", [took for took, _hits in ours], sum(n for _, n in ours), [took for took, _ in theirs]
        ),
    ]


def _questions() -> list[tuple[str, float, float, float, float]]:
    """Return words of titles, as often as titles have them, each with a box."""
    chooser = random.Random(1)
    titles = Description.objects.order_by("record_id").values_list("title", flat=True)
    words = Counter(word for title in titles for word in set(re.findall(r"[a-z]{5,}", title.lower())))
    chosen = chooser.choices(list(words), list(words.values()), k=_QUESTIONS)
    boxes = ((chooser.randrange(-180, 90), chooser.randrange(-60, 30), chooser.choice([5, 20, 60, 90])) for _ in chosen)
    return [
        (word, west, south, west + width, south + width / 2)
        for word, (west, south, width) in zip(chosen, boxes, strict=True)
    ]


def _ask(word: str, west: float, south: float, east: float, north: float) -> tuple[float, int]:
    """Search, count and read the page, as the API does; return milliseconds and hits."""
    began = time.perf_counter()
    search = Search(Query(conditions.All((conditions.Words(word), conditions.Meets(west, south, east, north)))))
    found = Record.objects.select_related("description").in_bulk(search.page(_PAGE).keys)
    hits = search.count().number
    assert len(found) <= _PAGE
    return (time.perf_counter() - began) * 1000, hits


def _row(what: str, times: list[float], hits: int, others: list[float] | None = None) -> Row:
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    ratio = f"{p50 / statistics.median(others):.3f}" if others else ""
    return Row(what, f"p50 {p50:,.1f} ms, p95 {p95:,.1f} ms", f"{hits:,} hits in all", ratio)
