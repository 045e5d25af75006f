"""The state of links, and the lists of runs, are read by index: what they read does not grow with the runs."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db.models import Sum
from django.test import Client
from django.utils import timezone

from catalogue.models import MetadataSet
from catalogue.pages import paging
from gisc.bench import year
from harvester.models import Link, Run
from harvester.monitoring import status
from harvester.runs import comparison
from tests.support.commands import printed
from tests.support.sql import run as sql

pytestmark = pytest.mark.django_db

LINKS, RUNS_OF_EACH = 10, 1500
COUNTED = 500  # rows of a list in the admin, at most
RUN_LIST = "/admin/harvester/run/"


@pytest.fixture
def node(toulouse: MetadataSet) -> Iterator[None]:
    """A node with a year of runs, which PostgreSQL has analysed."""
    year.make(
        links=LINKS,
        runs=LINKS * RUNS_OF_EACH,
        until=timezone.now(),
        interval=timedelta(days=365) / RUNS_OF_EACH,
    )
    sql("ANALYZE")
    with paging.LIMITS.replaced(rows=COUNTED):
        yield


def rows_read(act: Callable[[], object]) -> int:
    """How many rows of the table of runs were read meanwhile, by this transaction."""

    def read() -> int:
        counted = "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables"
        return sql(f"{counted} WHERE relname = 'harvester_run'")[0][0]

    before = read()
    act()
    return read() - before


def test_rows_that_are_read_are_counted(node: None) -> None:
    assert rows_read(lambda: Run.objects.aggregate(Sum("listed"))) >= LINKS * RUNS_OF_EACH


def test_the_state_of_links_is_read_from_a_few_runs_of_each(node: None, admin_client: Client) -> None:
    for path in ("/harvest/", "/harvest/status.json", "/metrics", "/admin/harvester/link/", "/harvest/runs.atom"):
        assert rows_read(lambda address=path: admin_client.get(address)) <= LINKS * 60, path  # a strip has 30


def test_a_link_is_read_from_a_few_runs_of_its_own(node: None, admin_client: Client) -> None:
    link = Link.objects.first()
    assert rows_read(lambda: admin_client.get(f"/admin/harvester/link/{link.pk}/change/")) <= LINKS * 30
    assert rows_read(lambda: admin_client.get(f"/harvest/{link.name}/")) <= LINKS * 30
    assert rows_read(lambda: printed("link", "show", link.name)) <= 40
    assert rows_read(lambda: printed("link", "list", "--json")) <= LINKS * 30


@pytest.mark.usefixtures("standing_clock")  # the state of the node is kept for some seconds
def test_a_list_of_runs_reads_a_page_of_them(node: None, admin_client: Client) -> None:
    link = Link.objects.get(name="year-7").pk
    queries = {
        *(
            "",
            "state__exact=failed",
            "state__exact=open",
            "outcome=failed",
            "outcome=as-written",
            "purpose__exact=content",
        ),
        *("trigger=operator", f"link__id__exact={link}", "q=year-7", "q=nobody", "p=20"),
    }
    for query in queries:
        address = f"{RUN_LIST}?{query}"
        assert admin_client.get(address).status_code == 200
        skipped = 20 * 50 if query == "p=20" else 0
        assert rows_read(lambda at=address: admin_client.get(at)) <= COUNTED + skipped + 150, query


def test_what_is_read_by_index_is_what_all_runs_say(node: None) -> None:
    for link in status.with_last_run(Link.objects.all(), successes=True):
        of_link = Run.objects.filter(link=link).order_by("-begun", "-pk")
        harvests = of_link.filter(purpose="harvest")
        assert status.last_run(link) == harvests[0]
        assert status.last_success(link) == harvests.filter(state="done")[0]
        assert status.last_comparison(link) == of_link.filter(purpose="comparison")[0]
        assert status.last_reharvest(link) == of_link.filter(purpose="content")[0]
        cycle = of_link.filter(purpose__in=comparison.PURPOSES, state="done", begun__gte=link.cycle_begun)
        assert status.drift_of(link) == dict.fromkeys(comparison.DRIFT, 0)
        assert cycle.exists()
        Run.objects.filter(pk=cycle[0].pk).update(missing=3)
    drifts = [status.drift_of(link) for link in status.with_last_run(Link.objects.all())]
    assert [drift["missing"] for drift in drifts] == [3] * LINKS
