"""`manage.py bench --harvest`: measure a harvest of a whole list, and compare with Sickle reading the same list.

The provider is a node of ours: a real gunicorn, with the records of `gisc.bench.catalogue`. The harvester is a process
with its own embedded database (`gisc.bench.worker`), so that its use of PostgreSQL is measured separately. Sickle gets
the same records and stores nothing; if it is not installed, there are no ratios. Results: docs/benchmarks.md.
"""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
from django.conf import settings

from catalogue import bootstrap
from gisc.bench import catalogue
from gisc.bench.catalogue import Row
from gisc.bench.servers import node as provider

_NAME = "WIS-GISC-HARVESTER"  # GISC_NAME of the node that harvests


def run(folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None]) -> list[Row]:
    """Load so many records into the provider, harvest them into an empty node, and then once more."""
    archive = folder / "records.tar"
    say(f"making and loading {records:,} records ...")
    catalogue.make(archive, records, small=small)
    catalogue.load(archive, processes)
    archive.unlink()
    with provider(settings.GISC_WEB_WORKERS, cached=settings.GISC_READY_RECORDS) as server:
        url_and_set = (f"http://127.0.0.1:{server.port}{server.base}", bootstrap.own_set().spec)
        environment = _environment(folder)
        _run_module("gisc.bench.worker", ["prepare", *url_and_set], environment)
        walks, harvests = [], []
        for what in ("into an empty node", "the same again"):
            say("walking the list with Sickle ...")
            walks += _walk(url_and_set)
            say(f"harvesting it, {what} ...")
            harvests.append(_run_module("gisc.bench.worker", ["harvest"], environment))
        walks += _walk(url_and_set)
    _check(harvests, records)
    return list(_rows(harvests, walks, records))


def _environment(folder: Path) -> dict[str, str]:
    own = folder / "harvester"
    return {
        "GISC_NAME": _NAME,
        "GISC_DATA_DIR": str(own),
        "GISC_JOURNAL_DIR": str(own / "journal"),
        "LOG_LEVEL": "ERROR",
    }


def _walk(url_and_set: Sequence[str]) -> list[dict[str, Any]]:
    """Measure Sickle reading the list; empty if Sickle is not installed."""
    if importlib.util.find_spec("sickle") is None:
        return []
    return [_run_module("gisc.bench.sickle", url_and_set, {})]


def _run_module(module: str, arguments: Sequence[str], environment: dict[str, str]) -> dict[str, Any]:
    """Run a module in another process and return the JSON object that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=settings.BASE_DIR,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _check(harvests: Sequence[dict[str, Any]], records: int) -> None:
    new, unchanged = harvests
    if (new["state"], new["new"], unchanged["state"], unchanged["unchanged"]) != ("done", records, "done", records):
        raise RuntimeError(f"{records} records should be new, and then unchanged: {new}, {unchanged}")


def _rows(harvests: Sequence[dict[str, Any]], walks: Sequence[dict[str, Any]], records: int) -> Iterator[Row]:
    for number, walk in enumerate(walks, 1):
        yield Row(
            f"Sickle walks the list, {number} of {len(walks)}",
            f"{records / walk['seconds']:,.0f}/s",
            f"{_each(walk['cpu_s'], records)} of CPU, peak {walk['peak_mib']:,.0f} MiB",
        )
    for what, harvest, beside in zip(("new records", "all unchanged"), harvests, (walks[:2], walks[1:]), strict=True):
        rate = records / harvest["seconds"]
        if beside:  # the walks before and after
            walked = len(beside) * records / sum(walk["seconds"] for walk in beside)
            yield Row(
                f"harvest, {what}",
                f"{rate:,.0f}/s",
                f"{walked:,.0f}/s: Sickle walks, no storage",
                f"{rate / walked:.2f}",
            )
        else:
            yield Row(f"harvest, {what}", f"{rate:,.0f}/s")
        took = f"{_each(harvest['cpu_s'] + harvest['helpers_cpu_s'], records)}"
        yield Row(f"harvest, {what}: CPU of the worker", took, *_beside_cpu(harvest, beside, records))
        yield Row(f"harvest, {what}: CPU of its PostgreSQL", _each(harvest["database_cpu_s"], records))
        early = f"{harvest['early_mib']:,.0f} MiB after {harvest['early_pages']:,} pages"
        yield Row(
            f"harvest, {what}: peak memory of the worker after {harvest['pages']:,} pages",
            f"{harvest['peak_mib']:,.0f} MiB",
            early,
            f"{harvest['peak_mib'] / harvest['early_mib']:.2f}",
        )
    load = ", ".join(f"{each:.1f}" for each in psutil.getloadavg())
    yield Row("load average at the end: 1, 5, 15 minutes", load)


def _beside_cpu(harvest: dict[str, Any], beside: Sequence[dict[str, Any]], records: int) -> tuple[str, str]:
    if not beside:
        return "", ""
    walked = sum(walk["cpu_s"] for walk in beside) / len(beside)
    return f"{_each(walked, records)}: Sickle", f"{(harvest['cpu_s'] + harvest['helpers_cpu_s']) / walked:.2f}"


def _each(seconds: float, records: int) -> str:
    return f"{seconds / records * 1000:.3f} ms a record"
