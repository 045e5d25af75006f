"""The set that a link asks for is looked for: an unknown one and an empty one answer a list request alike (H17, H18)."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from werkzeug import Response

from harvester.models import Link
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill, identifier, xml
from tests.support.runs import at, harvest, held
from tests.support.world import TOULOUSE

STAMP = at("2026-02-01T00:00:00Z")


def lists_sets(provider: Provider, *pages: tuple[str, ...]) -> None:
    """The provider's sets, in pages."""

    def answer(arguments: dict[str, str]) -> Response | None:
        if arguments["verb"] != "ListSets":
            return None
        number = int(arguments.get("resumptionToken", "0"))
        listed = "".join(f"<set><setSpec>{spec}</setSpec><setName>x</setName></set>" for spec in pages[number])
        token = f"<resumptionToken>{number + 1}</resumptionToken>" if number + 1 < len(pages) else ""
        return xml(provider.envelope(f"<ListSets>{listed}{token}</ListSets>"))

    provider.faults[:] = [answer]


@pytest.mark.spec("H17")
def test_an_unknown_set_and_an_empty_one_are_told_apart(
    link: Link, provider: Provider, admin_client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    lists_sets(provider, ("A",), ("B", TOULOUSE.spec))
    run = harvest(link)
    assert f"lists the set {TOULOUSE.spec}, and no records in it" in run.message
    assert Link.objects.get().set_state == "listed", "it stands on the second page"

    lists_sets(provider, ("A",), ("B",))
    Link.objects.update(set_checked=None)
    run = harvest(Link.objects.get())
    assert f"does not list the set {TOULOUSE.spec}" in run.message
    assert status.status_report()["links"][0]["set"] == "missing"
    assert 'gisc_link_set_missing{link="toulouse"} 1.0' in admin_client.get("/metrics").content.decode()
    assert "does not list the set" in admin_client.get(f"/admin/harvester/link/{link.pk}/change/").content.decode()
    call_command("link", "show", "toulouse")
    assert "set: The provider does not list the set" in capsys.readouterr().out


@pytest.mark.spec("H17")
def test_the_set_is_looked_for_before_the_first_list_and_once_a_day(link: Link, provider: Provider) -> None:
    fill(provider, range(1))
    for _ in range(3):
        assert harvest(Link.objects.get()).state == "done"
    assert [arguments["verb"] for arguments in provider.asked].count("ListSets") == 1
    assert [arguments["verb"] for arguments in provider.asked[:3]] == ["Identify", "ListSets", "ListRecords"]

    Link.objects.update(set_checked=timezone.now() - timedelta(hours=24))
    harvest(Link.objects.get())
    assert len(provider.asked_for("ListSets")) == 2
    run = lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True)
    lifecycle.work(run.pk)
    assert len(provider.asked_for("ListSets")) == 2


@pytest.mark.spec("H17", "W10")
@pytest.mark.parametrize("gone", [True, False])
def test_an_empty_answer_for_a_set_that_is_gone_neither_deletes_nor_moves_the_link_on(
    link: Link, provider: Provider, gone: bool
) -> None:
    """What is stamped meanwhile, and comes when the set is back, would else be older than the cursor."""
    Link.objects.update(lateness_h=0)
    fill(provider, range(3))
    harvest(Link.objects.get())
    before = Link.objects.get().harvested_to
    assert before == at(provider.now)
    provider.entries.clear()
    provider.now = "2026-03-02T12:00:00Z"
    lists_sets(provider, ("OTHER",) if gone else (TOULOUSE.spec,))
    Link.objects.update(set_checked=None)

    run = harvest(Link.objects.get())

    assert run.state == "done" and held() == {identifier(number) for number in range(3)}
    assert Link.objects.get().harvested_to == (before if gone else at(provider.now))


@pytest.mark.spec("H18")
@pytest.mark.parametrize("error", ["noSetHierarchy", "badVerb"])
def test_records_that_come_for_a_set_that_is_not_listed_are_stored_and_the_operator_is_told(
    link: Link, provider: Provider, error: str
) -> None:
    fill(provider, range(2))
    provider.faults.append(
        lambda a: xml(provider.envelope(f'<error code="{error}">x</error>')) if a["verb"] == "ListSets" else None
    )
    run = harvest(link)

    assert len(held()) == 2 and Link.objects.get().harvested_to == STAMP
    no_sets = error == "noSetHierarchy"
    assert ("says that it has no sets" in run.message) is no_sets
    assert Link.objects.get().set_state == ("no sets" if no_sets else "not told")


def test_a_link_without_a_remote_set_does_not_ask_for_sets(link: Link, provider: Provider) -> None:
    Link.objects.update(remote_set="", kind="centre")
    fill(provider, range(1))
    harvest(Link.objects.get())
    assert provider.asked_for("ListSets") == []
