"""`manage.py bench --shared-cache`: measure pages of a list that come from the cache of nginx, beside nginx that keeps none.

Needs nginx (Debian's nginx-light) and an empty catalogue. Results: docs/benchmarks.md.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.translation import gettext

from gisc.bench import catalogue, servers
from gisc.bench.catalogue import Row
from gisc.bench.provider import Measured, figures, pages, run_round
from gisc.bench.servers import Server

_ROUNDS = 3
_CONNECTIONS = 8


def run(folder: Path, *, records: int, processes: int, small: bool, say: Callable[[str], None]) -> list[Row]:
    """Load so many records, and have the same list read through both, in turn."""
    if servers.NGINX is None:
        raise CommandError(gettext("nginx is not installed; Debian's package is nginx-light."))
    archive = folder / "records.tar"
    say(f"making and loading {records:,} records ...")
    catalogue.make(archive, records, small=small)
    catalogue.load(archive, processes)
    archive.unlink()
    say("waiting for the end of the minute, with which a shared list ends ...")
    time.sleep(61)
    workers, cached = settings.GISC_WEB_WORKERS, settings.GISC_READY_RECORDS
    with (
        tempfile.TemporaryDirectory(prefix="gisc-nginx-") as one,
        tempfile.TemporaryDirectory(prefix="gisc-nginx-") as other,
        servers.node(workers, cached=cached, GISC_SHARED_CACHE="True") as node,
        servers.nginx(Path(one), node, cached=False) as plain,
        servers.nginx(Path(other), node, cached=True) as keeping,
    ):
        say("reading the list ...")
        paths = list(pages(node, "ListRecords"))[1:]
        if not paths:
            raise CommandError(gettext("The list has one page; write a larger number of records."))
        return [row for encoding in ("gzip", "identity") for row in _compare(folder, plain, keeping, paths, encoding)]


def _compare(folder: Path, plain: Server, keeping: Server, paths: list[str], encoding: str) -> list[Row]:
    without, with_cache = Measured(), Measured()
    run_round(
        folder, keeping, paths, _CONNECTIONS, encoding, Measured()
    )  # fills the cache, if the list is not too long
    for _ in range(_ROUNDS):
        run_round(folder, plain, paths, _CONNECTIONS, encoding, without)
        run_round(folder, keeping, paths, _CONNECTIONS, encoding, with_cache)
    what = f"ListRecords, {len(paths):,} pages that continue a list, {_CONNECTIONS} connections, {encoding}"
    faster = replace(
        figures(f"{what}: nginx with it", with_cache, None),
        limit=f"{without.rate:,.0f}/s: without",
        ratio=f"{with_cache.rate / without.rate:.1f}",
    )
    return [figures(f"{what}: nginx without a cache", without, None), faster]
