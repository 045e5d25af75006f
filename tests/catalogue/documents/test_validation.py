"""Labels: what the checks say of a record is kept beside it, follows its versions, and touches nothing of it."""

import csv
import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from shutil import copytree

import pytest
from django.test import Client
from django.urls import reverse
from pytest_httpserver import HTTPServer

from catalogue import locks, tasks, validation
from catalogue.documents import schemas, wcmp, xml_tree
from catalogue.documents.wcmp import Fault
from catalogue.models import DatestampClock, Record, Validation
from catalogue.writing import store
from tests.support import looking, world
from tests.support.commands import printed
from tests.support.paths import ROOT, shared
from tests.support.threads import TIMEOUT_S, threads

SAMPLES = sorted((ROOT / "catalogue" / "samples").rglob("*.xml"))
Structure = Validation.Structure
HOUR_S = 3600.0


@pytest.fixture
def schema_dir(settings) -> Path:
    folder = shared("schemas")
    settings.GISC_SCHEMA_DIR = str(folder)
    return folder


@pytest.fixture
def no_schemas(settings) -> None:
    settings.GISC_SCHEMA_DIR = ""


def sample(name: str) -> bytes:
    return next(file for file in SAMPLES if name in file.stem).read_bytes()


def label_all() -> int:
    """Label what has no current label; how many that were."""
    checked: list[int] = []
    assert validation.label_records(seconds=HOUR_S, advance=checked.append) is None
    return sum(checked)


def labels() -> dict[str, str]:
    return dict(Validation.objects.values_list("record__identifier", "structure"))


def faults_of(identifier: str) -> list[dict[str, str]]:
    return Validation.objects.get(record__identifier=identifier).faults


VALID = world.iso_record("urn:valid")
INVALID = VALID.replace(b"urn:valid", b"urn:invalid").replace(b"<gmd:language>", b"<gmd:tongue/><gmd:language>", 1)


# --- One document -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ('<a xmlns:gml="http://www.opengis.net/gml"/>', schemas.SchemaSet.ISO_2006),
        ("<a><b xmlns:g = 'http://www.opengis.net/gml'/></a>", schemas.SchemaSet.ISO_2006),
        ('<a xmlns:gml="http://www.opengis.net/gml/3.2"/>', schemas.SchemaSet.ISO_2007),
        ('<a xmlns:g="http://www.opengis.net/gml"><b xmlns:h="http://www.opengis.net/gml/3.2"/></a>', schemas.SchemaSet.ISO_2007),
        ("<a/>", schemas.SchemaSet.ISO_2007),
        ("<a>http://www.opengis.net/gml</a>", schemas.SchemaSet.ISO_2007),
    ],
)  # fmt: skip
def test_the_GML_namespace_chooses_the_schema_set(text: str, chosen: schemas.SchemaSet) -> None:
    assert schemas.choose_set(text.encode()) is chosen


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_every_sample_is_valid_and_has_no_fault(schema_dir: Path, file: Path) -> None:
    said = validation.check_document(xml_tree.root_element(file.read_bytes()))
    assert (said.structure, said.schema, said.faults) == (Structure.VALID, "iso19139-20070417", ())


def test_every_real_record_is_labelled_as_the_published_tools_label_it(schema_dir: Path) -> None:
    data = shared("data")
    with (data / "manifest.csv").open(encoding="utf-8", newline="") as rows:
        expected = {row["file"]: (f"{row['schema_auto']}", row["valid_auto"]) for row in csv.DictReader(rows)}
    said = {}
    for name in expected:
        outcome = validation.check_document(xml_tree.root_element((data / name).read_bytes()))
        said[name] = (outcome.schema.removeprefix("iso19139-")[:4], outcome.structure.value)
        assert not [fault for fault in outcome.faults if "tell the developers" in fault.text], name
        assert (outcome.structure is Structure.INVALID) == any(fault.rule == "6.1.1" for fault in outcome.faults)
        assert len(json.dumps([fault._asdict() for fault in outcome.faults])) < 60_000
    assert {name: (said[name], expected[name]) for name in expected if said[name] != expected[name]} == {}
    assert Counter(said.values()) == {
        ("2006", "valid"): 590,
        ("2006", "invalid"): 191,
        ("2007", "valid"): 254,
        ("2007", "invalid"): 129,
    }


def test_a_fault_of_structure_names_line_and_element_without_namespaces(schema_dir: Path) -> None:
    said = validation.check_document(xml_tree.root_element(INVALID))
    assert said.structure is Structure.INVALID
    rule, text = said.faults[0]
    assert rule == "6.1.1"
    assert text.startswith("line 3: Element 'tongue': This element is not expected.")
    assert "{" not in text


def test_very_many_faults_of_structure_are_counted(schema_dir: Path) -> None:
    document = VALID.replace(b"<gmd:dateStamp>", b'<gmd:contact x="1"/>' * 3000 + b"<gmd:dateStamp>")
    said = [
        fault for fault in validation.check_document(xml_tree.root_element(document)).faults if fault.rule == "6.1.1"
    ]
    assert len(said) == schemas.MAX_FAULTS + 1
    assert said[-1].text == "and 2990 faults more"


def test_without_schemas_the_structure_is_not_checked_and_the_profile_is(no_schemas: None) -> None:
    said = validation.check_document(xml_tree.root_element(INVALID))
    assert (said.structure, said.schema) == (Structure.NOT_CHECKED, "")
    assert {"8.2.1", "8.2.4"} <= {fault.rule for fault in said.faults}


def test_schemas_that_cannot_be_used_leave_the_structure_unchecked(settings, tmp_path: Path, caplog) -> None:
    """As where a file is missing that another one imports: told once, and never a reason to ask the network."""
    copytree(shared("schemas"), tmp_path / "schemas", ignore=lambda _, names: {"xlink.xsd"} & set(names))
    settings.GISC_SCHEMA_DIR = str(tmp_path / "schemas")
    for _ in range(2):
        assert validation.check_document(xml_tree.root_element(VALID)).structure is Structure.NOT_CHECKED
    assert [record.message for record in caplog.records] == ["records are not checked against schemas"]


def test_nothing_is_fetched_that_a_record_or_a_schema_names(
    settings, tmp_path: Path, httpserver: HTTPServer, schema_dir: Path
) -> None:
    httpserver.expect_request("/gmd.xsd").respond_with_data("<x/>")
    there = httpserver.url_for("/gmd.xsd").encode()
    element = xml_tree.root_element(VALID.replace(b"http://www.isotc211.org/2005/gmd/gmd.xsd", there))
    assert there in element
    assert validation.check_document(element).structure is Structure.VALID
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "catalog.xml").write_bytes((schema_dir / "catalog.xml").read_bytes())
    (folder / "iso19139-20070417.xsd").write_bytes(
        b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:import namespace="urn:x" schemaLocation="%b"/>'
        b'<xs:element name="a" xmlns:x="urn:x" type="x:t"/></xs:schema>' % there
    )
    with pytest.raises(schemas.UnusableSchemas):
        schemas.load(folder, schemas.SchemaSet.ISO_2007)
    assert httpserver.log == []


# --- Labels beside records ----------------------------------------------------------------------------


@pytest.mark.django_db
def test_invalid_records_are_stored_and_labelled_and_the_label_touches_nothing_of_them(schema_dir: Path) -> None:
    world.put(VALID, INVALID, sample("SMJP01RJTD"))
    world.put(world.iso_record("urn:peers", title="Theirs"), into=world.peer_set(world.TOULOUSE))
    before, listed = looking.row_versions(), looking.listed()
    stamps = list(Record.objects.order_by("pk").values_list("datestamp", "digest", "set_specs"))
    assert label_all() == 4
    assert labels() == {
        "urn:valid": "valid",
        "urn:invalid": "invalid",
        "urn:x-wmo:md:int.wmo.wis::SMJP01RJTD": "valid",
        "urn:peers": "valid",
    }
    assert list(Record.objects.order_by("pk").values_list("datestamp", "digest", "set_specs")) == stamps
    assert looking.listed() == listed
    after = looking.row_versions()
    # Of a record only xmax may differ: the foreign key takes a lock on it that is kept there.
    for table in before:
        assert [row[:2] for row in before[table]] == [row[:2] for row in after[table]], table


@pytest.mark.django_db
def test_what_has_a_current_label_is_left_alone(schema_dir: Path) -> None:
    world.put(VALID, INVALID)
    assert label_all() == 2
    checked = dict(Validation.objects.values_list("pk", "checked"))
    assert label_all() == 0
    assert dict(Validation.objects.values_list("pk", "checked")) == checked


@pytest.mark.django_db
def test_a_new_version_is_checked_again_and_shown_as_unchecked_until_then(schema_dir: Path) -> None:
    world.put(VALID, world.iso_record("urn:other"))
    label_all()
    world.put(INVALID.replace(b"urn:invalid", b"urn:valid"))
    record = Record.objects.select_related("validation").get(identifier="urn:valid")
    assert validation.current_label(record) is None
    assert validation.count_unlabelled() == 1
    assert label_all() == 1
    assert labels() == {"urn:valid": "invalid", "urn:other": "valid"}
    record = Record.objects.select_related("validation").get(identifier="urn:valid")
    assert validation.current_label(record) == record.validation


@pytest.mark.django_db
def test_all_is_checked_again_when_the_rules_or_the_schemas_change(settings, schema_dir: Path, monkeypatch) -> None:
    settings.GISC_SCHEMA_DIR = ""
    world.put(VALID, INVALID)
    assert label_all() == 2
    assert set(labels().values()) == {"not checked"}
    settings.GISC_SCHEMA_DIR = str(schema_dir)
    assert label_all() == 2
    assert set(labels().values()) == {"valid", "invalid"}
    monkeypatch.setattr(validation, "_code_digest", lambda: "other code")
    assert label_all() == 2
    assert label_all() == 0


def test_the_text_of_the_rules_changes_with_a_file_of_the_schemas_and_fits_its_column(settings, tmp_path: Path) -> None:
    said = set()
    for number, content in enumerate((b"<a/>", b"<a/>", b"<b/>")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "catalog.xml").write_bytes(b"<catalog/>")
        (folder / "x.xsd").write_bytes(content)
        settings.GISC_SCHEMA_DIR = str(folder)
        said.add(validation.rules())
    assert len(said) == 2
    assert max(map(len, said)) <= 64


@pytest.mark.django_db
def test_a_deleted_record_loses_its_label_at_once_and_gets_none(schema_dir: Path) -> None:
    world.put(VALID, INVALID)
    label_all()
    world.bury("urn:valid")
    assert labels() == {"urn:invalid": "invalid"}
    assert label_all() == 0
    world.put(VALID)
    assert label_all() == 1


@pytest.mark.django_db
def test_a_record_deleted_while_it_is_checked_keeps_no_label(schema_dir: Path, monkeypatch) -> None:
    world.put(VALID, INVALID)
    real = validation.check_document

    def deletes_meanwhile(element: bytes) -> validation.CheckResult:
        if b"urn:valid" in element:
            world.bury("urn:valid")
        return real(element)

    monkeypatch.setattr(validation, "check_document", deletes_meanwhile)
    label_all()
    assert labels() == {"urn:invalid": "invalid"}


@pytest.mark.django_db
def test_a_label_left_on_a_tombstone_is_taken_off_with_the_next_walk(schema_dir: Path) -> None:
    world.put(VALID)
    label_all()
    held = Validation.objects.get()
    world.bury("urn:valid")
    held.save(force_insert=True)
    label_all()
    assert labels() == {}


@pytest.mark.django_db
def test_a_record_that_makes_the_checks_fail_gets_a_fault_that_says_so_and_the_others_their_labels(
    schema_dir: Path, monkeypatch
) -> None:
    world.put(VALID, INVALID, world.iso_record("urn:damaged"))
    Record.objects.filter(identifier="urn:damaged").update(payload=b"no zstd")
    real = validation._structure

    def fails(element: bytes, root: object) -> object:
        if b"urn:valid" in element:
            raise MemoryError("no more")
        return real(element, root)

    monkeypatch.setattr(validation, "_structure", fails)
    assert label_all() == 3
    assert labels() == {"urn:valid": "not checked", "urn:invalid": "invalid", "urn:damaged": "not checked"}
    assert faults_of("urn:valid") == [
        {"rule": "node", "text": "The checks failed on this record (MemoryError: no more); please tell the developers"}
    ]
    assert faults_of("urn:damaged")[0]["text"].startswith("The stored metadata cannot be read")


@pytest.mark.django_db
def test_faults_are_kept_as_rule_and_sentence(schema_dir: Path, monkeypatch) -> None:
    monkeypatch.setattr(wcmp, "check", lambda _root: [Fault("8.2.1", "say “é” \\ 'x'")])
    world.put(VALID)
    label_all()
    assert faults_of("urn:valid") == [{"rule": "8.2.1", "text": "say “é” \\ 'x'"}]


# --- Slices, tasks, the command -----------------------------------------------------------------------


@pytest.mark.django_db
@validation.LIMITS.replaced(batch=2)
def test_slices_walk_from_the_newest_record_to_the_oldest_and_meet_each_once(no_schemas: None) -> None:
    world.put(*(world.iso_record(f"urn:{number}") for number in range(7)))
    for number in range(7):
        world.restamp(f"urn:{number}", f"2024-01-0{number // 3 + 1}T00:00:00Z")
    met: list[str] = []
    place = validation.label_records(seconds=0)
    while place is not None:
        met += sorted(set(labels()) - set(met), reverse=True)
        place = validation.label_records(place, seconds=0)
    assert met == [f"urn:{number}" for number in reversed(range(7))]


@pytest.mark.django_db
def test_a_process_that_reached_the_end_looks_only_at_what_was_written_since(no_schemas: None) -> None:
    world.put(*(world.iso_record(f"urn:{number}") for number in range(3)))
    stamp = DatestampClock.objects.get().stamp
    assert label_all() == 3
    assert validation._last_walk == (validation.rules(), stamp)
    Record.objects.update(datestamp=stamp - timedelta(days=1))
    Validation.objects.all().delete()
    assert label_all() == 0  # by no way of ours can a label be lost under an old datestamp
    world.put(world.iso_record("urn:new"))
    assert label_all() == 1


@pytest.mark.django_db
def test_what_is_unchecked_is_found_behind_the_last_complete_walk(no_schemas: None) -> None:
    def unchecked() -> set[str]:
        return set(Record.objects.filter(pk__in=validation.unchecked()).values_list("identifier", flat=True))

    world.put(world.iso_record("urn:1"), world.iso_record("urn:2"))
    world.restamp("urn:1", "2024-01-01T00:00:00Z")
    assert unchecked() == {"urn:1", "urn:2"}, "no walk was completed"
    label_all()
    assert unchecked() == {"urn:1", "urn:2"}, "there are no schemas"
    Validation.objects.update(structure="valid")
    assert unchecked() == set()
    world.put(world.iso_record("urn:new"))
    assert unchecked() == {"urn:new"}
    Validation.objects.all().delete()  # by no way of ours
    world.restamp("urn:1", "2024-01-01T00:00:00Z")
    assert unchecked() == {"urn:2", "urn:new"}
    DatestampClock.objects.update(stamp="2024-02-01T00:00:00Z")  # as after a wrong clock that somebody has corrected
    assert unchecked() == {"urn:1", "urn:2", "urn:new"}


@pytest.mark.django_db
@validation.LIMITS.replaced(batch=1)
def test_a_walk_begun_under_other_rules_begins_anew(no_schemas: None, monkeypatch) -> None:
    world.put(world.iso_record("urn:1"), world.iso_record("urn:2"))
    place = validation.label_records(seconds=0)
    assert len(labels()) == 1
    monkeypatch.setattr(validation, "_code_digest", lambda: "other code")
    assert validation.label_records(place, seconds=HOUR_S) is None
    assert set(Validation.objects.values_list("rules", flat=True)) == {validation.rules()}
    assert len(labels()) == 2


@pytest.mark.django_db
def test_an_empty_catalogue_has_nothing_to_check() -> None:
    assert label_all() == 0
    DatestampClock.objects.all().delete()
    assert label_all() == 0


@pytest.mark.django_db
@validation.LIMITS.replaced(batch=1, slice_s=0)
def test_a_task_works_for_its_time_and_queues_its_successor_where_it_stopped(no_schemas: None, monkeypatch) -> None:
    sent: list[tuple] = []
    monkeypatch.setattr(tasks.validate, "apply_async", lambda arguments, expires: sent.append((arguments, expires)))
    world.put(*(world.iso_record(f"urn:{number}") for number in range(3)))
    tasks.queue_validation()
    number = 0
    while number < len(sent):
        arguments, expires = sent[number]
        assert expires == tasks.EXPIRES_S
        tasks.validate(*json.loads(json.dumps(arguments)))  # as through the broker
        number += 1
    assert number == 4  # the last one finds nothing more
    assert len(labels()) == 3


@pytest.mark.django_db(transaction=True)
def test_only_one_process_labels_at_a_time(no_schemas: None) -> None:
    world.put(VALID)
    with threads(1) as running:
        with locks.session_lock(locks.VALIDATION, wait=False) as taken:
            assert taken
            running.start(tasks.validate).result(TIMEOUT_S)
            assert labels() == {}
        running.start(tasks.validate).result(TIMEOUT_S)
    assert labels() == {"urn:valid": "not checked"}


def command(*arguments: str) -> str:
    return printed("catalogue", *arguments)


@pytest.mark.django_db
def test_the_command_checks_what_waits_or_all_and_says_what_it_saw(schema_dir: Path) -> None:
    world.put(VALID, INVALID, sample("SMJP01RJTD"))
    assert json.loads(command("validate", "--json")) == {
        "checked": 3,
        "valid": 2,
        "invalid": 1,
        "not_checked": 0,
        "faulty": 2,
    }
    assert command("validate") == (
        "0 records checked; of the catalogue 2 are valid, 1 invalid, 0 not checked, and 2 have faults of some rule\n"
    )
    before = Validation.objects.earliest("checked").checked
    assert command("validate", "--all").startswith("3 records checked;")
    assert Validation.objects.earliest("checked").checked >= before


@pytest.mark.django_db
def test_counts_by_set_take_no_label_of_an_earlier_version(schema_dir: Path) -> None:
    toulouse = world.peer_set(world.TOULOUSE)
    world.put(VALID, INVALID)
    world.put(world.iso_record("urn:t"), world.iso_record("urn:gone"), into=toulouse)
    label_all()
    world.put(world.iso_record("urn:t", title="Anew"), into=toulouse)
    world.bury("urn:gone", into=toulouse)
    assert json.loads(command("stats", "--json"))["checks"] == {
        "WIS-CATALOGUE": {"valid": 1, "invalid": 1, "not_checked": 1, "faulty": 2},
        world.own_set().spec: {"valid": 1, "invalid": 1, "not_checked": 0, "faulty": 2},
        toulouse.spec: {"valid": 0, "invalid": 0, "not_checked": 1, "faulty": 0},
    }
    assert "with faults" in " ".join(command("stats").split())


# --- What people see ----------------------------------------------------------------------------------


def record_page(client: Client, identifier: str) -> str:
    return " ".join(client.get(reverse("catalogue:record"), {"id": identifier}).content.decode().split())


@pytest.mark.django_db
def test_the_record_page_says_what_the_checks_said(client: Client, schema_dir: Path) -> None:
    world.put(INVALID, sample("SMJP01RJTD"))
    assert "not checked yet" in record_page(client, "urn:invalid")
    label_all()
    shown = record_page(client, "urn:invalid")
    assert "invalid by the schemas iso19139-20070417" in shown
    assert "8.2.1: No keyword is from the WMO_CategoryCode list" in shown
    shown = record_page(client, "urn:x-wmo:md:int.wmo.wis::SMJP01RJTD")
    assert "valid by the schemas iso19139-20070417; nothing against the WMO Core Profile 1.3" in shown


@pytest.mark.django_db
def test_the_record_page_shows_categories_contacts_and_links_of_which_only_web_addresses_can_be_followed(
    client: Client,
) -> None:
    document = sample("SMJP01RJTD").decode()
    start, end = document.index("<gmd:onLine>"), document.index("</gmd:onLine>") + len("</gmd:onLine>")
    one = document[start:end]
    address = "https://gisc-tokyo.example.org/cache/SMJP01RJTD"
    evil = ("javascript:alert(1)", "data:text/html,x", " JaVaScript:alert(1)", "file:///etc/passwd", "//evil.example")
    links = "".join(one.replace(address, url) for url in (address, "FTP://a.example/b", *evil))
    document = document[:start] + links + document[end:]
    document = document.replace("SMJP01 RJTD, last 24 hours", "&lt;script&gt;x&lt;/script&gt;")
    world.put(document.encode())
    shown = record_page(client, "urn:x-wmo:md:int.wmo.wis::SMJP01RJTD")
    assert "<dd>meteorology · weather observations · synoptic meteorology</dd>" in shown
    assert "Japan Meteorological Agency (point of contact)" in shown and "obs-data.jma@example.org" not in shown
    contacts = client.get("/contacts", {"id": "urn:x-wmo:md:int.wmo.wis::SMJP01RJTD"}).content.decode()
    assert "Japan Meteorological Agency (point of contact), obs-data.jma@example.org" in contacts
    assert f'<a href="{address}" rel="nofollow noopener">&lt;script&gt;x&lt;/script&gt;</a>' in shown
    assert '<a href="FTP://a.example/b" rel="nofollow noopener">' in shown
    assert "javascript:alert(1)" in shown
    for url in evil:
        assert f'href="{url.strip()}' not in shown
    assert "<script>x" not in shown


@pytest.mark.django_db
def test_the_admin_lists_and_filters_by_what_the_checks_said(admin_client: Client, schema_dir: Path) -> None:
    world.put(VALID, INVALID, sample("SMJP01RJTD"))
    label_all()
    world.put(world.iso_record("urn:new"))
    world.put(world.iso_record("urn:gone"))
    world.bury("urn:gone")
    records = reverse("admin:catalogue_record_changelist")
    expected = {
        "valid": {"urn:valid", "urn:x-wmo:md:int.wmo.wis::SMJP01RJTD"},
        "invalid": {"urn:invalid"},
        "not checked": {"urn:new"},
        "faults": {"urn:valid", "urn:invalid"},
    }
    for choice, identifiers in expected.items():
        answer = admin_client.get(records, {"checks": choice})
        assert {record.identifier for record in answer.context["cl"].result_list} == identifiers, choice
    assert admin_client.get(records).status_code == 200
    invalid = Record.objects.get(identifier="urn:invalid")
    shown = admin_client.get(reverse("admin:catalogue_record_change", args=[invalid.pk])).content.decode()
    assert "This element is not expected" in shown
    assert "8.2.1" in shown
    gone = Record.objects.get(identifier="urn:gone")
    assert admin_client.get(reverse("admin:catalogue_record_change", args=[gone.pk])).status_code == 200


@pytest.mark.django_db
def test_no_label_keeps_a_record_out(schema_dir: Path) -> None:
    """What the store takes is decided by `metadata` alone; it does not even import the checks."""
    assert not {"validation", "wcmp", "schemas"} & set(vars(store))
    assert store.prepare(INVALID).identifier == "urn:invalid"


@pytest.mark.parametrize("name", ["identificationInfo", "citation", "resourceConstraints"])
def test_a_record_that_would_cost_too_much_has_no_score(name: str) -> None:
    """What the expressions cost grows with elements times depth."""
    item = b"<gmd:citation><gmd:identifier><gmd:code><gmx:Anchor/></gmd:code></gmd:identifier></gmd:citation>"
    start = b'<gmd:identificationInfo xmlns:gmx="http://www.isotc211.org/2005/gmx">'

    def document(items: int) -> bytes:
        nested = f"<gmd:{name}>".encode() * 90 + item * items + f"</gmd:{name}>".encode() * 90
        return VALID.replace(
            b"<gmd:identificationInfo>", start + nested + b"</gmd:identificationInfo><gmd:identificationInfo>", 1
        )

    assert validation.check_document(xml_tree.root_element(document(1000))).kpis.scores
    large = validation.check_document(xml_tree.root_element(document(12_000)))
    assert large.kpis == ((), None, "")
