"""ListSets, and sets in requests and headers."""

import pytest
from django.test import Client

from catalogue.models import MetadataSet, Record
from catalogue.writing import set_inclusion
from oaiprovider import list_entries
from tests.support import asking, world

pytestmark = pytest.mark.django_db


def specs(client: Client) -> list[str]:
    return [spec for page in asking.walk(client, verb="ListSets") for spec in page.find("//o:set/o:setSpec/text()")]


@pytest.mark.spec("P80", "P77", "W1")
def test_the_catalogue_comes_first_then_our_own_set_then_the_others_by_spec(client: Client) -> None:
    world.peer_set(world.TOULOUSE)
    world.peer_set(world.OFFENBACH)
    MetadataSet.objects.create(spec="shared01", name="Shared responsibility 01", kind=MetadataSet.Kind.SHARED)
    assert specs(client) == ["WIS-CATALOGUE", world.OUR_SPEC, "WIS-GISC-OFFENBACH", "WIS-GISC-TOULOUSE", "shared01"]


@pytest.mark.spec("P73", "E4")
def test_a_set_has_a_spec_a_name_and_a_description_when_it_has_one(client: Client) -> None:
    MetadataSet.objects.create(spec="a", name="A & B", description="Records <of> A.")
    MetadataSet.objects.create(spec="b", name="No description")
    answer = asking.get(client, verb="ListSets")
    (a,) = answer.find("//o:set[o:setSpec='a']")
    assert [child.tag.rpartition("}")[2] for child in a] == ["setSpec", "setName", "setDescription"]
    assert answer.find("string(//o:set[o:setSpec='a']/o:setName)") == "A & B"
    assert answer.find("string(//o:set[o:setSpec='a']//*[local-name()='description'])") == "Records <of> A."
    assert answer.find("string(//o:set[o:setSpec='b']//*[local-name()='description'])") == "Live records: 0."


@pytest.mark.spec("P73")
def test_the_size_of_each_set_is_told_and_of_when_it_is(client: Client, django_assert_max_num_queries) -> None:
    """Monitors of other centres read it. The figures are those that the database keeps: `catalogue.models.ListSize`."""
    toulouse = world.peer_set(world.TOULOUSE)
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"), world.iso_record("urn:c"), into=toulouse)
    for name, stamp in (("urn:a", "2025-03-01"), ("urn:b", "2025-03-02"), ("urn:c", "2025-03-01")):
        world.restamp(name, f"{stamp}T00:00:00Z")
    world.bury("urn:c", into=toulouse)
    world.restamp("urn:c", "2025-03-03T00:00:00Z")

    def said() -> dict[str, str]:
        answer = asking.get(client, verb="ListSets")
        return {
            one.findtext("{*}setSpec"): " ".join(one.xpath(".//*[local-name()='description']/text()"))
            for one in answer.find("//o:set")
        }

    figures = "Live records: 2. Newest change: 2025-03-03T00:00:00Z."
    assert said() == {
        "WIS-CATALOGUE": figures,
        world.OUR_SPEC: "Records this node is responsible for. Live records: 0.",
        toulouse.spec: figures,
    }
    world.put(world.iso_record("urn:d"), into=toulouse)
    with django_assert_max_num_queries(6):
        assert said()[toulouse.spec].startswith("Live records: 3.")


@pytest.mark.spec("P77")
def test_a_set_that_is_not_public_is_not_shown_and_not_defined(client: Client) -> None:
    hidden = world.peer_set(world.OFFENBACH)
    world.put(world.iso_record("urn:a"), into=hidden)
    MetadataSet.objects.filter(pk=hidden.pk).update(public=False)
    assert hidden.spec not in specs(client)
    answer = asking.get(client, verb="ListRecords", metadataPrefix="oai_dc", set=hidden.spec)
    assert answer.codes == ["noRecordsMatch"]


@pytest.mark.spec("T3.18", "P80", "P109")
def test_many_sets_come_in_pages(client: Client, settings) -> None:
    for number in range(5):
        MetadataSet.objects.create(spec=f"shared{number}", name=f"Shared {number}")
    whole = specs(client)
    settings.GISC_PAGE_SETS = 3
    pages = asking.walk(client, verb="ListSets")
    assert [page.find("count(//o:set)") for page in pages] == [3, 3, 1]
    assert [page.token_element.get("cursor") for page in pages] == ["0", "3", "6"]
    assert {page.token_element.get("completeListSize") for page in pages} == {"7"}
    assert specs(client) == whole


@pytest.mark.spec("T3.20", "P105")
def test_a_token_of_list_sets_is_worth_nothing_to_a_record_list(client: Client, settings) -> None:
    world.put(world.iso_record("urn:a"))
    settings.GISC_PAGE_SETS = 1
    token = asking.get(client, verb="ListSets").token
    assert asking.get(client, verb="ListRecords", resumptionToken=token).codes == ["badResumptionToken"]


@pytest.mark.spec("T3.20", "P105")
def test_a_list_of_sets_goes_on_though_sets_are_gone(client: Client, settings) -> None:
    settings.GISC_PAGE_SETS = 2
    extra = MetadataSet.objects.create(spec="a", name="A")
    MetadataSet.objects.create(spec="b", name="B")
    MetadataSet.objects.create(spec="c", name="C")
    token = asking.get(client, verb="ListSets", resumptionToken=asking.get(client, verb="ListSets").token).token
    assert token
    MetadataSet.objects.filter(spec__in=["b", extra.spec]).delete()
    last = asking.get(client, verb="ListSets", resumptionToken=token)
    assert ([spec.text for spec in last.find("//o:setSpec")], last.token) == (["c"], "")
    MetadataSet.objects.filter(spec="c").delete()
    last = asking.get(client, verb="ListSets", resumptionToken=token)  # nothing is left: the last set once more
    assert ([spec.text for spec in last.find("//o:setSpec")], last.token) == ([world.OUR_SPEC], "")
    MetadataSet.objects.update(public=False)
    assert asking.get(client, verb="ListSets", resumptionToken=token).codes == ["badResumptionToken"]


@pytest.mark.spec("P74", "T3.49", "S49")
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("a", ["urn:a", "urn:a-b-c", "urn:a-b"]),
        ("a:b", ["urn:a-b", "urn:a-b-c"]),
        ("a:b:c", ["urn:a-b-c"]),
        ("ab", ["urn:ab"]),
    ],
)
def test_a_set_holds_its_descendants_and_nothing_that_only_begins_alike(
    client: Client, asked: str, expected: list[str]
) -> None:
    for spec in ("a", "a:b", "a:b:c", "ab", "a-b"):
        into = set_inclusion.ensure_set(spec)
        name = "urn:a_b" if spec == "a-b" else "urn:" + spec.replace(":", "-")
        world.put(world.iso_record(name), into=into)
    answer = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139", set=asked)
    assert sorted(answer.identifiers) == sorted(expected)


@pytest.mark.spec("P75", "P142", "W1")
def test_a_header_names_the_catalogue_and_the_records_sets_whichever_set_was_asked(client: Client) -> None:
    world.put(world.iso_record("urn:a"), into=world.peer_set(world.TOULOUSE))
    world.put(world.iso_record("urn:b"))
    world.bury("urn:b")
    expected = {"urn:a": ("WIS-CATALOGUE", "WIS-GISC-TOULOUSE"), "urn:b": ("WIS-CATALOGUE", world.OUR_SPEC)}
    known = specs(client)
    for header in asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139").headers:
        assert header.sets == expected[header.identifier]
        for spec in header.sets:
            assert spec in known
            same = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139", set=spec)
            assert header in same.headers
        record = asking.get(client, verb="GetRecord", metadataPrefix="iso19139", identifier=header.identifier)
        assert record.headers == [header]


@pytest.mark.spec("P75")
@pytest.mark.parametrize(
    ("specs", "fewest"),
    [
        (("a",), ("a",)),
        (("a", "a:b"), ("a:b",)),
        (("a:b", "a", "ab"), ("a:b", "ab")),
        (("WIS-CATALOGUE", "WIS-GISC-TOKYO", "WIS-GISC-TOKYO"), ("WIS-CATALOGUE", "WIS-GISC-TOKYO")),
        ((), ()),
    ],
)
def test_an_ancestor_of_a_listed_set_goes_without_saying(specs: tuple[str, ...], fewest: tuple[str, ...]) -> None:
    assert list_entries.minimal_set_specs(specs) == fewest


@pytest.mark.spec("P75")
def test_a_header_lists_the_fewest_sets(client: Client) -> None:
    world.put(world.iso_record("urn:a"))
    Record.objects.update(set_specs=["a", "a:b", world.OUR_SPEC])
    (header,) = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139").headers
    assert header.sets == ("WIS-CATALOGUE", "a:b", world.OUR_SPEC)


@pytest.mark.spec("P76")
def test_a_list_without_a_set_and_a_list_of_the_catalogue_hold_every_record(client: Client) -> None:
    world.put(world.iso_record("urn:a"), into=world.peer_set(world.TOULOUSE))
    world.put(world.iso_record("urn:b"))
    everything = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139")
    catalogue = asking.get(client, verb="ListIdentifiers", metadataPrefix="iso19139", set="WIS-CATALOGUE")
    assert sorted(everything.identifiers) == ["urn:a", "urn:b"]
    assert catalogue.headers == everything.headers
