"""A node that has run for a year: its tables stop growing when what they have is as old as its retention."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from catalogue.reasons import Reason, ReasonCode
from gisc import upkeep
from gisc.bench import year
from harvester.header import ReceivedHeader
from harvester.models import Link, LinkDay, Reject, Run
from harvester.rows import prune, rejects
from harvester.rows.rejects import Refusal
from tests.support.sql import run as sql

BEGIN = datetime(2027, 1, 1, tzinfo=UTC)
MONTH = timedelta(days=30)
LINKS, RUNS_A_DAY = 4, 24
BAD_RECORDS, BAD_XML = 10, b"<x>" + b"y" * 41_000 + b"</x>"
LIMITS = prune.PruneLimits(findings_runs=20)
YOUNG = 90 * RUNS_A_DAY


def live_through(month: int, links: list[Link]) -> None:
    """A month of harvests every hour, by SQL; on each day ten bad records come again; then the chores of the ticks."""
    now = BEGIN + month * MONTH
    year.add_runs(30 * RUNS_A_DAY, until=now, interval=timedelta(hours=24 / RUNS_A_DAY))
    for day in range(30):
        at = now - timedelta(days=30 - day)
        for link in links:
            _reject_again(link, at)
    Session.objects.bulk_create(
        Session(session_key=f"{month}-{number}", session_data="", expire_date=timezone.now()) for number in range(200)
    )
    Link.objects.update(cycle_begun=now - timedelta(days=20), content_begun=now - timedelta(days=20))
    while not prune.prune(now, LIMITS):
        pass
    upkeep.clean_up()
    sql("VACUUM ANALYZE harvester_run, harvester_reject, django_session")


def _reject_again(link: Link, at: datetime) -> None:
    run = Run.objects.filter(link=link, begun__gte=at).order_by("begun")[0]
    headers = [ReceivedHeader(f"urn:bad:{n}", f"urn:bad:{n}", "", None) for n in range(BAD_RECORDS)]
    reason = Reason(ReasonCode.NOT_ISO_19139)
    rejects.add(run, [Refusal(header, reason, BAD_XML) for header in headers], now=at)


def sizes() -> dict[str, int]:
    tables = ("harvester_run", "harvester_reject", "django_session")
    return {table: sql("SELECT pg_total_relation_size(%s::regclass)", table)[0][0] for table in tables}


@pytest.fixture
def vacuum_of_ours_alone(transactional_db: None) -> Iterator[None]:
    """Let no automatic VACUUM or ANALYZE run: while one has its snapshot, ours may not remove what has died since."""
    sql("ALTER SYSTEM SET autovacuum = off")
    sql("SELECT pg_reload_conf()")
    yield
    sql("ALTER SYSTEM RESET autovacuum")
    sql("SELECT pg_reload_conf()")


@pytest.mark.usefixtures("vacuum_of_ours_alone")
def test_after_a_year_the_tables_have_what_their_retention_says_and_grow_no_more() -> None:
    year.make(links=LINKS, runs=0, until=BEGIN, interval=timedelta(hours=1))
    links = list(Link.objects.all())
    grown = []
    for month in range(1, 13):
        live_through(month, links)
        grown.append(sizes())
        for link in links:
            assert Run.objects.filter(link=link).count() <= YOUNG + LIMITS.findings_runs + 10

    assert Reject.objects.count() == LINKS * BAD_RECORDS
    assert set(Reject.objects.values_list("count", flat=True)) == {360}
    assert Session.objects.count() == 0
    days = LinkDay.objects.filter(link=links[0])
    assert days.count() in (360, 361)
    assert sum(days.values_list("runs", flat=True)) == 360 * RUNS_A_DAY, "also of the runs that are pruned"
    for table, size in grown[-1].items():
        sizes_by_month = [month[table] for month in grown]
        assert size <= 1.15 * max(sizes_by_month[:6]), (table, sizes_by_month)
    assert grown[-1]["harvester_reject"] < 10 * LINKS * BAD_RECORDS * len(BAD_XML)
    assert grown[-1]["harvester_run"] < 1500 * Run.objects.count() + 5_000_000
