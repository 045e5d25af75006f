"""Profiles as a file of the gCube provider: what is written is read back equal, and what is lost is said."""

from pathlib import Path

import pytest
from django.test import Client

from catalogue.models import MetadataSet
from catalogue.reading.query.conditions import Words
from catalogue.writing import set_inclusion, set_searches
from oaiprovider import gcube_export, gcube_import, models
from oaiprovider.gcube_import import ImportedAgent, VirtualSet
from oaiprovider.models import Profile
from oaiprovider.terms import ANY
from tests.support import stylesheets, world
from tests.support.commands import printed

pytestmark = [pytest.mark.django_db, pytest.mark.spec("G16")]
FIELDS = ("name", "match", "everything", "page_records", "page_headers", "repository_name", "admin_emails", "formats")


@pytest.fixture(autouse=True)
def catalogue() -> MetadataSet:
    """A hidden virtual set of another one."""
    models.ensure_any(using="default")
    stylesheets.add(for_everybody=False)
    union = set_inclusion.ensure_set("DRIVER", name='Aqua <maps> & "more"', kind=MetadataSet.Kind.VIRTUAL)
    MetadataSet.objects.filter(pk=union.pk).update(public=False)
    set_inclusion.include(union, [world.peer_set(world.TOULOUSE)])
    return MetadataSet.objects.get(pk=union.pk)


def driver(catalogue: MetadataSet) -> Profile:
    """A profile of which the file can express everything."""
    one = Profile.objects.create(
        name="DRIVER/2.*",
        match="DRIVER/2.*",
        everything=False,
        page_records=7,
        page_headers=7,
        repository_name="For <DRIVER>",
        admin_emails=["a@gisc.example.org", "b@gisc.example.org"],
        formats=["brief"],
    )
    one.sets.set([catalogue, world.own_set()])
    return one


def state() -> list[dict[str, object]]:
    return [
        {name: getattr(one, name) for name in FIELDS} | {"sets": sorted(each.spec for each in one.sets.all())}
        for one in Profile.objects.all()
    ]


def test_what_is_exported_is_imported_equal_here_and_in_a_node_without_profiles(catalogue: MetadataSet) -> None:
    driver(catalogue)
    Profile.objects.create(name="PARTNER", match="PARTNER")
    before = state()
    export = gcube_export.export()
    assert (export.names, export.lost) == ((ANY, "DRIVER/2.*", "PARTNER"), ())
    assert gcube_import.store(gcube_import.read(export.document)).added == []
    assert state() == before
    Profile.objects.all().delete()
    set_inclusion.exclude(catalogue, [world.peer_set(world.TOULOUSE)])
    gcube_import.store(gcube_import.read(export.document))
    assert state() == before
    assert list(catalogue.inclusions.values_list("child__spec", flat=True)) == [world.TOULOUSE.spec]
    assert gcube_export.export() == export


def test_user_agents_are_read_back_as_they_were_written() -> None:
    agents = [
        ImportedAgent(match="Any", sets=("a", "b:c"), virtual_sets=()),
        ImportedAgent(
            'x<&"> y  ', (), (VirtualSet("v", "Tab\there, \u00fc, line\nend", ("a", "b")),), ("a@b.org",), "R"
        ),
        ImportedAgent("z", (), (), (), "", "10", (("brief", "http://a.org/?b&c", "urn:a"),)),
    ]
    assert gcube_import.read(gcube_export.write(agents)) == agents


def test_what_the_file_cannot_express_is_said(tmp_path: Path, catalogue: MetadataSet, admin_client: Client) -> None:
    one = driver(catalogue)
    Profile.objects.filter(pk=one.pk).update(
        name="driver",
        networks=["192.0.2.0/24"],
        page_sets=3,
        page_headers=9,
        requests_per_minute=5,
        set_tombstones=True,
    )
    Profile.objects.create(name="twin", match=one.match, networks=["198.51.100.0/24"])
    MetadataSet.objects.filter(pk=catalogue.pk).update(public=True)
    lost = " ".join(gcube_export.export().lost)
    for said in (
        "driver: “name” is not in the file as it is here (driver; after an import: DRIVER/2.*).",
        "“networks” is not in the file as it is here (192.0.2.0/24; after an import: none).",
        "“headers on a page” is not in the file as it is here (9; after an import: 7).",
        "“sets on a page”",
        "(5; after an import: default)",
        "(yes; after an import: no)",
        "driver: the set DRIVER is public here",
        "twin is left out",
    ):
        assert said in lost, (said, lost)
    Profile.objects.get(name="twin").delete()
    file = tmp_path / "user-agents.xml"
    printed("profile", "export", str(file))
    assert printed("profile", "import", str(file), "--dry-run").startswith("Any: changed")
    assert "driver: changed" in printed("profile", "import", str(file)), (
        "the profile for this User-Agent, by another name"
    )
    shown = admin_client.get("/admin/oaiprovider/profile/export/").content.decode()
    assert "2 profiles" in shown and "192.0.2.0/24" in shown
    answer = admin_client.post("/admin/oaiprovider/profile/export/")
    assert answer.content == gcube_export.export().document
    assert answer["Content-Disposition"] == 'attachment; filename="user-agents.xml"'


def test_a_set_that_a_search_defines_is_named_as_a_collection_whatever_is_below_it() -> None:
    sea = set_inclusion.ensure_set("SEA", name="The sea", kind=MetadataSet.Kind.VIRTUAL)
    set_searches.begin(sea, Words("sea"))
    set_inclusion.ensure_set("SEA:arctic")
    one = Profile.objects.create(name="SAILOR", match="SAILOR", everything=False)
    one.sets.set([sea])
    assert gcube_export.agent_of(one).sets == ("SEA",)
    assert gcube_export.agent_of(one).virtual_sets == ()
