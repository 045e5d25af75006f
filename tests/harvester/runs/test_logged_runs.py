"""Log lines of a run: each names the run and its link, from whatever thread and module it comes."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest

from catalogue import log_context, seams
from gisc.logs import JsonFormatter
from harvester.models import Link
from tests.support.provider import Provider, fill
from tests.support.runs import harvest


@pytest.fixture
def log() -> Iterator[StringIO]:
    """What all loggers write, as JSON."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logging.getLogger().addHandler(handler)
    harvester = logging.getLogger("harvester")
    before = harvester.level
    harvester.setLevel(logging.INFO)  # else the command `harvest`, in a test before this one, keeps it quiet
    try:
        yield stream
    finally:
        harvester.setLevel(before)
        logging.getLogger().removeHandler(handler)


def test_threads_go_on_with_what_their_asker_is_about() -> None:
    with log_context.about(run=7), seams.thread_pool(1) as pool:
        before = pool.submit(log_context.facts.get)
        with log_context.about(link="toulouse"):
            inside = pool.submit(log_context.facts.get)
        told: Any = seams.Queue()
        seams.start_thread(lambda: told.put(log_context.facts.get()), name="x")
        assert (before.result(), inside.result()) == ({"run": 7}, {"run": 7, "link": "toulouse"})
        assert told.get(timeout=60) == {"run": 7}
    assert log_context.facts.get() == {}


@pytest.mark.django_db(transaction=True)
def test_every_line_of_a_run_names_run_and_link(link: Link, provider: Provider, log: StringIO) -> None:
    fill(provider, range(5))
    run = harvest(link)
    logging.getLogger("anywhere").warning("outside of it")
    *during, after = [json.loads(line) for line in log.getvalue().splitlines()]
    during = [line for line in during if line["logger"].startswith("harvester") and line["message"] != "run opened"]
    assert during
    for line in during:
        assert (line["run"], line["link"], line["link_id"]) == (run.pk, link.name, link.pk), line
    assert "run" not in after
