"""Profiles from the XML form of the gCube provider (G16)."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.test import Client

from catalogue.models import MetadataSet
from oaiprovider import gcube_import, models
from oaiprovider.models import Profile
from oaiprovider.terms import ANY
from tests.support import asking, stylesheets, world
from tests.support.commands import printed

pytestmark = [pytest.mark.django_db, pytest.mark.spec("G16")]


def collections(*specs: str) -> str:
    listed = "".join(f"<collection><name>Collection {spec}</name><id>{spec}</id></collection>" for spec in specs)
    return f'<scope name="/d4science/FARM">{listed}</scope>'


DRIVER = f"""<user-agent value="DRIVER">
  <set name="Aqua maps" id="DRIVER">{collections(world.TOULOUSE.spec)}{collections(world.OFFENBACH.spec)}</set>
  <harvestBatchSize> 2 </harvestBatchSize>
  <adminEmail>a@gisc.example.org</adminEmail><adminEmail>b@gisc.example.org</adminEmail>
  <repositoryName>For &lt;DRIVER&gt;</repositoryName>
  <requestedMetadataFormats>
    <metadataFormat><schemaPrefix>oai_dc</schemaPrefix><schemaURI>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schemaURI>
      <schemaNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</schemaNamespace></metadataFormat>
    <metadataFormat><schemaPrefix>brief</schemaPrefix><schemaURI>{stylesheets.SCHEMA}</schemaURI>
      <schemaNamespace>{stylesheets.NAMESPACE}</schemaNamespace></metadataFormat>
  </requestedMetadataFormats>
</user-agent>"""
ANYBODY = (
    f'<user-agent value="Any"><set name="NO_SET">{collections(world.OUR_SPEC, world.TOULOUSE.spec)}</set></user-agent>'
)


def document(*agents: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<user-agents>{"".join(agents)}</user-agents>'.encode()


def run(folder: Path, content: bytes, *options: str) -> str:
    file = folder / "user-agents.xml"
    file.write_bytes(content)
    return printed("profile", "import", str(file), *options)


@pytest.fixture(autouse=True)
def catalogue() -> None:
    models.ensure_any(using="default")
    world.put(world.iso_record("urn:ours"))
    world.put(world.iso_record("urn:t1"), world.iso_record("urn:t2"), into=world.peer_set(world.TOULOUSE))
    world.put(world.iso_record("urn:o"), into=world.peer_set(world.OFFENBACH))
    stylesheets.add(for_everybody=False)


@pytest.mark.spec("G4", "G5", "G6", "G7", "G8", "E30")
def test_harvesters_are_served_as_the_file_says(client: Client, tmp_path: Path) -> None:
    said = run(tmp_path, document(DRIVER, ANYBODY))
    assert "DRIVER: added\n" in said and "Any: changed" in said
    driver = Client(headers={"user-agent": "DRIVER/2.1 (harvester)"})

    listed = asking.get(driver, verb="ListSets")
    assert (listed.find("//o:setSpec/text()"), listed.find("//o:setName/text()")) == (["DRIVER"], ["Aqua maps"])
    pages = asking.walk(driver, verb="ListRecords", metadataPrefix="brief", set="DRIVER")
    assert [len(page.headers) for page in pages] == [2, 1]
    assert {header.identifier for header in asking.headers_of(pages)} == {"urn:t1", "urn:t2", "urn:o"}
    identify = asking.get(driver, verb="Identify")
    assert identify.find("//o:repositoryName/text()") == ["For <DRIVER>"]
    assert identify.find("//o:adminEmail/text()") == ["a@gisc.example.org", "b@gisc.example.org"]

    others = asking.get(client, verb="ListSets").find("//o:setSpec/text()")
    assert others == [world.OUR_SPEC, world.TOULOUSE.spec]
    assert asking.get(client, verb="ListRecords", metadataPrefix="brief").codes == ["cannotDisseminateFormat"]


def test_what_is_imported_again_follows_the_file_and_keeps_what_the_file_does_not_say(tmp_path: Path) -> None:
    run(tmp_path, document(DRIVER))
    Profile.objects.filter(name="DRIVER").update(networks=["192.0.2.0/24"], requests_per_minute=7)
    narrower = DRIVER.replace(collections(world.OFFENBACH.spec), "").replace(" 2 ", "500")
    told = json.loads(run(tmp_path, document(narrower), "--json"))
    assert told == {"added": [], "changed": ["DRIVER"], "virtual_sets": ["DRIVER"], "stored": True}
    profile = Profile.objects.get(name="DRIVER")
    assert (profile.networks, profile.requests_per_minute) == (["192.0.2.0/24"], 7)
    assert (profile.page_records, profile.page_headers) == (500, 500)
    driver = Client(headers={"user-agent": "DRIVER"}, REMOTE_ADDR="192.0.2.7")
    live = [
        one.identifier
        for one in asking.get(driver, verb="ListIdentifiers", metadataPrefix="oai_dc").headers
        if not one.deleted
    ]
    assert sorted(live) == ["urn:t1", "urn:t2"]


@pytest.mark.parametrize("option", ["--dry-run", None])
@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (world.OFFENBACH.spec, "nowhere", "DRIVER: there is no set nowhere here"),
        (world.OFFENBACH.spec, "", "a collection without id"),
        (world.OFFENBACH.spec, "WIS-CATALOGUE", "WIS-CATALOGUE is of the kind catalogue"),
        ('id="DRIVER"', 'id="a b"', "'a b' is no setSpec"),
        ('id="DRIVER"', f'id="{world.OUR_SPEC}"', f"{world.OUR_SPEC} is here a set of the kind own"),
        (" 2 ", "0", "DRIVER: Ensure this value is greater than or equal to 1"),
        (" 2 ", "many", "harvestBatchSize is 'many'; write a number"),
        ("a@gisc.example.org", "a@localhost", "a@localhost is no address"),
        (">brief<", ">marc21<", "There is no crosswalk to marc21"),
        (stylesheets.SCHEMA, "http://example.org/other.xsd", "brief is here the format of"),
        ('value="DRIVER"', 'value=""', "Write a part of one"),
        ('value="DRIVER"', 'value="Any"', "name our own set too"),
    ],
)
def test_what_cannot_be_served_is_told_and_nothing_is_stored(
    tmp_path: Path, old: str, new: str, sentence: str, option: str | None
) -> None:
    other = DRIVER.replace("DRIVER", "OTHER")
    with pytest.raises(CommandError) as refused:
        run(tmp_path, document(other, DRIVER.replace(old, new)), *filter(None, [option]))
    assert "Nothing was stored." in str(refused.value) and sentence in str(refused.value)
    assert list(Profile.objects.values_list("name", flat=True)) == [ANY]
    assert not MetadataSet.objects.filter(kind="virtual").exists()


def test_a_dry_run_stores_nothing(tmp_path: Path) -> None:
    assert "DRIVER: added\nNothing was stored.\n" in run(tmp_path, document(DRIVER), "--dry-run")
    assert not Profile.objects.filter(name="DRIVER").exists()
    assert not MetadataSet.objects.filter(spec="DRIVER").exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"<user-agents>", "not well-formed"),
        (b"<profiles/>", "The root of the file is profiles"),
        (b"<user-agents/>", "at least one user-agent"),
        (b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><user-agents>&b;</user-agents>", "DOCTYPE"),
        (b"<user-agents" + b"".join(b' a%d=""' % each for each in range(300)) + b"/>", "at least 300 attributes"),
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run(tmp_path, content)


def test_the_same_harvester_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="DRIVER: is in the file more than once"):
        run(tmp_path, document(DRIVER, DRIVER))


def test_a_user_agent_without_sets_is_shown_everything() -> None:
    gcube_import.store(gcube_import.read(b'<user-agent value="PARTNER"/>'))
    assert Profile.objects.get(name="PARTNER").everything
