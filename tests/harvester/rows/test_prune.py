"""Old runs and rejects go, those that somebody may look for stay, and the daily sums are right whatever went when."""

import csv
import io
from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.test import Client, override_settings

from harvester import tasks
from harvester.models import Conflict, Link, LinkDay, Reject, Run
from harvester.reasons import SettlementCode
from harvester.rows import prune
from harvester.rows.prune import DEFAULTS, PruneLimits
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill
from tests.support.runs import harvest
from tests.support.sql import run as sql

pytestmark = pytest.mark.django_db

NOW = datetime(2027, 1, 1, tzinfo=UTC)
SUMS = ("runs", "failed", "new", "updated", "unchanged", "deleted", "rejected", "pages", "seconds")


def add_runs(link: Link, number: int, *, newest: timedelta, **values: object) -> list[int]:
    """Runs of the link, one an hour, the newest so long ago; their ids, the newest first."""
    begun = [NOW - newest - timedelta(hours=hours) for hours in range(number)]
    facts = {"state": "done", "outcome": "done", "outcome_data": {"remarks": []}, **values}
    made = Run.objects.bulk_create(
        Run(link=link, begun=at, finished=None if facts["state"] == "open" else at, **facts) for at in begun
    )
    return [run.pk for run in made]


def kept() -> set[int]:
    return set(Run.objects.values_list("pk", flat=True))


def days(number: float) -> timedelta:
    return timedelta(days=number)


# --- What goes, and what stays --------------------------------------------------------------------------


def test_runs_go_after_the_retention_and_the_newest_hundred_of_a_link_stay(link: Link) -> None:
    other = Link.objects.create(name="quiet", base_url="http://x.example.org", local_set=link.local_set)
    young, old = add_runs(link, 150, newest=days(10)), add_runs(link, 150, newest=days(91))
    quiet = add_runs(other, 130, newest=days(500))
    assert prune.prune(NOW)
    assert kept() == {*young, *quiet[:100]}
    assert not kept() & {*old}
    with override_settings(GISC_RUN_RETENTION_DAYS=11):
        prune.prune(NOW)
    assert kept() == {*young[:100], *quiet[:100]}


@pytest.mark.parametrize(
    "finding",
    [
        {"rejected": 1, "received": 1},
        {"state": "failed"},
        {"warnings": [{"code": "moved", "facts": {}, "count": 1}]},
        {"outcome_data": {"remarks": [{"code": "list-short", "facts": {}}]}},
        {"purpose": "comparison", "missing": 1},
        {"purpose": "content", "changed": 2},
    ],
    ids=lambda finding: "-".join(finding),
)
def test_runs_with_findings_stay_four_times_as_long_and_not_more_than_a_number(
    link: Link, finding: dict[str, object]
) -> None:
    add_runs(link, 100, newest=days(0))
    newer = add_runs(link, 1, newest=days(80), **finding)
    within = add_runs(link, 30, newest=days(200), **finding)
    beyond = add_runs(link, 30, newest=days(361), **finding)
    plain = add_runs(link, 5, newest=days(200))
    prune.prune(NOW)
    assert not kept() & {*beyond, *plain}
    assert kept() >= {*newer, *within}
    prune.prune(NOW, PruneLimits(findings_runs=10))
    assert kept() >= {*newer, *within[:10]}
    assert not kept() & {*within[10:]}


def test_what_the_state_of_a_link_is_read_from_stays(link: Link) -> None:
    add_runs(link, 120, newest=days(0), state="failed")
    (success, *_), (cancelled,) = (
        add_runs(link, 3, newest=days(900)),
        add_runs(link, 1, newest=days(900), state="cancelled"),
    )
    (last_comparison, *_) = add_runs(link, 3, newest=days(900), purpose="comparison")
    (last_slice, *_) = add_runs(link, 3, newest=days(900), purpose="content")
    (still_open,) = add_runs(Link.objects.create(name="x", local_set=link.local_set), 1, newest=days(900), state="open")
    prune.prune(NOW)
    old = set(Run.objects.filter(begun__lt=NOW - days(800)).values_list("pk", flat=True))
    assert old == {success, cancelled, last_comparison, last_slice, still_open}


def test_slices_of_the_present_cycle_stay_as_drift_is_counted_from_them(link: Link) -> None:
    Link.objects.update(cycle_begun=NOW - days(200), content_begun=NOW - days(150))
    add_runs(link, 100, newest=days(0))
    present = add_runs(link, 5, newest=days(199), purpose="comparison") + add_runs(
        link, 5, newest=days(149), purpose="content"
    )
    past = add_runs(link, 5, newest=days(201), purpose="comparison") + add_runs(
        link, 5, newest=days(151), purpose="content"
    )
    prune.prune(NOW)
    assert kept() >= {*present}
    assert not kept() & {*past}


def test_rejects_that_are_over_go_after_the_retention_and_those_that_stand_stay(link: Link) -> None:
    (run, *_) = add_runs(link, 200, newest=days(100))
    (old_run,) = add_runs(link, 1, newest=days(400))
    for identifier, settled in (("stands", None), ("over", days(89)), ("long over", days(91))):
        Reject.objects.create(
            link=link, run_id=old_run, identifier=identifier, reason="empty", settled=settled and NOW - settled
        )
    prune.prune(NOW)
    assert run in kept() and old_run not in kept()
    assert {reject.identifier for reject in Reject.objects.filter(run=None)} == {"over", "stands"}
    assert Reject.objects.count() == 2


def test_settled_conflicts_go_but_for_those_that_an_operator_has_left(link: Link) -> None:
    for key, settlement, age in (
        ("old", "agreed", 91),
        ("left", SettlementCode.LEFT, 900),
        ("new", "agreed", 89),
        ("waits", "", None),
    ):
        settled = None if age is None else NOW - days(age)
        Conflict.objects.create(
            link=link, key=key, identifier=key, kind="differs", first_seen=NOW - days(999), last_seen=NOW - days(999),
            settled=settled, settlement=settlement,
        )  # fmt: skip
    prune.prune(NOW)
    assert set(Conflict.objects.values_list("key", flat=True)) == {"left", "new", "waits"}


# --- A little at a time ---------------------------------------------------------------------------------


def test_a_tick_removes_a_batch_and_comes_back_for_the_rest(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    add_runs(link, 450, newest=days(100))
    little = PruneLimits(batch=100, seconds=0)
    left = []
    while not prune.prune(NOW, little):
        left.append(Run.objects.count())
    assert left == [350, 250, 150]
    assert Run.objects.count() == 100


def test_the_tick_prunes(link: Link) -> None:
    Link.objects.update(enabled=False)
    add_runs(link, 300, newest=days(3000))
    tasks.tick()
    assert Run.objects.count() == 100
    add_runs(link, 50, newest=days(3000))
    tasks.tick()
    assert Run.objects.count() == 150, "nothing was left, so it is not looked again for a while"


def test_the_limits_are_those_of_the_documents() -> None:
    assert (DEFAULTS.newest_runs, DEFAULTS.findings_for, DEFAULTS.findings_runs) == (100, 4, 100)


# --- Daily sums -----------------------------------------------------------------------------------------


def sums() -> dict[tuple[str, str], dict[str, int]]:
    return {
        (day.link.name, str(day.day)): {name: getattr(day, name) for name in SUMS}
        for day in LinkDay.objects.select_related("link")
    }


@pytest.mark.parametrize("seed", range(6))
def test_daily_sums_are_those_of_all_runs_whatever_is_pruned_when(link: Link, seed: int) -> None:
    random = Random(seed)
    links = [link, Link.objects.create(name="other", base_url="http://x.example.org", local_set=link.local_set)]
    expected: dict[tuple[str, str], Counter[str]] = {}
    running: dict[int, Run] = {}
    now = NOW
    for _ in range(250):
        now += timedelta(minutes=random.randrange(2000))
        act = random.choice(("open", "page", "end", "end", "insert", "prune"))
        of = random.choice(links)
        counts = {name: random.randrange(5) for name in ("new", "updated", "unchanged", "deleted", "rejected")}
        counts |= {"pages": random.randrange(4)}
        received = sum(counts.values()) - counts["pages"]
        if act == "open" and of.pk not in running:
            running[of.pk] = Run.objects.create(link=of, begun=now)
        elif act == "page" and of.pk in running:
            Run.objects.filter(pk=running[of.pk].pk).update(received=received, **counts)
        elif act == "insert" or (act == "end" and of.pk in running):
            state = random.choice(("done", "failed", "cancelled"))
            if act == "end":
                run = running.pop(of.pk)
                Run.objects.filter(pk=run.pk).update(state=state, finished=now, received=received, **counts)
            else:
                run = Run(link=of, begun=now - timedelta(seconds=90), finished=now, state=state, received=received)
                for name, number in counts.items():
                    setattr(run, name, number)
                run.save()
            day = expected.setdefault((of.name, f"{now:%Y-%m-%d}"), Counter(dict.fromkeys(SUMS, 0)))
            seconds = round((now - run.begun).total_seconds())
            day.update(counts | {"runs": 1, "failed": int(state == "failed"), "seconds": seconds})
        elif act == "prune":
            with override_settings(GISC_RUN_RETENTION_DAYS=random.randrange(1, 30)):
                prune.prune(now, PruneLimits(newest_runs=random.randrange(1, 20), findings_runs=3, batch=7, seconds=0))
    assert sums() == expected
    assert Run.objects.count() < sum(day["runs"] for day in expected.values()), "some runs were pruned"


def test_a_harvest_and_a_run_that_is_cancelled_count_on_their_day(
    link: Link, provider: Provider, admin_client: Client
) -> None:
    fill(provider, range(5))
    run = harvest(link)
    cancelled = lifecycle.open_run(link, trigger="test")
    lifecycle.cancel(cancelled)
    day = LinkDay.objects.get()
    assert day.day == run.finished.date()
    assert (day.runs, day.failed, day.new, day.pages) == (2, 0, 5, run.pages)

    chosen = {"action": "download", "_selected_action": str(day.pk)}
    assert "toulouse" in admin_client.get("/admin/harvester/linkday/").content.decode()
    file = admin_client.post("/admin/harvester/linkday/", chosen).getvalue().decode()
    (row,) = csv.DictReader(io.StringIO(file))
    assert (row["link"], row["day"], row["runs"], row["new"]) == ("toulouse", str(day.day), "2", "5")


def test_a_change_of_a_run_that_has_ended_changes_its_day(link: Link) -> None:
    (run,) = add_runs(link, 1, newest=days(0), new=3, received=3)
    sql("UPDATE harvester_run SET state = 'failed', new = 1, received = 1 WHERE id = %s", run)
    day = LinkDay.objects.get()
    assert (day.runs, day.failed, day.new) == (1, 1, 1)
    link.delete()
    assert not LinkDay.objects.exists()
