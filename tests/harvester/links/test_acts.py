"""What an operator does to a link besides editing it: enable, disable, reset; by function and by command."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError
from django.utils import timezone

from catalogue.models import Record
from catalogue.reasons import ActRefused
from harvester.link_rules import Kind
from harvester.links import acts
from harvester.models import Link, Run
from harvester.reasons import ActCode
from harvester.rows import links as rows
from harvester.runs import lifecycle
from tests.support.commands import printed
from tests.support.provider import Provider, fill
from tests.support.runs import harvest

pytestmark = pytest.mark.django_db
SINCE = datetime(2026, 1, 1, tzinfo=UTC)


def harvested(link: Link, provider: Provider) -> Link:
    fill(provider, range(3))
    harvest(link)
    provider.lists.clear()
    link.refresh_from_db()
    assert link.harvested_to is not None
    return link


def test_a_link_is_disabled_and_enabled_and_keeps_its_place(link: Link, provider: Provider) -> None:
    complete_to = harvested(link, provider).harvested_to
    assert acts.disable(link) and not acts.disable(link)
    Link.objects.update(next_due=None)
    assert not lifecycle.open_due_runs()
    assert acts.enable(link) and not acts.enable(link)
    assert Link.objects.get().harvested_to == complete_to
    assert [run.link_id for run in lifecycle.open_due_runs()] == [link.pk]


def test_what_may_not_run_by_schedule_is_not_enabled(link: Link) -> None:
    Link.objects.update(enabled=False)
    other = Link.objects.create(
        name="relay",
        kind=Kind.RELAY,
        base_url="http://x.example.org/oai",
        local_set=link.local_set,
        remote_set=link.remote_set,
    )
    with pytest.raises(ActRefused) as refused:
        acts.enable(link)
    assert refused.value.reason.code == ActCode.LINK_INVALID and other.name in str(refused.value)
    assert not Link.objects.get(pk=link.pk).enabled
    with pytest.raises(CommandError, match="stays disabled: .*relay"):
        printed("link", "enable", link.name)


def test_a_link_that_is_reset_asks_for_the_whole_list_and_deletes_nothing(link: Link, provider: Provider) -> None:
    harvested(link, provider)
    assert "Nothing is deleted" in printed("link", "reset", link.name)
    assert Link.objects.get().harvested_to is None
    harvest(Link.objects.get())
    assert "from" not in provider.lists[0]
    assert Record.objects.filter(deleted=False).count() == 3
    assert Link.objects.get().harvested_to is not None


def test_a_link_that_is_reset_to_a_time_asks_for_all_since_then(link: Link, provider: Provider) -> None:
    harvested(link, provider)
    assert "2026-01-01" in printed("link", "reset", link.name, "--to", "2026-01-01")
    assert Link.objects.get().harvested_to == SINCE
    assert not Link.objects.get().remarks
    harvest(Link.objects.get())
    assert [asked["from"] for asked in provider.lists if "from" in asked] == ["2025-12-31T23:58:59Z"]
    assert "until" not in provider.lists[0], "what is known is fetched again, too"
    assert Run.objects.latest("pk").received == 3
    assert Link.objects.get().harvested_to > SINCE


def test_a_link_is_not_reset_to_a_time_that_would_leave_a_gap(link: Link, provider: Provider) -> None:
    with pytest.raises(ActRefused, match="never harvested"):
        acts.reset(link, SINCE)
    complete_to = harvested(link, provider).harvested_to
    with pytest.raises(CommandError, match="is complete up to"):
        printed("link", "reset", link.name, "--to", "2999-01-01")
    with pytest.raises(CommandError, match="neither YYYY"):
        printed("link", "reset", link.name, "--to", "yesterday")
    assert Link.objects.get().harvested_to == complete_to


def test_an_open_run_of_a_link_that_is_reset_begins_its_list_again(link: Link, provider: Provider) -> None:
    harvested(link, provider)
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None and run.list_from is not None
    acts.reset(link)
    run = Run.objects.get(pk=run.pk)
    assert (run.list_from, run.restarts, run.is_open) == (None, 1, True)


def test_disabling_a_link_leaves_its_open_run(link: Link) -> None:
    run = lifecycle.open_run(link, trigger="test")
    assert run is not None
    assert "by hand only" in printed("link", "disable", link.name)
    run.refresh_from_db()
    assert run.is_open
    assert "by hand only already" in printed("link", "disable", link.name)


def test_what_a_provider_has_is_counted_once_a_list_has_ended(link: Link, provider: Provider) -> None:
    now = timezone.now()
    assert rows.count_there(now) is None, "it was never harvested"
    harvested(link, provider)
    assert rows.count_there(now) == link and rows.count_there(now) is None
    link.refresh_from_db()
    assert (link.live_there, link.counted_there) == (3, now)
    provider.entries.pop(next(iter(provider.entries)))
    fill(provider, range(5, 9))
    harvest(link)
    later = now + timedelta(seconds=30)
    assert rows.count_there(later) is None, "it was counted just now"
    later = now + timedelta(seconds=61)
    assert rows.count_there(later) == link
    assert Link.objects.get().live_there == 7


def test_a_cause_is_made_quiet_and_loud_again(link: Link) -> None:
    acts.quieten(link, "not-iso19139", 20)
    acts.quieten(link, "not-iso19139", 5)
    assert [(quiet.reason, quiet.up_to) for quiet in link.quiet_causes.all()] == [("not-iso19139", 5)]
    acts.quieten(link, "not-iso19139", 0)
    assert not link.quiet_causes.exists()


def test_the_address_of_a_report_is_its_own_and_can_be_renewed(link: Link) -> None:
    other = Link.objects.create(name="other", base_url="http://x.example.org/oai", local_set=link.local_set)
    before = Link.objects.get(pk=link.pk).report_key
    assert before != Link.objects.get(pk=other.pk).report_key
    assert acts.renew_report(link) == Link.objects.get(pk=link.pk).report_key != before


def test_a_table_for_a_program_has_each_text_whole_and_as_it_is(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    address = "http://[fd00:1::2]:8080/a/path/that/is/longer/than/a/terminal/is/wide/and/then/some/more/of/it/oai"
    Link.objects.update(base_url=address, remote_set="WIS:sun:[/red]")
    for table in (printed("link", "list"), printed("centres", "list")):
        assert "…" not in table
    row = next(line for line in printed("link", "list").splitlines() if link.name in line)
    assert address in row and "WIS:sun:[/red]" in row
    monkeypatch.setenv("COLUMNS", "60")
    assert all(len(line) <= 60 for line in printed("link", "list").splitlines()[:5])
