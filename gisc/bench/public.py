"""`manage.py bench --public`: measure the public search, and what a crowd on the public pages costs the harvesters.

Searches are asked over one connection. Then `/oai` is asked over one connection, alone and while 32 others send searches,
or ask for the status of harvesting, as fast as they are answered; what counts is the ratio of the two figures of one run.
Needs an empty catalogue, as `gisc.bench.catalogue` does. Results: docs/benchmarks.md.
"""

import html
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import requests
from django.conf import settings

from catalogue import oai
from catalogue.models import Description
from catalogue.pages import interfaces
from gisc.bench import copies, provider, servers
from gisc.bench.catalogue import Row
from gisc.bench.provider import Measured
from gisc.bench.servers import Server

_ROUNDS = 3
_SECONDS = 4.0
_CROWD = 32
_PAGES = 20  # of the list of `/oai`
_WORDS = 8  # of each kind of search
_BOXES = 40
_TURNS = 50


def run(folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None]) -> list[Row]:
    """Load so many records and measure."""
    copies.fill(folder, records, processes, small=small, say=say)
    searches = _searches()
    with servers.node(settings.GISC_WEB_WORKERS, cached=settings.GISC_READY_RECORDS) as node:
        say("searching ...")
        rows = [_measured(folder, node, what, paths) for what, paths in searches.items()]
        rows.append(_deep(folder, node, searches["search, many hits"]))
        crowds = {"searches": [path for paths in searches.values() for path in paths], "/harvest/": ["/harvest/"]}
        for what, paths in crowds.items():
            say(f"/oai beside {_CROWD} connections to {what} ...")
            rows += _beside(folder, node, what, paths)
    return rows


def _searches() -> dict[str, list[str]]:
    """Return the paths of searches by kind, made of words of the records."""
    texts = Description.objects.order_by("record_id").values_list("title", "abstract")[:2000]
    words = Counter(
        word
        for title, abstract in texts
        for word in sorted(set(re.findall(r"[a-z]{5,}", f"{title} {abstract}".lower())))
    )
    common = [word for word, _ in words.most_common(_WORDS)]
    rare = sorted(words, key=words.__getitem__)[:_WORDS]
    kinds = {
        "search without a hit": [f"zzz{word}" for word in rare],
        "search, many hits": common,
        "search, beginning of a word": [word[:4] for word in (*common[: _WORDS // 2], *rare[: _WORDS // 2])],
        "search, few hits": rare,
    }
    paths = {what: [f"/?q={quote(word)}" for word in found] for what, found in kinds.items()}
    chooser = random.Random(1)
    boxes = [
        {"west": west, "south": south, "east": west + width, "north": south + width / 2}
        for west, south, width in (
            (chooser.randrange(-180, 90), chooser.randrange(-60, 30), chooser.choice([5, 20, 60, 90]))
            for _ in range(_BOXES)
        )
    ]
    asked = [
        {"q": word, **box, "begins": chooser.randrange(1950, 2000), "ends": chooser.randrange(2001, 2020)}
        for word, box in zip([*common, *rare] * _BOXES, boxes, strict=False)
    ]
    in_titles = [word for title, _ in texts for word in re.findall(r"[a-z]{5,}", title.lower())]
    natural = [each | {"q": chooser.choice(in_titles)} for each in asked[:_BOXES]]  # as often as titles have them
    paths["search, word of a title + box + time, with facets"] = [f"/?{urlencode(each)}" for each in natural]
    paths["feed, word of a title + box + time, without facets"] = [f"/feed.atom?{urlencode(each)}" for each in natural]
    paths["search, text + box + time, with facets"] = [f"/?{urlencode(each)}" for each in asked]
    paths["feed, text + box + time, without facets"] = [f"/feed.atom?{urlencode(each)}" for each in asked]
    paths["OGC API - Records, text + box + time"] = [
        f"/ogcapi/collections/{oai.CATALOGUE_SET}/items?{urlencode(_as_parameters(each))}" for each in asked
    ]
    paths["SRU searchRetrieve, text + box + time"] = [f"/sru?{urlencode(_as_cql(each))}" for each in asked]
    if interfaces.is_offered(interfaces.CSW):
        paths["CSW GetRecords, text + box + time"] = [f"/csw?{urlencode(_as_csw(each))}" for each in asked]
    paths["GeoDCAT-AP, a page of 100"] = [f"/dcat/catalog.ttl?q={quote(word)}" for word in common]
    paths["site map, a part"] = ["/sitemap-0.xml"]
    return paths


def _as_parameters(asked: dict[str, Any]) -> dict[str, str]:
    """Return the same search for OGC API - Records."""
    return {
        "q": asked["q"],
        "bbox": ",".join(str(asked[side]) for side in ("west", "south", "east", "north")),
        "datetime": f"{asked['begins']}-01-01/{asked['ends']}-12-31",
    }


def _as_cql(asked: dict[str, Any]) -> dict[str, str]:
    """Return the same search for SRU."""
    box = " ".join(str(asked[side]) for side in ("west", "south", "east", "north"))
    query = f'{asked["q"]} and wis.box = "{box}" and wis.time = "{asked["begins"]}/{asked["ends"]}"'
    return {"operation": "searchRetrieve", "version": "1.2", "recordSchema": "dc", "query": query}


def _as_csw(asked: dict[str, Any]) -> dict[str, str]:
    """Return the same search for CSW."""
    box = ", ".join(str(asked[side]) for side in ("west", "south", "east", "north"))
    constraint = (
        f"csw:AnyText LIKE '%{asked['q']}%' AND BBOX(ows:BoundingBox, {box})"
        f" AND apiso:TempExtent_begin <= '{asked['ends']}-12-31' AND apiso:TempExtent_end >= '{asked['begins']}-01-01'"
    )
    usual = {"service": "CSW", "version": "2.0.2", "request": "GetRecords", "typeNames": "csw:Record"}
    return usual | {"resultType": "results", "constraintLanguage": "CQL_TEXT", "constraint": constraint}


def _measured(folder: Path, node: Server, what: str, paths: list[str]) -> Row:
    measured = Measured()
    for path in paths:
        requests.get(f"http://127.0.0.1:{node.port}{path}", timeout=60)
    for _ in range(_ROUNDS):
        provider.run_round(folder, node, paths, 1, "identity", measured, seconds=_SECONDS / 2)
    return provider.figures(what, measured, None)


def _deep(folder: Path, node: Server, paths: list[str]) -> Row:
    """Measure pages far behind the first, beside it."""
    deep, first = Measured(), Measured()
    found = [_turned(node, path) for path in paths]
    for _ in range(_ROUNDS):
        provider.run_round(folder, node, paths, 1, "identity", first, seconds=_SECONDS / 2)
        provider.run_round(folder, node, found, 1, "identity", deep, seconds=_SECONDS / 2)
    row = provider.figures(f"search, many hits, page {_TURNS + 1}", deep, None)
    ratio = deep.percentile_ms(0.95) / first.percentile_ms(0.95)
    return Row(row.what, row.figure, f"p95 {first.percentile_ms(0.95):,.1f} ms: the first page", f"{ratio:.2f}")


def _turned(node: Server, path: str) -> str:
    """Return the path of a page so many pages after the first of a search, or of its last."""
    for _ in range(_TURNS):
        answer = requests.get(f"http://127.0.0.1:{node.port}{path}", timeout=60)
        answer.raise_for_status()
        found = re.search(r'rel="next nofollow" href="([^"]+)"', answer.text)
        if found is None:
            return path
        path = html.unescape(found[1])
    return path


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
