"""`manage.py bench --year`: measure the pages that tell of links and runs, on a node that has run for long.

Links, runs, rejects and conflicts are made by SQL, as a year of harvesting leaves them, with what a node of that age may
have besides. Results: docs/benchmarks.md.
"""

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client

from catalogue import seams
from catalogue.models import MetadataSet, Record
from gisc.bench import catalogue, copies
from gisc.bench.catalogue import Row
from harvester.models import Link, Run
from harvester.rows import prune

_MOST_TICKS = 40  # a million runs take some hundreds: hours, at one tick each half minute
REPEATS = 40  # of each request; the 95th percentile is reported
PAGE_MS, METRICS_MS = 300, 200  # what is asked of the pages
# The runs of each link follow one another at equal intervals up to `until`. One in 40 compares, one in 300 of the others has failed,
# one in 50 has rejected a record; every one in 997 was started by hand.
_RUNS = """
    INSERT INTO harvester_run (
        link_id, state, purpose, trigger, begun, finished, strategy, phase, outcome, outcome_data, warnings, granularity,
        token, pages, restarts, listed, marked_token, fetched, received, new, updated, unchanged, deleted, rejected,
        missing, stale, extra, vanished, held_back, removed, beyond_ceiling, attempts, sealed_cookies, holder)
    SELECT link.id,
        CASE WHEN fails THEN 'failed' ELSE 'done' END,
        CASE WHEN n %% 40 = 7 THEN 'comparison' WHEN n %% 400 = 11 THEN 'content' ELSE 'harvest' END,
        CASE WHEN n %% 997 = 3 THEN 'operator' ELSE 'schedule' END,
        at, at + interval '3 seconds', 'records', 'listing',
        CASE WHEN fails THEN 'failed' ELSE 'done' END,
        CASE WHEN fails THEN '{"cause": {"code": "http-error", "facts": {"status": 502, "reason": ""}}, "pages": 0}'
            ELSE '{"remarks": []}' END::jsonb,
        '[]', 'YYYY-MM-DDThh:mm:ssZ', '', 1, 0, 12, '', 0,
        12, 1, 1, 9 - (n %% 50 = 5)::int, 1, (n %% 50 = 5)::int,
        0, 0, 0, 0, 0, 0, false, 0, '', ''
    FROM harvester_link link
    CROSS JOIN LATERAL (
        SELECT n, n %% 40 <> 7 AND (n %% 300 = link.id %% 300 OR link.id %% 100 = 0 AND n <= %(of_each)s / 2) AS fails,
            %(until)s::timestamptz - n * make_interval(secs => %(seconds)s) AS at
        FROM generate_series(1, %(of_each)s) n
    ) AS made
    WHERE link.name LIKE 'year-%%'
"""
_DAYS = """
    INSERT INTO harvester_linkday (link_id, day, runs, failed, new, updated, unchanged, deleted, rejected, pages, seconds)
    SELECT link_id, (finished AT TIME ZONE 'UTC')::date, count(*), 0, 0, 0, 0, 0, 0, 0, 0
    FROM harvester_run WHERE state <> 'open' GROUP BY 1, 2 ON CONFLICT DO NOTHING
"""
_REJECTS = """
    INSERT INTO harvester_reject (link_id, run_id, identifier, datestamp, reason, raw, file_key, count, settled)
    SELECT link.id, newest.id, 'urn:x-wmo:md:bad::' || n, '', 'not-iso19139', decode(repeat('ab', 5000), 'hex'), '', 1000,
        CASE WHEN n % 2 = 0 THEN newest.begun END
    FROM harvester_link link
    CROSS JOIN LATERAL (
        SELECT id, begun FROM harvester_run WHERE link_id = link.id ORDER BY begun DESC LIMIT 1
    ) AS newest
    CROSS JOIN generate_series(1, 20) n WHERE link.name LIKE 'year-%'
"""
# As the checks leave them: a label and a grade of each record, a third with remarks.
_LABELS = """
    INSERT INTO catalogue_validation (record_id, digest, rules, structure, schema, faults, scores, percent, grade, checked)
    SELECT id, digest, 'bench', CASE WHEN id % 10 = 3 THEN 'invalid' ELSE 'valid' END, '',
        CASE WHEN id % 3 = 0 THEN '[{"rule": "bench", "text": "a remark"}]' ELSE '[]' END::jsonb,
        '{1,2}', 50, CASE WHEN id % 50021 = 0 THEN 'F' ELSE substr('ABCDE', 1 + (id * id % 5)::int, 1) END, gisc_clock()
    FROM catalogue_record WHERE NOT deleted ON CONFLICT DO NOTHING;
    INSERT INTO catalogue_completedwalk (id, started_at) SELECT 1, stamp FROM catalogue_datestampclock
"""


def make(*, links: int, runs: int, until: datetime, interval: timedelta) -> None:
    """Make so many links with their runs, the last of which began at `until`, and rejects.

    The triggers of runs are passed by, as they would add up each run by itself.
    """
    begun = until - timedelta(days=20)
    with transaction.atomic(), connection.cursor() as cursor:
        sets = MetadataSet.objects.bulk_create(
            MetadataSet(spec=f"WIS-GISC-YEAR-{number}", name=f"Year {number}", kind=MetadataSet.Kind.PEER)
            for number in range((links - 1) // 10 + 1)
        )
        Link.objects.bulk_create(
            Link(
                name=f"year-{number}",
                base_url=f"http://127.0.0.1:9/oai/{number}",
                remote_set=sets[number // 10].spec,
                local_set=sets[number // 10],
                harvested_to=until,
                cycle_begun=begun,
                content_begun=begun,
            )
            for number in range(links)
        )
        cursor.execute("ALTER TABLE harvester_run DISABLE TRIGGER USER")
        add_runs(runs // links, until=until, interval=interval)
        cursor.execute(_DAYS)
        cursor.execute(_REJECTS)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE harvester_run ENABLE TRIGGER USER")


def add_runs(of_each: int, *, until: datetime, interval: timedelta) -> None:
    """Add so many runs of each link that `make` made, the last of which began at `until`."""
    with connection.cursor() as cursor:
        cursor.execute(_RUNS, {"of_each": of_each, "until": until, "seconds": interval.total_seconds()})


def run(
    folder: Path, *, records: int, runs: int, links: int, processes: int, small: bool, say: Callable[[str], None]
) -> list[Row]:
    """Make the year, measure the pages, and prune what is old."""
    if records:
        loaded = min(records, copies.LOADED)
        say(f"making and loading {loaded:,} records ...")
        archive = folder / "records.tar"
        catalogue.make(archive, loaded, small=small)
        catalogue.load(archive, processes)
        archive.unlink()
    say(f"making {runs:,} runs of {links:,} links ...")
    make(links=links, runs=runs, until=seams.now(), interval=timedelta(days=365) / (runs // links))
    if records:
        say(f"copying them until there are {records:,} ...")
        copies.multiply(records, list(MetadataSet.objects.filter(spec__startswith="WIS-GISC-YEAR-")), say)
    with connection.cursor() as cursor:
        cursor.execute(_LABELS)
        cursor.execute("VACUUM ANALYZE")
    say("asking for pages ...")
    rows = list(_pages())
    rows += _sizes("before pruning")
    say("pruning ...")
    rows += _pruning(say)
    rows += _sizes("after pruning")
    return rows


def _pages() -> Iterator[Row]:
    host = {"host": settings.ALLOWED_HOSTS[0] if settings.ALLOWED_HOSTS else "127.0.0.1"}
    public, operator = Client(headers=host), Client(headers=host)
    operator.force_login(get_user_model().objects.create_superuser("bench"))
    link = Link.objects.filter(name__startswith="year-").order_by("-pk").values_list("pk", flat=True)[0]
    yield _page("/harvest/", public, "/harvest/")
    yield _page("status JSON", public, "/harvest/status.json")
    yield _page("/harvest/, made anew", public, "/harvest/?anew")  # what is asked for with arguments is not kept
    yield _page("status JSON, made anew", public, "/harvest/status.json?anew")
    yield _page("/metrics", public, "/metrics", limit_ms=METRICS_MS)
    runs = "/admin/harvester/run/"
    lists: dict[str, tuple[str, dict[str, object]]] = {
        "dashboard": ("/admin/", {}),
        "dashboard, what changes": ("/admin/dashboard/live/", {}),
        "dashboard, charts": ("/admin/dashboard/charts.json", {}),
        "links": ("/admin/harvester/link/", {}),
        "runs": (runs, {}),
        "runs, page 200": (runs, {"p": 200}),
        "runs that failed": (runs, {"state__exact": "failed"}),
        "runs, by outcome": (runs, {"outcome": "failed"}),
        "runs with an outcome that none has": (runs, {"outcome": "as-written"}),
        "comparisons": (runs, {"purpose__exact": "comparison"}),
        "runs of a link": (runs, {"link__id__exact": link}),
        "runs started by hand": (runs, {"trigger": "operator"}),
        "runs, search of a link": (runs, {"q": "year-17"}),
        "runs, search of nothing": (runs, {"q": "no such link"}),
        "rejects that stand": ("/admin/harvester/reject/", {"state": "stands"}),
        "daily sums": ("/admin/harvester/linkday/", {}),
        "a link": (f"/admin/harvester/link/{link}/change/", {}),
        "conflicts": ("/admin/harvester/conflict/", {}),
        "centres": ("/admin/harvester/centre/", {}),
        "sets": ("/admin/catalogue/metadataset/", {}),
        "uploads": ("/admin/catalogue/upload/", {}),
        "quality": ("/admin/catalogue/quality/", {}),
        "journal": ("/admin/catalogue/journaloutbox/", {}),
    }
    newest = Record.objects.filter(deleted=False).order_by("-pk").values_list("pk", "owner_id").first()
    if newest is not None:
        records, (record, owner) = "/admin/catalogue/record/", newest
        lists |= {
            "records": (records, {}),
            "records, page 4": (records, {"p": 4}),
            "records of a set": (records, {"set": owner}),
            "records of a common grade": (records, {"grade": "A"}),
            "records of a rare grade": (records, {"grade": "F"}),
            "records that are not valid": (records, {"checks": "invalid"}),
            "records with remarks": (records, {"checks": "faults"}),
            "records that are not checked": (records, {"checks": "not checked"}),
            "records put in here": (records, {"source": "here"}),
            "records changed since a day": (records, {"since": 1}),
            "records, search": (records, {"q": "temperature"}),
            "records, search of nothing": (records, {"q": "no such record"}),
            "a record": (f"{records}{record}/change/", {}),
        }
    for what, (path, query) in lists.items():
        yield _page(f"admin: {what}", operator, f"{path}?{urlencode(query)}")


def _page(what: str, client: Client, address: str, *, limit_ms: int = PAGE_MS) -> Row:
    """The 95th percentile of a page's time beside what is asked of it."""
    seconds = []
    gc.collect()
    gc.freeze()  # as web processes do
    for _ in range(REPEATS + 1):
        started = time.perf_counter()
        answer = client.get(address)
        seconds.append(time.perf_counter() - started)
        if answer.status_code != 200:
            raise RuntimeError(f"{address} was answered with {answer.status_code}")
    p95_ms = statistics.quantiles(seconds[1:], n=20)[-1] * 1000  # the first request loads what a process keeps
    return Row(f"{what}, p95", f"{p95_ms:,.0f} ms", f"{limit_ms} ms at most", f"{p95_ms / limit_ms:.2f}")


def _pruning(say: Callable[[str], None]) -> Iterator[Row]:
    """What ticks prune: at most so many, as they take little at a time."""
    ticks: list[float] = []
    before, is_clean = Run.objects.count(), False
    while not is_clean and len(ticks) < _MOST_TICKS:
        started = time.perf_counter()
        is_clean = prune.prune(seams.now())
        ticks.append(time.perf_counter() - started)
    yield Row("pruning, ticks", f"{len(ticks)}", "nothing is left to prune" if is_clean else "more is left to prune")
    yield Row("pruning, runs a tick", f"{(before - Run.objects.count()) / len(ticks):,.0f}")
    yield Row("pruning, longest tick", f"{max(ticks):.1f} s", f"{prune.DEFAULTS.seconds:.0f} s chosen")
    yield Row("another tick", f"{_idle_look():,.0f} ms")


def _idle_look() -> float:
    started = time.perf_counter()
    prune.prune(seams.now())
    return (time.perf_counter() - started) * 1000


def _sizes(when: str) -> Iterator[Row]:
    for table in ("harvester_run", "harvester_linkday", "harvester_reject"):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*), pg_total_relation_size('{table}') FROM {table}")
            number, size = cursor.fetchone()
        yield Row(f"{table}, {when}", f"{number:,} rows", f"{size / 1e6:,.0f} MB")
