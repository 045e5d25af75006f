"""Centres and links as CSV: what was exported changes nothing, one wrong line stores nothing, no password leaves the node."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from catalogue.models import Category, MetadataSet, VisibilityChange
from harvester.links import edit, exchange
from harvester.models import Alternative, Centre, Link
from harvester.schedule import Schedule, Window
from tests.support.world import OFFENBACH


@pytest.fixture
def centres(db: None) -> None:
    Centre.objects.all().delete()
    Centre.objects.create(
        name="Melbourne",
        country="Australia, Commonwealth of",
        set_spec="WIS-GISC-MELBOURNE",
        latitude=-37.8,
        longitude=145,
        base_urls=["https://a.example.org/oai", "http://b.example.org/oai"],
        contact="+61 3 1234",
        is_active=True,
    )
    Centre.objects.create(name="Exeter", set_spec="WIS-GISC-EXETER")


def rows_of(model: type[Centre] | type[Link]) -> list[dict[str, object]]:
    return list(model.objects.order_by("pk").values())


def test_centres_that_were_exported_change_nothing(centres: None) -> None:
    before = rows_of(Centre)
    text = exchange.export_centres()
    assert "'+61 3 1234" in text, "a spreadsheet would take it for a formula"
    assert "-37.8" in text and "'-37.8" not in text

    report = exchange.import_centres(text.encode())

    assert (report.added, report.changed, report.unchanged, report.faults) == ((), (), 2, ())
    assert rows_of(Centre) == before
    Centre.objects.all().delete()
    assert len(exchange.import_centres(text.encode()).added) == 2
    assert [{**row, "id": 0} for row in rows_of(Centre)] == [{**row, "id": 0} for row in sorted(before, key=by_name)]


def by_name(row: dict[str, object]) -> str:
    return str(row["name"])


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_file_of_a_spreadsheet_adds_and_changes(centres: None, delimiter: str) -> None:
    lines = ["name,set_spec,is_active,base_urls", "UK,WIS-GISC-EXETER,YES,http://c.example.org/oai", "X,WIS-GISC-X,no,"]
    data = "\ufeff" + "\r\n".join(lines).replace(",", delimiter)

    report = exchange.import_centres(data.encode())

    assert (report.added, report.changed, report.faults) == (("X",), ("UK",), ())
    exeter = Centre.objects.get(set_spec="WIS-GISC-EXETER")
    assert (exeter.name, exeter.is_active, exeter.base_urls) == ("UK", True, ["http://c.example.org/oai"])
    assert Centre.objects.get(name="Melbourne").contact == "+61 3 1234", "what is not in the file stays"


def test_one_wrong_line_stores_nothing_and_each_is_told(centres: None) -> None:
    before = rows_of(Centre)
    data = (
        "name,set_spec,latitude,base_urls\nNew,WIS-GISC-NEW,1,\nNorth,WIS-GISC-NORTH,91,\nBad,no set,x,\n"
        "Exeter,WIS-GISC-X,,\nUrl,WIS-GISC-URL,,nowhere\nTwice,WIS-GISC-NEW,,\n"
    )
    report = exchange.import_centres(data.encode())

    assert rows_of(Centre) == before
    assert [fault.split(":")[0] for fault in report.faults] == [
        "Line 3 (WIS-GISC-NORTH)",
        "Line 4 (no set)",
        "Line 5 (WIS-GISC-X)",
        "Line 6 (WIS-GISC-URL)",
        "Line 7",
    ]
    assert "latitude" in report.faults[0] and "90" in report.faults[0]
    assert "“x” is no number" in report.faults[1]
    assert "already exists" in report.faults[2]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "The first line has to name columns"),
        (b"name,password\n", "Not known: password"),
        (b"name,set_spec\nx\n", "Line 2 has 1 columns instead of 2"),
        (b"name,set_spec\n\xff\xff,x\n", "not in UTF-8"),
        (b"name,set_spec\n" + b"x,y\n" * 2001, "more than 2000 lines"),
        (b"x" * (exchange.MAX_BYTES + 1), "larger than 4 MB"),
        (b'name,set_spec\n"' + b"x" * 200_000 + b'",y\n', "cannot be read as CSV"),
    ],
    ids=["empty", "password", "columns", "encoding", "lines", "size", "field"],
)
def test_a_file_that_is_no_list_is_refused_with_what_is_wrong(db: None, data: bytes, sentence: str) -> None:
    report = exchange.import_centres(data)
    assert len(report.faults) == 1
    assert sentence in report.faults[0]


@pytest.fixture
def links(link: Link) -> Link:
    """Two links, one of them with all that a link can have."""
    link.schedule = Schedule.daily(195, Window(20 * 60, 5 * 60))
    link.user, link.user_agent, link.is_told, link.overlap_s = "tokyo", "=cmd", False, 7
    link.set_password("s3cret")
    link.grace_h = 30
    link.save()
    for position, host in ((1, "a"), (4, "b")):
        Alternative.objects.create(
            link=link,
            position=position,
            name=f"Relay of {host}",
            base_url=f"https://{host}.example.org/oai",
            prefix="iso",
            remote_set="X",
        )
    offenbach = MetadataSet.objects.create(spec=OFFENBACH.spec, name="Offenbach")
    Link.objects.create(
        name="dwd", base_url=OFFENBACH.base_url, remote_set=OFFENBACH.spec, local_set=offenbach, enabled=False
    )
    return link


def test_links_that_were_exported_change_nothing_and_have_no_password(links: Link) -> None:
    before = rows_of(Link)
    text = exchange.export_links()
    assert "s3cret" not in text and "sealed" not in text and links.sealed_password not in text
    lines = {line["name"]: line for line in csv.DictReader(StringIO(text))}
    assert lines["toulouse"]["schedule"] == "daily at 03:15 UTC, between 20:00 and 05:00 UTC"
    assert lines["toulouse"]["user_agent"] == "'=cmd"
    assert lines["toulouse"]["grace_h"] == "30"
    assert lines["toulouse"]["alternatives"].splitlines() == [
        "Relay of a <https://a.example.org/oai> iso X",
        "Relay of b <https://b.example.org/oai> iso X",
    ]

    report = exchange.import_links(text.encode())

    assert (report.added, report.changed, report.unchanged, report.faults) == ((), (), 2, ())
    assert rows_of(Link) == before

    Link.objects.all().delete()
    MetadataSet.objects.filter(spec=OFFENBACH.spec).delete()
    report = exchange.import_links(text.encode())

    assert report.faults == ()
    assert exchange.export_links() == text, "sets are made, and all is as it was but the password"
    assert Link.objects.get(name="toulouse").sealed_password == ""


def test_imported_alternatives_are_added_and_none_is_removed(links: Link) -> None:
    data = 'name,alternatives\ntoulouse,"New one <https://c.example.org/oai> iso19139 Y\nOther <https://a.example.org/oai> iso X"\n'
    assert exchange.import_links(data.encode()).changed == ("toulouse",)
    assert list(links.alternatives.values_list("position", "name", "remote_set")) == [
        (1, "Relay of a", "X"),
        (4, "Relay of b", "X"),
        (5, "New one", "Y"),
    ]
    assert (
        exchange.import_links(b"name,alternatives\ntoulouse,Other <https://a.example.org/oai> iso X\n").unchanged == 1
    )
    for wrong in ("nowhere", "R <ftp://x/> iso X", "R <https://u:p@d.example.org/oai> iso X"):
        report = exchange.import_links(f'name,alternatives\ntoulouse,"{wrong}"\n'.encode())
        assert "alternatives" in report.faults[0] and "Line 2 (toulouse)" in report.faults[0]
    assert links.alternatives.count() == 3


def test_who_sees_the_records_of_a_link_is_exported_and_imported_and_never_widened_by_a_mistake(links: Link) -> None:
    members = Category.objects.create(name="members only")
    edit.save(_with_category(links, members), {"category"})
    lines = {line["name"]: line for line in csv.DictReader(StringIO(exchange.export_links()))}
    assert (lines["toulouse"]["category"], lines["dwd"]["category"]) == ("members only", "")

    assert exchange.import_links(b"name,category\ndwd,members only\ntoulouse,members only\n").changed == ("dwd",)
    report = exchange.import_links(b"name,category\ndwd,\ntoulouse,members onyl\n")
    assert "Line 3 (toulouse)" in report.faults[0] and "There is no category" in report.faults[0]
    assert [*Link.objects.order_by("name").values_list("category__name", flat=True)] == ["members only"] * 2
    assert exchange.import_links(b"name,enabled\ntoulouse,yes\n").unchanged == 1, (
        "a file without the column says nothing"
    )
    assert exchange.import_links(b"name,category\ndwd,\n").changed == ("dwd",)
    assert VisibilityChange.objects.filter(kind="link", name="dwd").exists(), "records follow"


def _with_category(link: Link, category: Category) -> Link:
    link.category = category
    return link


def test_an_imported_change_of_address_is_an_edit(links: Link) -> None:
    Link.objects.update(harvested_to="2026-03-01T00:00:00Z")
    report = exchange.import_links(b"name,base_url\ndwd,https://new.example.org/oai\n")
    assert report.changed == ("dwd",)
    assert Link.objects.get(name="dwd").harvested_to is None, "the whole list is asked for"

    refused = exchange.import_links(b"name,base_url,schedule\ntoulouse,https://new.example.org/oai,every 2 hours\n")
    assert "The password was given for another provider" in refused.faults[0]
    refused = exchange.import_links(
        b"name,base_url,remote_set,local_set,schedule\n"
        b"loop,https://x.example.org/oai,WIS-GISC-X,WIS-GISC-X,at times\n"
        b"all,https://x.example.org/oai,,WIS-GISC-X,daily at 1:00\n"
    )
    assert "“at times” is not understood" in refused.faults[0]
    assert "Without a set" in refused.faults[1]
    assert Link.objects.count() == 2
    assert not MetadataSet.objects.filter(spec="WIS-GISC-X").exists(), "no set stays of lines that are not stored"


def test_commands_import_and_export(links: Link, centres: None, tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    call_command("link", "export", str(file))
    assert file.read_bytes().count(b"\r\n") == 3
    out = StringIO()
    call_command("link", "import", str(file), stdout=out)
    assert "0 added, 0 changed, 2 as before." in out.getvalue()
    out = StringIO()
    call_command("centres", "export", "-", stdout=out)
    file.write_text(
        out.getvalue().replace("Exeter", "Exeter, UK").replace("WIS-GISC-EXETER", '"a b"'), encoding="utf-8"
    )
    with pytest.raises(CommandError, match="has 11 columns"):
        call_command("centres", "import", str(file))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("centres", "import", str(tmp_path / "none.csv"))
    out = StringIO()
    call_command("centres", "list", "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert report["text"].startswith("0 of 1 centre harvested, 1 missing: Melbourne")
    assert [each["state"] for each in report["list"]] == ["no-link", "no-link"]
    out = StringIO()
    call_command("centres", "list", stdout=out)
    assert "Melbourne" in out.getvalue()
