"""The last runs of links as bars: what each bar says, and what reading them costs."""

from datetime import UTC, datetime, timedelta

import pytest
from django.template.loader import render_to_string

from catalogue import seams
from harvester.models import Link, Run
from harvester.monitoring import status, strips
from tests.support.sql import run as sql

pytestmark = pytest.mark.django_db
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def add_run(link: Link, hours: int, **fields: object) -> Run:
    begun = FIRST + timedelta(hours=hours)
    return Run.objects.create(link=link, begun=begun, **{"state": "done", "finished": begun, **fields})


def read(*links: Link) -> dict[int, strips.Strip]:
    return strips.read_strips([link.pk for link in links], lambda run: f"/run/{run}")


def test_a_strip_has_the_last_thirty_runs_the_oldest_first(link: Link) -> None:
    for hours in range(33):
        newest = add_run(link, hours, state="failed" if hours == 5 else "done")
    bars = read(link)[link.pk].bars
    assert len(bars) == 30
    assert [number for number, bar in enumerate(bars) if bar.key == "failed"] == [2]
    assert bars[-1].url == f"/run/{newest.pk}"
    assert bars[0].title.startswith("2026-01-01 03:00 UTC")


def test_a_bar_says_when_how_it_ended_how_long_it_took_and_what_it_counted(link: Link) -> None:
    counts = {"received": 1204, "new": 3, "unchanged": 1200, "rejected": 1}
    add_run(link, 0, finished=FIRST + timedelta(minutes=3), **counts, purpose="comparison")
    (bar,) = read(link)[link.pk].bars
    assert bar.key == "partial"
    assert bar.title == "2026-01-01 00:00 UTC, comparison, done, 1 rejected, 3 min, 1,204 entries, 3 new"


def test_every_bar_is_what_the_run_says_of_itself(link: Link) -> None:
    for hours, fields in enumerate(
        (
            {"warnings": [{"code": "x"}]},
            {"held_back": 2},
            {"not_served": 2},
            {"outcome": "nothing-taken", "received": 2, "rejected": 2},
            {"state": "cancelled"},
            {
                "state": "open",
                "finished": None,
                "worker": "elsewhere:1",
                "leased_until": seams.now() + timedelta(hours=1),
            },
        )
    ):
        run = add_run(link, hours, **fields)
        key, words = status.run_outcome(run)
        bar = read(link)[link.pk].bars[-1]
        assert bar.key == key and f", {words}, " in bar.title


@pytest.mark.parametrize("lease", [None, FIRST])
def test_a_run_that_nobody_works_on_is_waiting_as_on_its_page(link: Link, lease: datetime | None) -> None:
    run = add_run(link, 0, state="open", finished=None, worker="elsewhere:1", leased_until=lease)
    strip = read(link)[link.pk]
    assert (strip.bars[-1].key, status.describe_run_state(run).word) == ("waiting", "waiting")
    assert ", waiting, " in strip.bars[-1].title and "waiting" in strip.text and "running" not in strip.text


def test_who_sees_no_bars_reads_how_many_ended_how(link: Link) -> None:
    assert read(link)[link.pk].text == "No run yet."
    add_run(link, 0, state="failed")
    add_run(link, 1)
    add_run(link, 2)
    strip = read(link)[link.pk]
    assert strip.text.startswith("The last 3 runs: 2 done, 1 failed; newest: 2026-01-01 02:00 UTC, done")
    html = render_to_string("snippets/run_strip.html", {"strip": strip})
    assert html.count('class="gisc-bar gisc-is-done"') == 2 and strip.text in html
    assert html.count('tabindex="-1"') == html.count("<a ")


def test_all_strips_are_read_by_one_statement_and_no_more_runs_than_they_show(
    link: Link, django_assert_num_queries
) -> None:
    other = Link.objects.create(name="other", base_url="http://x.example.org/oai", local_set=link.local_set)
    Run.objects.bulk_create(
        Run(link=each, state="done", begun=FIRST + timedelta(hours=hours))
        for each in (link, other)
        for hours in range(1000)
    )
    sql("ANALYZE harvester_run")
    counted = (
        "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'harvester_run'"
    )
    before = sql(counted)[0][0]
    with django_assert_num_queries(1):
        found = read(link, other)
    assert sql(counted)[0][0] - before <= 2 * 2 * strips.BARS
    assert {len(strip.bars) for strip in found.values()} == {30}


def test_every_state_has_a_word_a_shape_and_an_urgency() -> None:
    assert set(status.WORDS) == set(status.URGENCY) >= {*Run.State.values}
    html = render_to_string("snippets/state.html", {"state": status.StateInWords("failed", "failing", "<since>")})
    assert "gisc-is-failed" in html and "failing" in html and "&lt;since&gt;" in html
