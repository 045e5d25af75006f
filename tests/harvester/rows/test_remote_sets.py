"""The set that a link asks for is looked for: an unknown one and an empty one answer a list request alike (H17, H18)."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from werkzeug import Response

from harvester.links import failover
from harvester.models import Alternative, Link, Standby
from harvester.monitoring import status
from harvester.runs import lifecycle
from tests.support.provider import Provider, fill, identifier, xml
from tests.support.runs import at, harvest, held
from tests.support.world import TOULOUSE

STAMP = at("2026-02-01T00:00:00Z")


def seen() -> Link:
    return status.with_last_run(Link.objects.all()).get()


def state() -> tuple[str, str]:
    return status.link_state(seen())


def todos() -> list[str]:
    return [todo.text for todo in status.find_todos(seen())]


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
def test_an_unknown_set_and_an_empty_one_are_told_apart(link: Link, provider: Provider) -> None:
    lists_sets(provider, ("A",), ("B", TOULOUSE.spec))
    run = harvest(link)
    assert f"lists the set {TOULOUSE.spec}, and no records in it" in run.message
    assert Link.objects.get().set_state == "listed", "it stands on the second page"

    assert state() == ("done", "done") and not todos(), "an empty set is no fault"

    lists_sets(provider, ("A",), ("B",))
    run = harvest(Link.objects.get())
    assert (run.state, run.outcome_data["cause"]["code"]) == ("failed", "set-missing")
    assert f"does not list the set {TOULOUSE.spec}" in run.message


SENTENCE = (
    f"The provider does not list the set {TOULOUSE.spec}: it may be gone, or have another name now. Nothing was deleted; "
    "list its sets by “retrieve info”, and correct the remote setSpec of the link."
)


@pytest.mark.spec("H2", "H17")
def test_a_link_whose_set_is_missing_is_red_everywhere_and_says_why_and_what_to_do(
    link: Link, provider: Provider, admin_client: Client, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    lists_sets(provider, ("A",))
    run = harvest(link)
    assert run.state == "failed" and Link.objects.get().harvested_to is None

    assert state() == ("failed", "failed: set missing") and todos() == [SENTENCE]
    (facts,) = client.get("/harvest/status.json").json()["links"]
    assert (facts["state"], facts["state_text"], facts["set"]) == ("failed", "failed: set missing", "missing")
    assert facts["harvested_to"] is None
    assert facts["remarks"] == [
        {"code": "set-missing", "facts": {"set": TOULOUSE.spec, "state": "missing"}, "text": SENTENCE}
    ]
    assert facts["last_run"]["outcome_data"]["cause"]["code"] == "set-missing"
    figures = client.get("/metrics").content.decode()
    assert 'gisc_link_set_missing{link="toulouse"} 1.0' in figures
    assert 'gisc_link_state{link="toulouse",state="failed"} 1.0' in figures
    assert 'gisc_link_outcome{cause="set-missing",link="toulouse",outcome="failed"} 1.0' in figures
    public = client.get("/harvest/").content.decode()
    assert "gisc-is-failed" in public and "set missing" in public and SENTENCE.replace("'", "&#x27;") in public
    for page in ("/admin/harvester/link/", f"/admin/harvester/link/{link.pk}/change/"):
        shown = admin_client.get(page).content.decode()
        assert "set missing" in shown and SENTENCE in shown
    call_command("link", "list")
    told = " ".join(capsys.readouterr().out.split())
    assert f"toulouse: {SENTENCE}" in told
    call_command("link", "show", "toulouse")
    told = capsys.readouterr().out
    assert "state_text: failed: set missing" in told and f"todos: {SENTENCE}" in told
    for action in (("link", "list", "--json"), ("link", "show", "toulouse", "--json")):
        call_command(*action)
        told = json.loads(capsys.readouterr().out)
        shown = told[0] if isinstance(told, list) else told
        assert (shown["state"], shown["remarks"][0]["code"]) == ("failed", "set-missing")


@pytest.mark.spec("H17")
def test_a_set_that_goes_between_two_looks_is_noticed_at_once_and_misses_nothing_when_it_is_back(
    link: Link, provider: Provider
) -> None:
    """What was stamped meanwhile is older than the last empty list, so that list must not have moved the link on."""
    Link.objects.update(lateness_h=0)
    fill(provider, range(3), stamp="2026-03-01T11:00:00Z")
    harvest(Link.objects.get())
    before = Link.objects.get().harvested_to
    entries = dict(provider.entries)

    provider.entries.clear()
    lists_sets(provider, ("OTHER",))
    for hour in (13, 14):
        provider.now = f"2026-03-01T{hour}:00:00Z"
        assert harvest(Link.objects.get()).state == "failed"
    assert Link.objects.get().harvested_to == before and state() == ("failed", "failed 2 times: set missing")
    assert held() == {identifier(number) for number in range(3)}
    run = lifecycle.open_run(Link.objects.get(), trigger="test")
    assert run is not None and state()[0] == "failed", "until a run succeeds"
    lifecycle.cancel(run)

    provider.entries.update(entries)
    fill(provider, range(3, 4), stamp="2026-03-01T12:30:00Z")
    provider.faults.clear()
    provider.now = "2026-03-01T15:00:00Z"
    harvest(Link.objects.get())
    assert state() == ("done", "done") and todos() == []
    assert identifier(3) in held() and Link.objects.get().harvested_to == at(provider.now)


@pytest.mark.spec("H17")
def test_a_refusal_of_an_unknown_set_says_that_the_set_is_missing(link: Link, provider: Provider) -> None:
    harvest(link)
    assert Link.objects.get().set_state == "listed"
    lists_sets(provider, ("A",))
    provider.faults.append(
        lambda a: xml(provider.envelope('<error code="badArgument">set</error>')) if "Ide" not in a["verb"] else None
    )
    run = harvest(Link.objects.get())
    assert run.outcome_data["cause"] == {"code": "set-missing", "facts": {"set": TOULOUSE.spec, "state": "missing"}}
    assert state()[1] == "failed: set missing"


@pytest.mark.spec("H17", "W32")
def test_an_alternative_that_lacks_the_set_is_named_as_what_to_correct(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    relay = Alternative.objects.create(
        link=link, name="relay A", base_url=provider.base_url, prefix="iso19139", remote_set="TOULOUSE"
    )
    failover.switch(Link.objects.get(), relay)
    provider.entries.clear()
    harvest(Link.objects.get())
    assert state()[1] == "failed: set missing" and Link.objects.get().harvested_to is None
    assert "The provider does not list the set TOULOUSE" in todos()[0]
    assert "correct the remote setSpec of the alternative relay A" in todos()[0]
    assert len(held()) == 3


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

    assert run.state == ("failed" if gone else "done") and held() == {identifier(number) for number in range(3)}
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
    assert ("does not list the set" in run.message) is no_sets
    assert Link.objects.get().set_state == ("unlisted" if no_sets else "not told")
    assert state() == (("partial", "done, set not listed") if no_sets else ("done", "done"))
    assert harvest(Link.objects.get()).state == "done" and state()[0] == ("partial" if no_sets else "done")


@pytest.mark.spec("H18")
def test_a_provider_without_sets_that_has_nothing_for_the_link_is_a_fault_of_the_link(
    link: Link, provider: Provider
) -> None:
    provider.faults.append(
        lambda a: xml(provider.envelope('<error code="noSetHierarchy">x</error>')) if a["verb"] == "ListSets" else None
    )
    assert harvest(link).outcome_data["cause"]["facts"]["state"] == "no sets"
    assert "says that it has no sets" in todos()[0] and state()[0] == "failed"


@pytest.mark.spec("H13", "H17")
@pytest.mark.parametrize("asks_for_all", [False, True])
def test_a_link_that_has_never_brought_anything_says_so_unless_its_set_is_known_to_be_empty(
    link: Link, provider: Provider, asks_for_all: bool
) -> None:
    """A mistyped set at a provider whose sets cannot be listed."""
    if asks_for_all:
        Link.objects.update(remote_set="", kind="centre")
    provider.faults.append(
        lambda a: xml(provider.envelope('<error code="badVerb">x</error>')) if a["verb"] == "ListSets" else None
    )
    for _ in range(2):
        run = harvest(Link.objects.get())
        assert [remark["code"] for remark in run.outcome_data["remarks"]].count("list-empty") == 1
        assert state() == ("partial", "done, nothing listed")
        assert len(todos()) == 1 and ("no records at all" if asks_for_all else "setSpec is right") in todos()[0]
    fill(provider, range(1), stamp="2026-03-01T13:00:00Z")
    provider.now = "2026-03-01T14:00:00Z"
    harvest(Link.objects.get())
    assert state() == ("done", "done") and todos() == []


@pytest.mark.spec("H17", "W37")
def test_a_link_does_not_return_to_its_own_provider_while_that_lacks_the_set(link: Link, provider: Provider) -> None:
    relay = Alternative.objects.create(
        link=link, name="relay A", base_url=provider.base_url, prefix="iso19139", remote_set="A"
    )
    Link.objects.update(return_after_h=1)
    failover.switch(link, relay)
    standby = Standby.objects.get(alternative=None)
    lists_sets(provider, ("A",))
    failover.probe(standby.pk)
    assert failover.own_provider_answers_since(Link.objects.get(), timezone.now()) is None
    assert "cannot serve it" in failover.describe_return(Link.objects.get())
    assert f"does not list the set {TOULOUSE.spec}" in failover.describe_return(Link.objects.get())
    provider.faults.clear()
    failover.probe(standby.pk)
    assert failover.own_provider_answers_since(Link.objects.get(), timezone.now()) is not None


def test_a_link_without_a_remote_set_does_not_ask_for_sets(link: Link, provider: Provider) -> None:
    Link.objects.update(remote_set="", kind="centre")
    fill(provider, range(1))
    harvest(Link.objects.get())
    assert provider.asked_for("ListSets") == []
