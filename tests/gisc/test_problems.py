"""What needs a person: each problem with its code, its place and what to do, the most urgent first."""

import uuid
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_httpserver import HTTPServer
from werkzeug import Response

from catalogue import bootstrap
from catalogue.bulk.watch import Watcher
from catalogue.models import Dictionary, MetadataSet, ReadBackWalk, Record, Upload
from catalogue.payloads import payload
from catalogue.writing import read_back
from gisc.alerts import watch
from gisc.parts import parts
from gisc.problem_reasons import ProblemCode
from gisc.problems import Problem, Severity, State, find_problems
from harvester import schedule
from harvester.links import edit
from harvester.messages import Remark, RemarkCode
from harvester.models import Alternative, Conflict, Link, LinkDay, Run
from harvester.runs import lifecycle
from tests.support.heartbeats import beat_as_worker_and_beat, no_heartbeats
from tests.support.nodes import free_port
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import harvest
from tests.support.world import TOULOUSE, iso_record, put

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(httpserver: HTTPServer) -> Provider:
    return Provider(httpserver)


@pytest.fixture
def link(toulouse: MetadataSet, provider: Provider) -> Link:
    return Link.objects.create(
        name="toulouse",
        base_url=provider.base_url,
        remote_set=TOULOUSE.spec,
        local_set=toulouse,
        lateness_h=schedule.MAX_LATENESS_H,
        grace_h=30,
    )


def of_links(**when: object) -> list[Problem]:
    return [problem for problem in find_problems(**when) if problem.link_id is not None]


def codes() -> list[str]:
    return [str(problem.code) for problem in of_links()]


def waiting(link: Link, key: str, kind: str) -> None:
    now = timezone.now()
    Conflict.objects.create(link=link, key=key, identifier=key, kind=kind, first_seen=now, last_seen=now)


def test_a_link_on_which_all_is_well_is_no_problem(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    assert of_links() == []


def test_a_link_that_fails_says_since_when_and_why_and_is_urgent_once_it_is_stale(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(3))
    harvest(link)
    provider.faults.append(lambda arguments: Response("no", status=403))
    harvest(link)
    harvest(link)
    (problem,) = of_links()
    link.refresh_from_db()
    run = Run.objects.order_by("-begun")[0]
    assert (problem.code, problem.subject, problem.name) == (ProblemCode.LINK_FAILED, f"link:{link.pk}", "toulouse")
    assert (problem.severity, problem.state, problem.since) == (Severity.SOON, State.FAILING, link.failing_since)
    assert problem.url == f"/admin/harvester/run/{run.pk}/change/" and problem.link_id == link.pk
    assert "2 in a row" in problem.text and "let this node's requests through" in problem.text and problem.todo
    Link.objects.update(next_due=timezone.now() + timedelta(days=9))
    (later,) = of_links(now=timezone.now() + timedelta(hours=31))
    assert (later.code, later.severity) == (ProblemCode.LINK_FAILED, Severity.URGENT)
    assert later.key == problem.key
    provider.faults.clear()
    harvest(link)
    assert of_links() == []


def test_a_try_that_is_made_again_by_itself_needs_nobody(link: Link, provider: Provider) -> None:
    provider.faults.append(lambda arguments: Response("busy", status=503))
    run = lifecycle.open_run(link, trigger="test")
    lifecycle.work(run.pk)
    assert codes() == []


def test_a_link_is_stale_when_its_grace_is_over_and_overdue_where_no_run_begins(link: Link, provider: Provider) -> None:
    fill(provider, range(3))
    harvest(link)
    Link.objects.update(next_due=timezone.now() + timedelta(days=9))
    assert of_links(now=timezone.now() + timedelta(hours=29)) == []
    (stale,) = of_links(now=timezone.now() + timedelta(hours=31))
    assert (stale.code, stale.state) == (ProblemCode.LINK_STALE, State.STALE) and "30 hours" in stale.text
    Link.objects.update(grace_h=0, interval_s=20 * 3600)
    assert of_links(now=timezone.now() + timedelta(hours=39)) == []
    assert [each.code for each in of_links(now=timezone.now() + timedelta(hours=41))] == [ProblemCode.LINK_STALE]
    assert [each.code for each in of_links(now=timezone.now() + timedelta(days=10))] == [ProblemCode.LINK_OVERDUE]
    Link.objects.update(enabled=False)
    assert of_links(now=timezone.now() + timedelta(days=10)) == []


def test_what_a_person_has_to_decide_is_told_with_its_place(link: Link, provider: Provider) -> None:
    fill(provider, range(8))
    provider.entries["urn:bad"] = ("2026-02-01T00:00:00Z", b'<?xml version="1.0"?><x/>')
    harvest(link)
    for number in range(6):
        del provider.entries[identifier(number)]
    Link.objects.update(ceiling_records=1, ceiling_percent=0)
    lifecycle.work(lifecycle.open_comparison(Link.objects.get(), trigger="test", whole=True).pk)
    waiting(link, "a", Conflict.Kind.DIFFERS)
    waiting(link, "b", Conflict.Kind.MASS)
    waiting(link, "c", Conflict.Kind.MASS)
    doubt = Remark(RemarkCode.LIST_SHORT, {"announced": 9, "listed": 7, "missing": 2}).to_json()
    Link.objects.update(moved_to="https://new.example.org/oai", doubts=[doubt])
    found = {problem.code: problem for problem in of_links()}
    assert list(found) == [
        ProblemCode.DELETIONS_WAITING,
        ProblemCode.ABOVE_CEILING,
        ProblemCode.DOUBT,
        ProblemCode.MOVED,
        ProblemCode.CONFLICTS_WAITING,
        ProblemCode.DRIFT,
        ProblemCode.REJECTS,
    ]
    assert "Deletions that wait: 2" in found[ProblemCode.DELETIONS_WAITING].text
    assert found[ProblemCode.DELETIONS_WAITING].since is not None
    assert found[ProblemCode.CONFLICTS_WAITING].text.startswith("Conflicts that wait for a decision: 1.")
    assert found[ProblemCode.CONFLICTS_WAITING].url.startswith("/admin/harvester/conflict/?link__id__exact=")
    assert found[ProblemCode.REJECTS].url.endswith("/change/#rejects")
    assert all(problem.todo for problem in found.values())


def test_a_link_without_its_set_or_its_password_fails_for_that_alone(link: Link) -> None:
    Link.objects.update(failures=3, failing_since=timezone.now(), set_state=Link.SetState.MISSING)
    assert codes() == ["set-missing"]
    link.refresh_from_db()
    link.set_state, link.user = "", "tokyo"
    link.set_password("s3cret")
    link.save()
    with override_settings(SECRET_KEY="another"):
        assert codes() == ["password-unreadable"]


def test_records_that_come_or_go_at_once_are_told_and_a_set_that_is_being_filled_is_not(
    link: Link, provider: Provider
) -> None:
    fill(provider, range(60))
    provider.page_size = 60
    harvest(link)
    assert codes() == []
    now = timezone.now()
    LinkDay.objects.update(day=now.date() - timedelta(days=2))
    fill(provider, range(60, 111), stamp="2026-02-20T00:00:00Z")
    harvest(link)
    (problem,) = of_links()
    assert problem.code == ProblemCode.COUNTS_CHANGED
    assert "51 records were added and 0 deleted in a set that had 60" in problem.text
    Link.objects.update(next_due=now + timedelta(days=9), grace_h=200)
    assert of_links(now=now + timedelta(days=2)) == []


def test_another_provider_than_its_own_is_a_notice(link: Link) -> None:
    other = Alternative.objects.create(link=link, base_url="https://offenbach.example.org/oai", remote_set="X")
    Link.objects.update(serving=other, serving_since=timezone.now())
    (problem,) = of_links()
    assert (problem.code, problem.severity) == (ProblemCode.BY_ALTERNATIVE, Severity.NOTICE)
    assert str(other) in problem.text


def test_what_is_muted_stands_last_and_comes_back(link: Link) -> None:
    Link.objects.update(failures=3, failing_since=timezone.now())
    assert not of_links()[0].is_muted
    edit.mute(link, 24)
    assert find_problems()[-1].is_muted
    assert not of_links(now=timezone.now() + timedelta(hours=25))[0].is_muted
    edit.mute(link, 0)
    assert not of_links()[0].is_muted


def test_a_part_of_the_node_that_is_not_well_is_a_problem(db: None) -> None:
    found = {problem.subject: problem for problem in find_problems(node=parts.read())}
    assert found["part:clock"].code == ProblemCode.PART_CLOCK and found["part:clock"].severity == Severity.NOTICE
    assert "GISC_NTP_SERVERS" in found["part:clock"].text
    noon = timezone.now().replace(hour=12)
    watch.compare(found.values(), noon)
    assert {each.since for each in find_problems(node=parts.read())} == {noon}  # since when it was seen
    workers = found["part:workers"]
    assert (workers.severity, workers.state) == (Severity.URGENT, State.FAILING)
    assert workers.url == "/admin/"


def test_where_nothing_is_done_by_schedule_what_follows_is_marked_and_the_cause_is_not(
    link: Link, provider: Provider, settings
) -> None:
    fill(provider, range(3))
    harvest(link)
    later = timezone.now() + timedelta(hours=29)

    def follows(when: datetime = later) -> dict[str, bool]:
        return {str(problem.code): problem.follows for problem in find_problems(when, node=parts.read())}

    with no_heartbeats():
        found = follows()
        assert (found["part-workers"], found["part-beat"], found["link-overdue"]) == (False, False, True)
        beat_as_worker_and_beat()
        found = follows()
        assert "part-workers" not in found
        assert (found["part-beat"], found["link-overdue"]) == (False, True), (
            "no tick though both run: that is the cause"
        )
    settings.GISC_REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    found = follows()
    assert (found["part-redis"], found["part-beat"], found["link-overdue"]) == (False, True, True)
    assert follows(later + timedelta(hours=2))["link-overdue"] is False, "its records are old by now"


def test_the_queries_do_not_grow_with_the_links(link: Link, provider: Provider, admin_client: Client) -> None:
    node = parts.read()

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            find_problems(node=node)
        return len(captured)

    fill(provider, range(2))
    harvest(link)
    before = queries()
    for number in range(4):
        copy = Link.objects.get(name="toulouse")
        copy.report_key = uuid.uuid4()
        copy.pk, copy.name, copy.failures = None, f"copy-{number}", 2
        copy.save()
        waiting(copy, "a", Conflict.Kind.DIFFERS)
    assert queries() == before
    assert len(of_links()) == 8


# --- Stored records -------------------------------------------------------------------------------------


def test_records_that_cannot_be_read_back_are_a_problem_until_they_can() -> None:
    bootstrap.ensure_sets()

    def found() -> list[Problem]:
        read_back.read_all_back()
        return [problem for problem in find_problems() if problem.subject == "records:records-damaged"]

    put(*(iso_record(f"urn:{letter}") for letter in "abc"))
    assert found() == []
    Record.objects.filter(identifier="urn:b").update(payload=b"damaged")
    (one,) = found()
    assert (one.code, one.severity, one.state) == ("records-damaged", Severity.URGENT, State.FAILING)
    assert "cannot be read back: 1, the first urn:b." in one.text and "Load the others again" in one.todo
    assert one.url.endswith("?checks=damaged")
    Record.objects.filter(identifier="urn:c").update(payload=b"damaged")
    (two,) = found()
    assert two.key == one.key and "read back: 2," in two.text and two.url.endswith("?checks=damaged")
    put(*(iso_record(f"urn:{letter}") for letter in "bc"))
    assert found() == []


def test_records_without_their_dictionary_are_a_problem_until_it_is_back() -> None:
    bootstrap.ensure_sets()

    def found() -> list[str]:
        return [str(problem.code) for problem in find_problems() if problem.subject.startswith("records:")]

    put(iso_record("urn:a"))
    (row,) = Dictionary.objects.all()
    read_back.read_back_some()
    assert found() == []
    ReadBackWalk.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE catalogue_dictionary DISABLE TRIGGER USER")
    Dictionary.objects.all().delete()
    payload.clear_cache()
    with pytest.raises(payload.DictionaryDamaged):
        read_back.read_back_some()
    assert found() == ["dictionary-damaged"]
    row.save(force_insert=True)
    read_back.read_back_some()
    assert found() == []
    Record.objects.update(payload=b"damaged")
    read_back.read_all_back()
    assert found() == ["records-damaged"]
    Record.objects.update(payload=payload.pack(iso_record("urn:a").split(b"\n", 1)[1].strip()))
    Dictionary.objects.all().delete()
    payload.clear_cache()
    with pytest.raises(payload.DictionaryDamaged):
        read_back.read_back_some()
    assert found() == ["dictionary-damaged", "records-damaged"], "though the walk of the day is over"
    row.save(force_insert=True)
    read_back.read_back_some()
    assert found() == []


# --- Uploads --------------------------------------------------------------------------------------------


def upload_in_state(state: str, **values: object) -> Upload:
    now = timezone.now()
    facts = {"folder": uuid.uuid4(), "set_spec": "WIS-GISC-TOKYO", "files": [{"name": "all.zip", "bytes": 7}]}
    return Upload.objects.create(**facts, who="anna", created=now, worked=now, state=state, **values)


def test_an_upload_that_has_stopped_or_waits_for_a_day_is_a_problem() -> None:
    def found(after: timedelta = timedelta()) -> list[Problem]:
        return [each for each in find_problems(now=timezone.now() + after) if each.subject.startswith("upload:")]

    for state in (Upload.State.CHECKING, Upload.State.STORING, Upload.State.CLOSED):
        upload_in_state(state)
    waiting = upload_in_state(Upload.State.READY)
    assert found(timedelta(hours=23)) == []
    (forgotten,) = found(timedelta(hours=25))
    assert (forgotten.code, forgotten.severity, forgotten.name) == ("upload-waiting", Severity.NOTICE, "all.zip")
    assert "anna has sent into WIS-GISC-TOKYO" in forgotten.text and str(waiting.pk) in forgotten.url
    waiting.delete()
    fault = {"code": "upload-stalled", "facts": {"tries": 5, "number": 300}}
    upload_in_state(Upload.State.FAILED, fault=fault, documents=900, stored=300, finished=timezone.now())
    (failed,) = found()
    assert (failed.code, failed.state) == ("upload-failed", State.FAILING)
    assert "5 workers have ended" in failed.text and "checked: 900, stored: 300." in failed.text


# --- Watched folders ------------------------------------------------------------------------------------


def of_folders(after: timedelta = timedelta()) -> list[Problem]:
    found = find_problems(now=timezone.now() + after)
    return [problem for problem in found if problem.subject.startswith("folder:")]


def look_until_settled(watcher: Watcher) -> None:
    while watcher.look().waiting:
        pass


def test_what_is_wrong_with_a_watched_folder_is_a_problem_as_long_as_it_is_wrong(tmp_path: Path) -> None:
    bootstrap.ensure_sets()
    folder = tmp_path / "watched"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.xml").write_bytes(iso_record(f"urn:{name}"))
    watcher = Watcher(folder, bootstrap.own_set(), every_s=5)
    look_until_settled(watcher)
    assert of_folders() == []

    (folder / "b.xml").write_text("<html>Bad gateway</html>")
    (folder / "d.xml").write_text("")
    look_until_settled(watcher)
    (faults,) = of_folders()
    assert (faults.code, faults.severity, faults.name) == ("folder-faults", Severity.SOON, str(folder))
    assert "could not be stored: 2. The first document: " in faults.text and "b.xml is not an ISO 19139" in faults.text
    (folder / "b.xml").write_bytes(iso_record("urn:b"))
    (folder / "d.xml").unlink()
    look_until_settled(watcher)
    assert of_folders() == []

    for name in "abc":
        (folder / f"{name}.xml").rename(tmp_path / f"{name}.xml")
    look_until_settled(watcher)
    (vanished,) = of_folders()
    assert (vanished.code, vanished.state) == ("folder-above-ceiling", State.WAITING)
    assert "from this folder: 3," in vanished.text and "--once --beyond-ceiling" in vanished.todo
    Watcher(folder, bootstrap.own_set(), every_s=5).look()
    assert of_folders() == [vanished], "one that is started again does not know yet"
    for name in "abc":
        (tmp_path / f"{name}.xml").rename(folder / f"{name}.xml")
    look_until_settled(watcher)
    assert of_folders() == []

    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(FileNotFoundError):
        watcher.look()
    (unreadable,) = of_folders()
    assert unreadable.code == "folder-unreadable" and f"cannot be read: {folder}." in unreadable.text
    (tmp_path / "elsewhere").rename(folder)
    watcher.look()
    assert of_folders() == []


def test_a_folder_that_nobody_watches_any_more_is_a_problem_unless_somebody_has_ended_it(tmp_path: Path) -> None:
    bootstrap.ensure_sets()
    watcher = Watcher(tmp_path, bootstrap.own_set(), every_s=90)
    watcher.look()
    assert of_folders(timedelta(minutes=14)) == [], "ten looks"
    (late,) = of_folders(timedelta(minutes=16))
    assert (late.code, late.severity) == ("folder-not-watched", Severity.URGENT) and late.since is not None
    watcher.look()
    watcher.end()
    assert of_folders(timedelta(days=1)) == []
    Watcher(tmp_path, bootstrap.own_set()).look()
    assert of_folders(timedelta(days=1)) == [], "somebody looks now and then"
