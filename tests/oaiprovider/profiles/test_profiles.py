"""What each of two harvesters is given: sets, records, pages, names, formats, tokens."""

from ipaddress import ip_network
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client

from catalogue import oai
from catalogue.models import MetadataSet
from catalogue.reading.query.conditions import Words
from catalogue.writing import set_changes, set_inclusion, set_searches
from oaiprovider import models
from oaiprovider.models import Profile
from oaiprovider.terms import ANY, Terms
from tests.support import asking, stylesheets, world

pytestmark = pytest.mark.django_db
DRIVER = "DRIVER/2.1 (harvester)"


def profile(*shown: MetadataSet, name: str = "DRIVER", **fields: Any) -> Profile:
    made = Profile(name=name, match=name, everything=not shown, **fields)
    made.full_clean()
    made.save()
    made.sets.set(shown)
    return made


def any_profile(**fields: Any) -> None:
    Profile.objects.update_or_create(name=ANY, defaults=fields)


@pytest.fixture
def driver() -> Client:
    return Client(headers={"user-agent": DRIVER})


@pytest.fixture
def toulouse() -> MetadataSet:
    """Two records in Toulouse's set, one in ours."""
    made = world.peer_set(world.TOULOUSE)
    world.put(world.iso_record("urn:theirs:1"), world.iso_record("urn:theirs:2"), into=made)
    world.put(world.iso_record("urn:ours"))
    return made


def specs(client: Client) -> list[str]:
    return [spec for page in asking.walk(client, verb="ListSets") for spec in page.find("//o:set/o:setSpec/text()")]


def listed(client: Client, **arguments: str) -> list[str]:
    pages = asking.walk(client, verb="ListIdentifiers", metadataPrefix="iso19139", **arguments)
    return sorted(header.identifier for header in asking.headers_of(pages))


# --- Nobody configured anything ------------------------------------------------------------------------


@pytest.mark.spec("G3", "G14")
@pytest.mark.parametrize("is_there", [True, False])
def test_without_profiles_everybody_is_served_by_the_settings(
    client: Client, driver: Client, toulouse: MetadataSet, settings, is_there: bool
) -> None:
    assert list(Profile.objects.values_list("name", flat=True)) in ([ANY], [])
    if not is_there:
        Profile.objects.all().delete()
    settings.GISC_REPOSITORY_NAME, settings.GISC_ADMIN_EMAIL = "Tokyo", world.OUR_EMAIL
    settings.GISC_PAGE_RECORDS, settings.GISC_PAGE_HEADERS, settings.GISC_PAGE_SETS = 1, 2, 2
    for harvester in (client, driver):
        identify = asking.get(harvester, verb="Identify")
        assert identify.find("//o:repositoryName/text()") == ["Tokyo"]
        assert identify.find("//o:adminEmail/text()") == [world.OUR_EMAIL]
        assert specs(harvester) == [oai.CATALOGUE_SET, world.OUR_SPEC, toulouse.spec]
        assert len(asking.get(harvester, verb="ListSets").find("//o:set")) == 2
        for verb, size in (("ListRecords", 1), ("ListIdentifiers", 2)):
            assert len(asking.get(harvester, verb=verb, metadataPrefix="oai_dc").headers) == size


@pytest.mark.spec("G3")
def test_any_is_made_again_when_the_database_is_migrated() -> None:
    Profile.objects.all().delete()
    models.ensure_any(using="default")
    models.ensure_any(using="default")
    assert [(one.name, one.everything, one.match) for one in Profile.objects.all()] == [(ANY, True, "")]


# --- Sets and records ----------------------------------------------------------------------------------


@pytest.mark.spec("G5", "G11", "G2")
def test_a_harvester_sees_its_sets_and_what_is_in_them_and_nothing_else_exists(
    client: Client, driver: Client, toulouse: MetadataSet
) -> None:
    profile(toulouse)

    assert specs(driver) == [toulouse.spec]
    assert listed(driver) == listed(driver, set=toulouse.spec) == ["urn:theirs:1", "urn:theirs:2"]
    for verb in ("GetRecord", "ListMetadataFormats"):
        prefix = {"metadataPrefix": "iso19139"} if verb == "GetRecord" else {}
        assert asking.get(driver, verb=verb, identifier="urn:ours", **prefix).codes == ["idDoesNotExist"]
        assert asking.get(driver, verb=verb, identifier="urn:theirs:1", **prefix).codes == []
    for spec in (world.OUR_SPEC, oai.CATALOGUE_SET):
        answer = asking.get(driver, verb="ListRecords", metadataPrefix="iso19139", set=spec)
        assert answer.codes == ["noRecordsMatch"] and "not defined" in answer.texts[0]
    assert listed(client) == ["urn:ours", "urn:theirs:1", "urn:theirs:2"]


@pytest.mark.spec("G4", "G11", "P142")
def test_a_virtual_set_shows_its_members_records_and_hides_its_members(
    client: Client, driver: Client, toulouse: MetadataSet
) -> None:
    """E30. The virtual set is for this harvester only: it is not public."""
    union = set_inclusion.ensure_set("DRIVER", kind=MetadataSet.Kind.VIRTUAL)
    MetadataSet.objects.filter(pk=union.pk).update(public=False)
    set_inclusion.include(union, [toulouse])
    profile(union)

    assert specs(driver) == ["DRIVER"]
    assert listed(driver, set="DRIVER") == listed(driver) == ["urn:theirs:1", "urn:theirs:2"]
    for arguments in ({"verb": "ListRecords"}, {"verb": "GetRecord", "identifier": "urn:theirs:1"}):
        answer = asking.get(driver, metadataPrefix="oai_dc", **arguments)
        assert {header.sets for header in answer.headers} == {("DRIVER",)}
        assert toulouse.spec.encode() not in answer.content
    assert asking.get(driver, verb="ListRecords", metadataPrefix="oai_dc", set=toulouse.spec).codes == [
        "noRecordsMatch"
    ]
    assert "DRIVER" not in specs(client)


@pytest.mark.spec("G4", "P75", "P91")
def test_a_profile_may_show_a_set_that_a_search_defines_and_is_told_of_every_departure(
    driver: Client, toulouse: MetadataSet
) -> None:
    chosen = set_inclusion.ensure_set("CHOSEN", kind=MetadataSet.Kind.VIRTUAL)
    profile(chosen)
    set_changes.go_on(set_searches.begin(chosen, Words("surface")))
    everything = listed(driver)
    assert everything == listed(driver, set="CHOSEN") == ["urn:ours", "urn:theirs:1", "urn:theirs:2"]

    world.put(world.iso_record("urn:ours", title="Soil", abstract="Samples."))
    answer = asking.get(driver, verb="ListRecords", metadataPrefix="oai_dc", set="CHOSEN")
    assert {header.identifier: (header.deleted, header.sets) for header in answer.headers} == {
        "urn:ours": (True, ("CHOSEN",)),
        "urn:theirs:1": (False, ("CHOSEN",)),
        "urn:theirs:2": (False, ("CHOSEN",)),
    }
    assert asking.get(driver, verb="GetRecord", identifier="urn:theirs:1", metadataPrefix="oai_dc").codes == []


@pytest.mark.spec("P80", "P79", "G11")
def test_a_profile_may_show_the_catalogue_or_be_left_with_no_set_at_all(driver: Client, toulouse: MetadataSet) -> None:
    made = profile(toulouse, MetadataSet.objects.get(spec=oai.CATALOGUE_SET))
    assert specs(driver) == [oai.CATALOGUE_SET, toulouse.spec]
    assert listed(driver) == listed(driver, set=oai.CATALOGUE_SET) == ["urn:ours", "urn:theirs:1", "urn:theirs:2"]
    headers = {
        one.identifier: one.sets for one in asking.get(driver, verb="ListRecords", metadataPrefix="oai_dc").headers
    }
    assert headers["urn:ours"] == (oai.CATALOGUE_SET,)
    assert headers["urn:theirs:1"] == (oai.CATALOGUE_SET, toulouse.spec)

    made.sets.clear()
    assert asking.get(driver, verb="ListSets").codes == ["noSetHierarchy"]
    assert asking.get(driver, verb="ListRecords", metadataPrefix="oai_dc").codes == ["noRecordsMatch"]


@pytest.mark.spec("P140", "P143", "G11")
def test_a_profile_of_several_sets_is_walked_in_pages_and_every_record_asked_for(
    driver: Client, toulouse: MetadataSet
) -> None:
    world.bury("urn:theirs:2", into=toulouse)
    world.put(world.iso_record("urn:others"), into=world.peer_set(world.OFFENBACH))
    profile(toulouse, world.own_set(), page_records=1, page_headers=2)

    records = asking.walk(driver, verb="ListRecords", metadataPrefix="iso19139")
    assert [len(page.headers) for page in records] == [1, 1, 1]
    assert {page.token_element.get("completeListSize") for page in records} == {"3"}
    headers = asking.headers_of(records)
    assert asking.headers_of(asking.walk(driver, verb="ListIdentifiers", metadataPrefix="iso19139")) == headers
    assert [one.deleted for one in headers if one.identifier == "urn:theirs:2"] == [True]
    for header in headers:
        record = asking.get(driver, verb="GetRecord", metadataPrefix="iso19139", identifier=header.identifier)
        assert record.headers == [header]


# --- Names, pages, formats -----------------------------------------------------------------------------


@pytest.mark.spec("G6", "G7", "G14", "P109", "P52")
def test_each_harvester_has_its_names_and_page_sizes_and_the_rest_is_the_same(
    client: Client, driver: Client, toulouse: MetadataSet
) -> None:
    any_profile(repository_name="For everybody", page_records=3)
    profile(
        repository_name="For <DRIVER>",
        admin_emails=["a@gisc.example.org", "b@gisc.example.org"],
        page_records=1,
        page_headers=2,
        page_sets=2,
    )
    mine, theirs = (asking.get(harvester, verb="Identify") for harvester in (driver, client))
    assert mine.find("//o:repositoryName/text()") == ["For <DRIVER>"]
    assert mine.find("//o:adminEmail/text()") == ["a@gisc.example.org", "b@gisc.example.org"]
    assert theirs.find("//o:repositoryName/text()") == ["For everybody"]
    for name in ("baseURL", "granularity", "earliestDatestamp", "deletedRecord"):
        assert mine.find(f"string(//o:{name})") == theirs.find(f"string(//o:{name})")
    sizes = {"ListRecords": (1, 3), "ListIdentifiers": (2, 3)}
    for verb, expected in sizes.items():
        pages = [asking.get(harvester, verb=verb, metadataPrefix="oai_dc") for harvester in (driver, client)]
        assert tuple(len(page.headers) for page in pages) == expected
    assert len(asking.get(driver, verb="ListSets").find("//o:set")) == 2


@pytest.mark.spec("G8", "G9")
def test_a_format_of_one_profile_is_announced_and_served_to_it_only(
    client: Client, driver: Client, toulouse: MetadataSet
) -> None:
    stylesheets.add(prefix="plain", for_everybody=False)
    profile(formats=["plain"])

    for harvester, expected in (
        (driver, ["iso19139", "oai_dc", "dcat_ap", "plain"]),
        (client, ["iso19139", "oai_dc", "dcat_ap"]),
    ):
        assert asking.get(harvester, verb="ListMetadataFormats").find("//o:metadataPrefix/text()") == expected
        item = asking.get(harvester, verb="ListMetadataFormats", identifier="urn:ours")
        assert item.find("//o:metadataPrefix/text()") == expected
    for arguments in ({"verb": "ListRecords"}, {"verb": "GetRecord", "identifier": "urn:ours"}):
        assert asking.get(driver, metadataPrefix="plain", **arguments).find("//o:metadata")
        refused = asking.get(client, metadataPrefix="plain", **arguments)
        assert refused.codes == ["cannotDisseminateFormat"]
        assert "supported: iso19139, oai_dc, dcat_ap." in refused.texts[0]


@pytest.mark.spec("P116")
def test_caches_are_told_that_the_answer_depends_on_the_user_agent(client: Client) -> None:
    for query in ("verb=Identify", "verb=junk"):
        assert "User-Agent" in client.get(f"/oai?{query}")["Vary"]


# --- Tokens --------------------------------------------------------------------------------------------


@pytest.mark.spec("G12", "T3.52", "P105")
@pytest.mark.parametrize("verb", ["ListRecords", "ListIdentifiers", "ListSets"])
def test_a_token_is_good_for_the_harvester_that_got_it_only(
    client: Client, driver: Client, toulouse: MetadataSet, settings, verb: str
) -> None:
    settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = settings.GISC_PAGE_SETS = 1
    profile()
    profile(name="OTHER")
    harvesters = {"DRIVER": driver, "Any": client, "OTHER": Client(headers={"user-agent": "OTHER"})}
    prefix = {} if verb == "ListSets" else {"metadataPrefix": "iso19139"}
    for owner, its in harvesters.items():
        token = asking.get(its, verb=verb, **prefix).token
        for name, asks in harvesters.items():
            answer = asking.get(asks, verb=verb, resumptionToken=token)
            assert answer.codes == ([] if name == owner else ["badResumptionToken"]), (owner, name)
            assert name == owner or "another harvester" in answer.texts[0]


@pytest.mark.spec("G12", "P100", "P111")
def test_a_token_outlives_changes_of_its_profile(driver: Client, toulouse: MetadataSet) -> None:
    made = profile(toulouse, page_headers=1)
    first = asking.get(driver, verb="ListIdentifiers", metadataPrefix="iso19139")
    Profile.objects.filter(pk=made.pk).update(name="renamed", page_headers=50, repository_name="New")
    rest = asking.get(driver, verb="ListIdentifiers", resumptionToken=first.token)
    assert sorted(first.identifiers + rest.identifiers) == ["urn:theirs:1", "urn:theirs:2"]

    made.sets.set([world.own_set()])
    assert asking.get(driver, verb="ListIdentifiers", resumptionToken=first.token).identifiers == ["urn:ours"]
    made.sets.clear()
    assert asking.get(driver, verb="ListIdentifiers", resumptionToken=first.token).codes == ["badResumptionToken"]
    Profile.objects.filter(pk=made.pk).delete()
    assert asking.get(driver, verb="ListIdentifiers", resumptionToken=first.token).codes == ["badResumptionToken"]


# --- Closed profiles -----------------------------------------------------------------------------------


@pytest.mark.spec("G13")
def test_under_the_right_name_from_the_wrong_network_one_is_anybody(driver: Client, toulouse: MetadataSet) -> None:
    hidden = set_inclusion.ensure_set("secret")
    MetadataSet.objects.filter(pk=hidden.pk).update(public=False)
    world.put(world.iso_record("urn:secret"), into=hidden)
    profile(hidden, networks=["192.0.2.0/24"])

    def ask(address: str, **arguments: str) -> asking.Answer:
        return asking.read(driver.get("/oai", arguments, REMOTE_ADDR=address))

    for address in ("192.0.2.7", "::ffff:192.0.2.7"):
        assert ask(address, verb="ListRecords", metadataPrefix="iso19139").identifiers == ["urn:secret"]
    outside = ask("203.0.113.9", verb="ListSets")
    assert "secret" not in outside.find("//o:setSpec/text()") and world.OUR_SPEC in outside.find("//o:setSpec/text()")
    assert ask("203.0.113.9", verb="ListRecords", metadataPrefix="iso19139", set="secret").codes == ["noRecordsMatch"]


@pytest.mark.spec("G13")
def test_behind_a_trusted_proxy_it_is_the_harvesters_address_that_counts(
    driver: Client, toulouse: MetadataSet, settings
) -> None:
    profile(toulouse, networks=["192.0.2.0/24"])

    def shown(**headers: str) -> list[str]:
        answer = driver.get("/oai?verb=ListSets", REMOTE_ADDR="10.0.0.1", headers=headers)
        return asking.read(answer).find("//o:setSpec/text()")

    forwarded = {"x-forwarded-for": "192.0.2.7"}
    assert len(shown(**forwarded)) == 3, "nobody has said that 10.0.0.1 is a proxy"
    settings.GISC_TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    assert shown(**forwarded) == [toulouse.spec]
    assert len(shown(**{"x-forwarded-for": "192.0.2.7, 203.0.113.9"})) == 3, "the client wrote the first one himself"


# --- What may be saved ---------------------------------------------------------------------------------


@pytest.mark.spec("G16", "P54", "P60")
@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("match", "*", "Write a part of one"),
        ("match", "", "Write a part of one"),
        ("networks", ["192.0.2.0/24", "192.0.2.7/24"], "write 192.0.2.0/24"),
        ("admin_emails", ["admin@localhost"], "admin@localhost is no address"),
        ("formats", ["marc21"], "There is no crosswalk to marc21"),
        ("formats", ["a b"], "a b is no metadataPrefix"),
        ("formats", ["oai_dc"], "oai_dc is given to everybody"),
        ("page_records", 0, "greater than or equal to 1"),
        ("page_headers", 10001, "less than or equal to 10000"),
        ("requests_per_minute", 0, "greater than or equal to 1"),
        ("may_be_limited", False, "write its networks"),
        ("name", ANY, "already exists"),
    ],
)
def test_what_cannot_be_served_is_refused_with_a_sentence(field: str, value: Any, sentence: str) -> None:
    any_profile()
    made = Profile(**({"name": "DRIVER", "match": "DRIVER"} | {field: value}))
    with pytest.raises(ValidationError) as refused:
        made.full_clean()
    assert sentence in " ".join(refused.value.message_dict[field])


@pytest.mark.spec("G3")
@pytest.mark.parametrize(
    "fields",
    [{"name": ANY, "match": "DRIVER"}, {"name": ANY, "networks": ["192.0.2.7"]}, {"name": "DRIVER", "match": ""}],
)
def test_the_database_knows_that_any_is_for_everyone_and_no_other_profile_is(fields: dict[str, Any]) -> None:
    Profile.objects.all().delete()
    with pytest.raises(IntegrityError), transaction.atomic():
        Profile.objects.create(**fields)


def test_two_profiles_for_the_same_requests_are_refused_also_when_written_differently() -> None:
    profile(networks=["192.0.2.7", "2001:db8::/32"])
    same = Profile(name="x", match="DRIVER", networks=["2001:0db8::/32", "192.0.2.7/32"])
    with pytest.raises(ValidationError, match="Another profile is for the same"):
        same.full_clean()
    profile(name="DRIVER/3", networks=["192.0.2.7"])


@pytest.mark.parametrize("number", [0, 20])
def test_the_choice_takes_one_query_however_many_profiles_there_are(number: int, django_assert_num_queries) -> None:
    """And one more for who asks for the first time."""
    for n in range(number):
        profile(world.own_set(), name=f"harvester-{n:02d}")
    for queries in (2, 1):
        with django_assert_num_queries(queries):
            terms = Profile.objects.terms_for("harvester-07/1.0", "203.0.113.9")
        assert terms.name == ("harvester-07" if number else ANY)


def test_an_edit_counts_at_once_for_who_has_asked_before(settings) -> None:
    """Of a profile, of its sets, of a setting that fills it in; and when it is gone."""
    toulouse = world.peer_set(world.TOULOUSE)
    mine = profile(world.own_set(), name="DRIVER")

    def terms() -> Terms:
        return Profile.objects.terms_for("DRIVER/1.0", "203.0.113.9")

    assert terms().scope.sets == frozenset({world.own_set().pk})
    Profile.objects.filter(pk=mine.pk).update(page_records=7)
    assert terms().page_records == 7
    mine.sets.add(toulouse)
    assert terms().scope.sets == frozenset({world.own_set().pk, toulouse.pk})
    settings.GISC_PAGE_HEADERS = 13
    assert terms().page_headers == 13
    Profile.objects.filter(pk=mine.pk).delete()
    assert terms().name == ANY
