"""The schedule of a link as operators write and read it: in the form, on the command line, in JSON."""

import json
from datetime import UTC, datetime, time, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from catalogue import seams
from harvester.models import Link, Run
from tests.support.clock import SetClock
from tests.support.link_admin import LINKS, messages, unchanged
from tests.support.runs import ready

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday


def call(*arguments: str) -> str:
    out = StringIO()
    call_command("link", *arguments, stdout=out)
    return out.getvalue()


def test_a_schedule_is_written_in_words_and_its_next_three_times_are_shown(admin_client: Client, link: Link) -> None:
    address = f"{LINKS}{link.pk}/change/"
    with seams.replaced(clock=SetClock(NOON)):
        Run.objects.create(link=link, begun=NOON - timedelta(hours=1), state=Run.State.DONE)
        page = admin_client.get(address).content.decode()
        assert 'value="every 6 hours"' in page
        assert '<option value="daily at 03:15 UTC">' in page, "the browser suggests some"
        Link.objects.update(next_due=NOON)
        fields = unchanged(link, schedule="weekly on Wed at 03:15", windows="1:00 - 5:00")

        after = admin_client.post(address, fields, follow=True)

        assert "successfully" in messages(after)
        link.refresh_from_db()
        assert (link.run_at, link.weekday, link.interval_s, link.windows) == (time(3, 15), 2, 604_800, "01:00-05:00")
        assert link.next_due == datetime(2026, 3, 4, 3, 15, tzinfo=UTC), "it takes effect at once"
        page = admin_client.get(address).content.decode()
        assert 'value="weekly on Wednesday at 03:15 UTC"' in page
        assert "2026-03-04 03:15 UTC, 2026-03-11 03:15 UTC, 2026-03-18 03:15 UTC" in page


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"schedule": "at full moon"}, "schedule", "“at full moon” is not understood"),
        ({"windows": "at night"}, "windows", "“at night” is no part of the day"),
        (
            {"schedule": "daily at 12:00", "windows": "20:00-05:00"},
            "windows",
            "12:00 UTC is not between 20:00 and 05:00",
        ),
    ],
)
def test_what_cannot_be_is_said_at_its_field_and_nothing_is_lost(
    admin_client: Client, link: Link, changes: dict[str, str], field: str, sentence: str
) -> None:
    answer = admin_client.post(f"{LINKS}{link.pk}/change/", unchanged(link) | changes)
    assert answer.status_code == 200
    form = answer.context["adminform"].form
    assert list(form.errors) == [field]
    assert sentence in str(form.errors[field])
    page = answer.content.decode()
    assert all(f'value="{value}"' in page for value in changes.values())
    link.refresh_from_db()
    assert (link.interval_s, link.run_at) == (21_600, None)


def test_the_command_line_has_the_same_schedules(link: Link) -> None:
    with seams.replaced(clock=SetClock(NOON)):
        Run.objects.create(link=link, begun=NOON, state=Run.State.DONE)
        told = call("schedule", link.name, "--daily", "21:00", "--window", "20:00-05:00")
        assert "is harvested daily at 21:00 UTC, between 20:00 and 05:00 UTC; next: 2026-03-02 21:00 UTC, " in told
        facts = json.loads(call("schedule", link.name, "--every", "6 hours", "--json"))
        assert facts["schedule"] == "every 6 hours, between 20:00 and 05:00 UTC", "its window stays"
        assert facts["interval_s"] == 21_600
        assert facts["next_runs"] == ["2026-03-02T20:00:00Z", "2026-03-03T02:00:00Z", "2026-03-03T20:00:00Z"]
        facts = json.loads(call("schedule", link.name, "--weekly", "Mon 03:15", "--window", "", "--json"))
        assert facts["schedule"] == "weekly on Monday at 03:15 UTC"
        assert "every 6" not in call("list")
        assert "schedule: weekly on Monday at 03:15 UTC" in call("show", link.name)


def test_run_now_lets_a_run_go_on_that_waits_for_its_window(admin_client: Client, link: Link) -> None:
    with seams.replaced(clock=SetClock(NOON)):
        Link.objects.update(windows="20:00-05:00")
        run = Run.objects.create(link=link, begun=NOON - timedelta(hours=8), queued=NOON, trigger=Run.Trigger.SCHEDULE)
        address = f"{LINKS}{link.pk}/run/"
        assert ready() == []

        assert "a run was started" in messages(admin_client.post(address, {"run": ""}, follow=True))

        assert ready() == [run.pk]
        assert "a run is open already" in messages(admin_client.post(address, {"run": ""}, follow=True))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--every", "now and then"), "is not understood"),
        (("--daily", "25:00"), "no time of the day"),
        (("--daily", "12:00", "--window", "20:00-05:00"), "the link would always wait"),
        ((), "Say when to harvest it"),
    ],
)
def test_the_command_line_refuses_what_cannot_be(link: Link, options: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call("schedule", link.name, *options)
    assert Link.objects.get().interval_s == 21_600


def test_a_link_is_added_with_its_schedule(link: Link, client: Client) -> None:
    facts = json.loads(
        call("add", "nightly", link.base_url, "--set", "WIS-GISC-OFFENBACH", "--weekly", "sun 1:30", "--json")
    )
    assert facts["schedule"] == "weekly on Sunday at 01:30 UTC"
    status = client.get("/harvest/status.json").json()
    assert {each["name"]: each["schedule"] for each in status["links"]} == {
        "nightly": "weekly on Sunday at 01:30 UTC",
        "toulouse": "every 6 hours",
    }
