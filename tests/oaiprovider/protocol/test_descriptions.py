"""The containers of Identify: friends from the links, and what the operator wrote."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from lxml import etree

from catalogue import oai
from catalogue.models import MetadataSet
from catalogue.reasons import ActRefused
from harvester.models import Link
from harvester.monitoring import status
from harvester.protocol import answers
from oaiprovider.models import IdentifyDescription
from oaiprovider.protocol import identify_descriptions
from tests.support import asking, schemas, world
from tests.support.descriptions import BRANDING, GUIDELINES, XSI

OAI_IDENTIFIER = (
    f'<oai-identifier xmlns="{GUIDELINES}oai-identifier" {XSI} '
    f'xsi:schemaLocation="{GUIDELINES}oai-identifier {GUIDELINES}oai-identifier.xsd"><scheme>oai</scheme>'
    "<repositoryIdentifier>tokyo.example.org</repositoryIdentifier><delimiter>:</delimiter>"
    "<sampleIdentifier>oai:tokyo.example.org:1</sampleIdentifier></oai-identifier>"
)
GATEWAY = (
    f'<gateway xmlns="{GUIDELINES}gateway/" {XSI} xsi:schemaLocation="{GUIDELINES}gateway/ {GUIDELINES}gateway.xsd">'
    "<source>http://example.org/static.xml</source><gatewayDescription>http://example.org/gateway</gatewayDescription>"
    "<gatewayAdmin>admin@example.org</gatewayAdmin></gateway>"
)
RIGHTS = (
    f'<rightsManifest xmlns="{GUIDELINES}rights/" {XSI} xsi:schemaLocation="{GUIDELINES}rights/ '
    f'{GUIDELINES}rightsManifest.xsd" appliesTo="{GUIDELINES}entity#metadata"><rights><rightsReference '
    'ref="http://creativecommons.org/licenses/by/4.0/"/></rights></rightsManifest>'
)
ALL = {"branding": BRANDING, "oai-identifier": OAI_IDENTIFIER, "gateway": GATEWAY, "rightsManifest": RIGHTS}


def link(name: str, base_url: str, into: MetadataSet, **fields: bool) -> Link:
    return Link.objects.create(name=name, base_url=base_url, local_set=into, remote_set=into.spec, **fields)


def save(xml: str, name: str = "container", **fields: bool) -> IdentifyDescription:
    made = IdentifyDescription(name=name, xml=xml, **fields)
    made.full_clean()
    made.save()
    return made


def shown(client: Client) -> list[str]:
    """The root of each container that Identify shows; `asking` has validated them."""
    return [child.tag.rpartition("}")[2] for child in asking.get(client, verb="Identify").find("//o:description/*")]


@pytest.mark.django_db
@pytest.mark.spec("P48")
def test_elements_of_a_container_that_are_in_no_namespace_stay_in_none() -> None:
    save(f'<n:note xmlns:n="urn:n" {XSI} xsi:schemaLocation="urn:n urn:n.xsd"><id>1</id></n:note>')
    [element] = IdentifyDescription.objects.elements()
    [note] = etree.fromstring(b'<description xmlns="%s">%s</description>' % (oai.OAI_NS.encode(), element))
    assert [child.tag for child in note] == ["id"]


# --- This software -------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.spec("P147", "P46", "P48")
def test_identify_names_this_software_and_its_promise(client: Client, settings) -> None:
    answer = asking.get(client, verb="Identify")
    (name,) = answer.find("//*[local-name()='metadataPolicy']/*[local-name()='URL']/text()")
    assert name == f"urn:gisc-catalogue-node:{settings.GISC_VERSION}:promise:1"
    assert schemas.envelope_faults(answer.content) == []
    assert answers.parse_identify(answer.content).is_promised
    for spoilt in (b":promise:2", b":promise:11", b""):
        assert not answers.parse_identify(answer.content.replace(b":promise:1", spoilt)).is_promised
    with pytest.raises(ActRefused, match="names this software"):
        identify_descriptions.read(f'<a xmlns="urn:a" {XSI} xsi:schemaLocation="urn:a b">{name}</a>')


# --- Friends -------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.spec("P127", "P48", "E1")
def test_friends_are_the_peers_that_are_harvested(client: Client) -> None:
    assert shown(client) == ["eprints"]
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    shared = MetadataSet.objects.create(spec="shared01", name="Shared", kind=MetadataSet.Kind.SHARED)
    link("offenbach", world.OFFENBACH.base_url, offenbach)
    link("toulouse", f"{world.TOULOUSE.base_url}/a&b", toulouse)
    link("toulouse-2", f"{world.TOULOUSE.base_url}/a&b", toulouse)
    link("off", "http://gisc-off.example.org/oai", toulouse, enabled=False)
    link("partner", "http://partner.example.org/oai", shared)
    link("closed", "http://user:password@gisc-closed.example.org/oai", toulouse)

    answer = asking.get(client, verb="Identify")
    assert answer.find("//*[local-name()='friends']/*/text()") == [
        world.OFFENBACH.base_url,
        f"{world.TOULOUSE.base_url}/a&b",
    ]
    _, friends = answer.find("//o:description/*")
    assert friends.get(f"{{{oai.XSI_NS}}}schemaLocation") == f"{GUIDELINES}friends/ {GUIDELINES}friends.xsd"
    assert b"password" not in answer.content


@pytest.mark.django_db
@pytest.mark.spec("P127")
def test_who_our_friends_are_comes_through_the_wiring(client: Client, settings) -> None:
    assert f"{status.friend_base_urls.__module__}.{status.friend_base_urls.__name__}" == settings.OAI_FRIENDS
    settings.OAI_FRIENDS = f"{__name__}.one_friend"
    assert asking.get(client, verb="Identify").find("//*[local-name()='friends']/*/text()") == [
        "http://a.example.org/oai"
    ]


def one_friend() -> list[str]:
    return ["http://a.example.org/oai"]


# --- What the operator wrote ---------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.spec("P128", "P129", "P130", "P52", "P46")
def test_containers_are_shown_after_everything_else_in_identify(client: Client, settings) -> None:
    settings.GISC_SCHEMA_DIR = str(schemas.SCHEMAS) if schemas.available() else ""
    link("toulouse", world.TOULOUSE.base_url, world.peer_set(world.TOULOUSE))
    for name, xml in ALL.items():
        save(f'<?xml version="1.0"?>\n<!-- ours -->\n{xml}\n', name)
    assert shown(client) == ["eprints", "friends", "branding", "gateway", "oai-identifier", "rightsManifest"]
    children = asking.get(client, verb="Identify").find("//o:Identify/*")
    assert [child.tag.rpartition("}")[2] for child in children][6:] == ["granularity", "compression", "compression"] + [
        "description"
    ] * 6

    IdentifyDescription.objects.filter(name="gateway").update(shown=False)
    assert "gateway" not in shown(client)


@pytest.mark.spec("P128", "P129", "P130")
@pytest.mark.parametrize("name", ALL)
def test_what_the_published_schema_does_not_allow_is_refused(name: str) -> None:
    schemas.require()
    folder = str(schemas.SCHEMAS)
    assert identify_descriptions.read(ALL[name], schema_dir=folder).name == name
    spoilt = ALL[name].replace(f"</{name}>", f"<nonsense/></{name}>")
    assert identify_descriptions.read(spoilt).name == name, "without the schemas the form alone is looked at"
    with pytest.raises(ActRefused, match="published schema .*: line 1: .*nonsense"):
        identify_descriptions.read(spoilt, schema_dir=folder)


@pytest.mark.spec("P48", "P49", "P59")
@pytest.mark.parametrize(
    ("xml", "sentence"),
    [
        ("", "not well-formed"),
        ("<branding>", "not well-formed"),
        (f"{BRANDING}{BRANDING}", "not well-formed"),
        (f"<!DOCTYPE branding []>{BRANDING}", "DOCTYPE"),
        ("<a" + "".join(f' a{each}=""' for each in range(300)) + "/>", "at least 300 attributes"),
        ("<branding/>", "no namespace"),
        (f'<Identify xmlns="{oai.OAI_NS}"/>', "no namespace of its own"),
        (f'<friends xmlns="{GUIDELINES}friends/"/>', "by itself"),
        (
            f'<branding xmlns="{GUIDELINES}branding/"/>',
            f'schemaLocation="{GUIDELINES}branding/ {GUIDELINES}branding.xsd"',
        ),
        (BRANDING.replace("<title>GISC Tokyo</title>", "<granularity>x</granularity>"), "Leave out granularity"),
    ],
)
def test_what_would_make_identify_wrong_is_refused_with_a_sentence(xml: str, sentence: str) -> None:
    with pytest.raises(ActRefused) as refused:
        identify_descriptions.read(xml)
    assert sentence in str(refused.value)


@pytest.mark.django_db
@pytest.mark.spec("P129")
def test_oai_identifier_is_refused_while_it_would_be_untrue() -> None:
    world.put(world.iso_record("oai:tokyo.example.org:1"))
    save(OAI_IDENTIFIER)
    IdentifyDescription.objects.all().delete()
    world.put(world.iso_record("urn:x-wmo:md:int.wmo.wis::FCUK31EGRR"))
    with pytest.raises(ValidationError, match="FCUK31EGRR is an identifier here that does not begin with oai:tokyo"):
        save(OAI_IDENTIFIER)
    save(OAI_IDENTIFIER, shown=False)


@pytest.mark.django_db
@pytest.mark.spec("P129", "P130")
@pytest.mark.parametrize("xml", [OAI_IDENTIFIER, GATEWAY])
def test_identify_holds_one_of_these_at_most(xml: str) -> None:
    first = save(xml, "first")
    first.full_clean()
    with pytest.raises(ValidationError, match="and first is one"):
        save(xml, "second")
    save(xml, "second", shown=False)
    save(BRANDING, "third")
    save(BRANDING, "fourth")


@pytest.mark.spec("P127")
def test_a_friends_container_is_valid_and_names_what_it_is_given() -> None:
    schemas.require()
    made = identify_descriptions.friends(["http://a.example.org/oai?x=1&y=2", "http://b.example.org/"])
    root = etree.fromstring(made)
    assert schemas.load("oai-pmh.xsd").validate(root)
    assert [child.text for child in root] == ["http://a.example.org/oai?x=1&y=2", "http://b.example.org/"]
