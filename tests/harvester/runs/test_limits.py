"""How many runs are worked on at once, and the canary that tells whether anything is worked on at all."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from harvester import tasks
from harvester.models import Canary, Link, Run
from harvester.rows import queue, runs
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill
from tests.support.runs import go_on, ready
from tests.support.ticks import begin_all


@pytest.fixture
def three(link: Link) -> list[Run]:
    """Open runs of three links, two of them at one host."""
    at_one_host = [link.base_url, link.base_url.replace("/oai", "/other"), "http://elsewhere.example.org/oai"]
    links = [
        Link.objects.create(name=f"l{number}", base_url=url, remote_set="s", local_set=link.local_set)
        for number, url in enumerate(at_one_host)
    ]
    opened = [lifecycle.open_run(each, trigger="test") for each in links]
    return [run for run in opened if run is not None]


def claimed(run: Run) -> bool:
    return queue.claim(run.pk) is not None


def test_one_host_is_asked_by_so_many_runs_at_once(three: list[Run], settings) -> None:
    settings.GISC_MAX_RUNS_PER_HOST = 1

    assert [claimed(run) for run in three] == [True, False, True]

    runs.release_run(three[0].pk)
    assert claimed(three[1]), "there is room again"


def test_so_many_runs_are_worked_on_at_once(three: list[Run], settings) -> None:
    settings.GISC_MAX_RUNS = 1

    assert [claimed(run) for run in three] == [True, False, False]


def test_a_dead_worker_takes_no_room(three: list[Run], settings) -> None:
    settings.GISC_MAX_RUNS = 1
    host = runs.this_worker().rpartition(":")[0]
    Run.objects.filter(pk=three[0].pk).update(
        worker=f"{host}:999999999", leased_until=timezone.now() + timedelta(hours=1)
    )

    assert claimed(three[1])


def test_a_run_without_room_stays_open_and_is_taken_up_later(three: list[Run], provider: Provider, settings) -> None:
    settings.GISC_MAX_RUNS = 1
    fill(provider, range(3))
    assert claimed(three[2])
    assert lifecycle.work(three[0].pk) is None

    runs.release_run(three[2].pk)
    assert three[0].pk in ready()
    assert go_on(three[0]).state == Run.State.DONE


@pytest.mark.django_db(transaction=True)
def test_workers_that_claim_in_the_same_instant_keep_the_limit(three: list[Run], settings) -> None:
    settings.GISC_MAX_RUNS = 1
    together = threading.Barrier(len(three), timeout=60)
    won: list[bool] = []

    def claim(run: Run) -> None:
        together.wait()
        won.append(claimed(run))
        connection.close()

    threads = [threading.Thread(target=claim, args=(run,)) for run in three]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(won) == [False, False, True]


def test_the_age_of_the_canary_is_told(link: Link, client: Client) -> None:
    assert client.get("/harvest/status.json").json()["canary_age_s"] is None
    assert "gisc_canary_age_seconds +Inf" in client.get("/metrics").content.decode()

    begin_all()
    tasks.tick()
    Canary.objects.update(last=timezone.now() - timedelta(minutes=10))

    assert 600 <= client.get("/harvest/status.json").json()["canary_age_s"] < 700
    assert "gisc_canary_age_seconds 60" in client.get("/metrics").content.decode()
    tasks.tick()
    assert client.get("/harvest/status.json").json()["canary_age_s"] < 60
