"""What the checks say of the records of a set or centre together: counted by the ticks, shown in the administration and as CSV."""

import csv
from collections import Counter
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from catalogue import seams, tasks, validation
from catalogue.documents import kpi, xml_tree
from catalogue.models import MetadataSet, Quality, Record, Validation
from catalogue.payloads import payload
from catalogue.reading import quality as reading
from catalogue.reading.query.conditions import Words
from catalogue.writing import quality, set_changes, set_inclusion, set_searches
from tests.support import world
from tests.support.paths import ROOT, shared

pytestmark = pytest.mark.django_db
SAMPLES = sorted((ROOT / "catalogue" / "samples").rglob("*.xml"))
TOKYO, TOULOUSE = world.OUR_SPEC, world.TOULOUSE.spec


def label_all() -> None:
    assert validation.label_records(seconds=3600.0) is None


@pytest.fixture
def labelled(settings) -> None:
    settings.GISC_SCHEMA_DIR = str(shared("schemas"))
    own, theirs = world.own_set(), world.peer_set(world.TOULOUSE)
    for number, file in enumerate(SAMPLES[:12]):
        world.put(file.read_bytes(), into=own if number % 3 else theirs)
    world.put(world.iso_record("urn:plain", organisation="=cmd()"), into=own)
    virtual = set_inclusion.ensure_set("PLAIN", kind=MetadataSet.Kind.VIRTUAL)
    set_changes.go_on(set_searches.begin(virtual, Words("synop")))
    label_all()


def of_group(kind: str, name: str) -> Quality:
    return Quality.objects.get(kind=kind, name=name)


def naive(records: list[Record]) -> dict[str, object]:
    """The figures of some records, from their labels, one by one."""
    labels = [record.validation for record in records]
    scores = [sum(label.scores[place] for label in labels) for place in range(24)]
    return {
        "live": len(labels),
        "valid": sum(label.structure == "valid" for label in labels),
        "invalid": sum(label.structure == "invalid" for label in labels),
        "faulty": sum(bool(label.faults) for label in labels),
        "percent": round(sum(label.percent for label in labels) / len(labels), 6),
        "grades": {grade: sum(label.grade == grade for label in labels) for grade in kpi.GRADES},
        "rules": dict(Counter(rule for label in labels for rule in {fault["rule"] for fault in label.faults})),
        "kpis": [round(100 * a / b, 1) if b else None for a, b in zip(scores[::2], scores[1::2], strict=True)],
    }


def counted(row: Quality) -> dict[str, object]:
    names = ("live", "valid", "invalid", "faulty", "grades", "rules", "kpis")
    return {name: getattr(row, name) for name in names} | {"percent": round(row.percent, 6)}


def test_each_label_has_the_scores_of_its_record(labelled: None) -> None:
    assert Validation.objects.count() == 13
    for label in Validation.objects.select_related("record"):
        element = xml_tree.root_element(stored(label.record))
        result = validation.check_document(element)
        assert [number for score in result.kpis.scores for number in score] == label.scores
        assert (result.kpis.percent, result.kpis.grade) == (label.percent, label.grade)
        assert len(label.scores) == 24 and label.grade in kpi.GRADES


def stored(record: Record) -> bytes:
    return payload.unpack(record.payload)


def test_sets_and_centres_have_the_figures_of_their_records(labelled: None) -> None:
    quality.count()
    records = list(Record.objects.select_related("validation", "description", "owner"))
    by_set: dict[str, list[Record]] = {"WIS-CATALOGUE": records}
    for record in records:
        for spec in record.memberships.filter(deleted=False).values_list("set__spec", flat=True):
            by_set.setdefault(spec, []).append(record)
    assert set(by_set) == {"WIS-CATALOGUE", TOKYO, TOULOUSE, "PLAIN"}
    by_centre: dict[str, list[Record]] = {}
    for record in records:
        by_centre.setdefault(next(iter(record.description.organisations), ""), []).append(record)
    assert len(by_centre) > 1
    for kind, groups in (("set", by_set), ("centre", by_centre)):
        assert {row.name: counted(row) for row in Quality.objects.filter(kind=kind)} == {
            name: naive(each) for name, each in groups.items()
        }


def test_records_without_a_label_are_not_checked_and_have_no_score() -> None:
    world.put(world.iso_record("urn:a"))
    quality.count()
    row = of_group("set", TOKYO)
    assert (row.live, row.not_checked, row.percent, set(row.kpis)) == (1, 1, None, {None})
    label_all()
    world.put(world.iso_record("urn:a", title="Changed since"))
    quality.count()
    assert of_group("set", TOKYO).not_checked == 1, "a label of a former version does not count"


def test_without_schemas_there_is_no_grade_and_the_rules_count_without_them(settings) -> None:
    settings.GISC_SCHEMA_DIR = ""
    world.put(world.iso_record("urn:a"))
    label_all()
    label = Validation.objects.get()
    assert label.grade == "" and label.percent is not None
    assert label.scores[1] == 12


def test_the_tick_counts_when_something_changed_and_not_more_often_than_it_should(labelled: None) -> None:
    assert quality.count_if_outdated()
    assert not quality.count_if_outdated(), "it was counted just now"
    Quality.objects.update(counted_at=seams.now() - timedelta(hours=1))
    assert quality.count_if_outdated(), "labels are newer"
    long_ago = seams.now() - timedelta(hours=1)
    Quality.objects.update(counted_at=seams.now() + timedelta(seconds=2) - timedelta(seconds=700), took_s=0)
    Validation.objects.update(checked=long_ago)
    with_old_stamp = "UPDATE catalogue_datestampclock SET stamp = now() - interval '1 hour'"
    with connection.cursor() as cursor:
        cursor.execute(with_old_stamp)
    assert not quality.count_if_outdated(), "nothing has changed"
    Quality.objects.update(took_s=60)
    Validation.objects.update(checked=seams.now())
    assert not quality.count_if_outdated(), "what took a minute is counted every hundred minutes at most"


def test_the_chores_of_the_tick_count_it(labelled: None) -> None:
    tasks.tick()
    assert Quality.objects.filter(kind="set", name=TOKYO).exists()


# --- Where it is shown --------------------------------------------------------------------------------


def rows(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(b"".join(answer.streaming_content).decode().splitlines()))


def test_the_administration_shows_it_and_gives_it_as_csv(admin_client: Client, labelled: None) -> None:
    address = "/admin/catalogue/quality/"
    assert "It was not counted yet" in admin_client.get(address).content.decode()
    quality.count()
    shown = admin_client.get(address).content.decode()
    assert TOULOUSE in shown and "As it was counted at" in shown
    one = of_group("set", TOULOUSE)
    page = admin_client.get(f"{address}{one.pk}/change/").content.decode()
    assert "KPI-6 Keywords" in page and f"records.csv?of={one.pk}" in page

    groups = rows(admin_client, f"{address}groups.csv")
    assert list(groups[0]) == list(reading.OF_GROUPS)
    ours = next(row for row in groups if row["name"] == TOULOUSE)
    assert (int(ours["records"]), int(ours["valid"]), float(ours["percent"])) == (
        one.live,
        one.valid,
        round(one.percent, 1),
    )
    every = rows(admin_client, f"{address}records.csv")
    assert len(every) == 13 and list(every[0]) == list(reading.OF_RECORDS)
    plain = next(row for row in every if row["identifier"] == "urn:plain")
    assert plain["centre"] == "'=cmd()", "a spreadsheet runs nothing"
    label = Validation.objects.get(record__identifier="urn:plain")
    assert (int(plain["kpi_6_reached"]), int(plain["kpi_6_total"])) == tuple(label.scores[10:12])
    assert plain["rules"].split() == sorted({fault["rule"] for fault in label.faults})
    of_set = rows(admin_client, f"{address}records.csv?of={one.pk}")
    assert {row["set"] for row in of_set} == {TOULOUSE} and len(of_set) == one.live
    centre = of_group("centre", "=cmd()")
    assert [row["identifier"] for row in rows(admin_client, f"{address}records.csv?of={centre.pk}")] == ["urn:plain"]
    assert admin_client.get(f"{address}records.csv?of=999999").status_code == 404


def test_records_are_filtered_by_grade_and_their_pages_show_it(
    admin_client: Client, client: Client, labelled: None
) -> None:
    label = Validation.objects.select_related("record").exclude(grade="").first()
    found = admin_client.get("/admin/catalogue/record/", {"grade": label.grade}).context["cl"].result_list
    assert {record.validation.grade for record in found} == {label.grade}
    inside = admin_client.get(f"/admin/catalogue/record/{label.record_id}/change/").content.decode()
    outside = client.get("/record", {"id": label.record.identifier}).content.decode()
    for page in (inside, outside):
        assert f"{label.percent:.1f} % of the score" in page
        assert "KPI-3 Good quality abstract" in page
    Validation.objects.update(digest=b"another version")
    assert "of the score" not in client.get("/record", {"id": label.record.identifier}).content.decode()


def test_who_may_not_see_it_gets_no_csv(client: Client, labelled: None) -> None:
    client.force_login(User.objects.create_user("anna", is_staff=True))
    for name in ("groups", "records"):
        assert client.get(f"/admin/catalogue/quality/{name}.csv").status_code == 403
