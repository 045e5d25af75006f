"""Warnings of a run: what was not as it should be, added up over pages and tasks, and shown."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from werkzeug import Response

from harvester.models import Link, Run
from harvester.protocol import warnings
from harvester.protocol.warnings import MAX_KINDS, ProviderWarning, WarningCode
from harvester.runs import lifecycle
from tests.support.link_admin import RUNS
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import harvest

REMARKS = st.builds(
    ProviderWarning,
    st.sampled_from([WarningCode.REPAIRED, WarningCode.DATESTAMP, WarningCode.MOVED]),
    st.sampled_from("ABC").map(lambda a: {"moved_to": a}),
    st.integers(1, 9),
)


@given(pages=st.lists(st.lists(REMARKS, max_size=5), max_size=5))
def test_remarks_add_up_however_they_are_spread_over_pages(pages: list[list[ProviderWarning]]) -> None:
    kept: list[dict] = []
    for page in pages:
        kept = warnings.merge_warnings(kept, page)
    everything = [warning for page in pages for warning in page]
    assert kept == warnings.merge_warnings([], everything)
    assert sum(each["count"] for each in kept) == sum(warning.count for warning in everything)
    assert len({(each["code"], str(each["facts"])) for each in kept}) == len(kept)


def test_remarks_are_bounded_and_none_is_lost_without_a_word() -> None:
    kept = warnings.merge_warnings(
        [], (ProviderWarning(WarningCode.MOVED, {"moved_to": f"{number:03d}" + "x" * 10_000}) for number in range(500))
    )
    assert len(kept) == MAX_KINDS + 1
    assert kept[-1]["code"] == "more" and kept[-1]["count"] == 500 - MAX_KINDS
    assert len(json.dumps(kept)) < 20_000
    assert "times" in warnings.describe_warnings(kept)[-1]


def odd(provider: Provider) -> None:
    """Have the provider send a broken record on its first page, odd datestamps on each, and call it all HTML."""
    fill(provider, range(6))
    bad = provider.entries[identifier(0)][1].replace(b"Product 0", b"Product \x010")
    provider.entries[identifier(0)] = (provider.entries[identifier(0)][0], bad)
    provider.edits.append(lambda a, body: body.replace(b"<datestamp>2026-02-01T00:00:00Z", b"<datestamp>last week", 1))
    provider.faults.append(lambda arguments: Response(provider.say(arguments), content_type="text/html"))


def in_slices(link: Link) -> Run:
    """A run of which each task takes a page."""
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    while run.is_open:
        run = lifecycle.work(run.pk, for_s=0) or run
    return run


@pytest.mark.spec("H35", "P10")
def test_the_warnings_of_all_pages_and_tasks_are_kept_and_counted(link: Link, provider: Provider) -> None:
    odd(provider)
    run = in_slices(link)
    counts = {each["code"]: each["count"] for each in run.warnings}
    assert run.state == Run.State.DONE
    assert counts["datestamp"] == 3, "one of each page"
    assert counts["record-mended"] == 1
    assert counts["content-type"] == 5, "Identify, ListSets and three pages"
    assert "Product" not in run.message and "mended" not in run.message


def test_the_warnings_of_single_records_are_kept(link: Link, provider: Provider) -> None:
    link.strategy = Link.Strategy.IDENTIFIERS
    link.save()
    odd(provider)
    run = harvest(link)
    assert run.state == Run.State.DONE
    assert {each["code"]: each["count"] for each in run.warnings}["content-type"] >= 10


def test_an_answer_in_xml_is_no_cause_for_a_warning(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    assert harvest(link).warnings == []


def test_warnings_are_shown_wherever_a_run_is(
    link: Link, provider: Provider, admin_client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    odd(provider)
    run = in_slices(link)
    sentence = "A record has no datestamp that can be read (3 times)."

    assert sentence in admin_client.get(f"{RUNS}{run.pk}/change/").content.decode()
    assert "done, 3 warnings" in admin_client.get(RUNS).content.decode()
    told = warnings.report_warnings(run.warnings)
    assert "A record has no datestamp that can be read." in [each["text"] for each in told]
    assert [{**each, "text": ""} for each in told] == [{**each, "text": ""} for each in run.warnings]
    assert admin_client.get("/harvest/status.json").json()["links"][0]["last_run"]["warnings"] == told
    data = {"action": "download_report", "_selected_action": [run.pk]}
    report = admin_client.post(RUNS, data).getvalue().decode()
    (row,) = csv.DictReader(io.StringIO(report, newline=""))
    assert sentence in row["warnings"].splitlines()
    assert (row["link"], row["state"], row["received"]) == ("toulouse", "done", "6")
    assert row["warning_codes"].splitlines() == [each["code"] for each in run.warnings]
    assert (row["outcome"], json.loads(row["outcome_data"])) == ("done", run.outcome_data)

    call_command("link", "show", "toulouse")
    assert f"warning: {sentence}" in capsys.readouterr().out
    call_command("link", "show", "toulouse", "--json")
    assert json.loads(capsys.readouterr().out)["runs"][0]["warnings"] == told
    call_command("harvest", "toulouse")
    assert "warning: An answer has the Content-Type text/html, not text/xml" in capsys.readouterr().err
    call_command("harvest", "toulouse", "--json")
    assert any(each["code"] == "content-type" for each in json.loads(capsys.readouterr().out)["warnings"])


def test_a_report_is_safe_in_a_spreadsheet(link: Link, admin_client: Client) -> None:
    outcome = {"outcome": "as-written", "outcome_data": {"text": "=HYPERLINK(1)"}}
    run = Run.objects.create(link=link, begun="2026-01-01T00:00:00Z", state="failed", **outcome)
    report = admin_client.post(RUNS, {"action": "download_report", "_selected_action": [run.pk]}).getvalue().decode()
    assert "'=HYPERLINK(1)" in report


def test_warnings_that_version_0_9_0_stored_are_shown_as_it_wrote_them() -> None:
    old = [{"code": "datestamp", "text": "A record has no datestamp that could be read.", "count": 2}]
    assert warnings.describe_warnings(old) == ["A record has no datestamp that could be read (2 times)."]
    assert warnings.report_warnings(old) == [{**old[0], "facts": {}}]
    both = warnings.merge_warnings(old, [ProviderWarning(WarningCode.DATESTAMP)])
    assert [each["count"] for each in both] == [2, 1]


def test_a_warning_of_a_page_that_was_seen_several_times_counts_as_often() -> None:
    counts: warnings.WarningCounts = {}
    assert warnings.count_warning(counts, ProviderWarning(WarningCode.ABOUT, {"reason": "second-rights"}, 3))
    assert not warnings.count_warning(counts, ProviderWarning(WarningCode.ABOUT, {"reason": "second-rights"}))
    assert [warning.count for warning in counts.values()] == [4]
