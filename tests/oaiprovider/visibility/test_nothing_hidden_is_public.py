"""A record that not everybody sees is on no public page: every address of the node is asked for, and every link followed."""

import re
import uuid
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote, urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from catalogue import seams
from catalogue.models import Category, MetadataSet, Record, SourceCategory
from catalogue.provenance import Provenance
from catalogue.writing import store, visibility
from harvester.models import Link, Run
from oaiprovider import rights
from oaiprovider.models import Profile
from tests.support import world

pytestmark = pytest.mark.django_db
SECRETS = ("urn:x-hidden:kestrel", "Wavelength of kestrels", "plumagemark", "hiddenlink", "HIDDENSET")
IDENTIFIER, TITLE, MARKER = SECRETS[:3]
OPEN = "urn:x-open:heron"
VERBS = (
    *("verb=Identify", "verb=ListSets", "verb=ListMetadataFormats", f"verb=ListMetadataFormats&identifier={OPEN}"),
    *(f"verb={verb}&metadataPrefix={prefix}" for verb in ("ListRecords", "ListIdentifiers") for prefix in ("iso19139", "oai_dc")),
    *(f"verb={verb}&metadataPrefix=iso19139&set={spec}" for verb in ("ListRecords", "ListIdentifiers") for spec in ("WIS-CATALOGUE", world.OUR_SPEC, "HIDDENSET")),
    f"verb=GetRecord&metadataPrefix=iso19139&identifier={OPEN}",
)  # fmt: skip


def addresses(patterns: list[URLPattern | URLResolver], start: str = "/") -> Iterator[str]:
    """Every address of the node that is not of the administration, with values that lead somewhere."""
    values = {
        "name": "hiddenlink",
        "spec": "HIDDENSET",
        "run": str(Run.objects.values_list("pk", flat=True).first()),
        "key": str(uuid.uuid4()),
    }
    for pattern in patterns:
        route = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: values.get(found[1], "x"), str(pattern.pattern))
        if route.startswith("admin"):
            continue
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, start + route)
        else:
            yield start + route


def crawl(client: Client, **headers: str) -> dict[str, bytes]:
    """Ask for every address, and for what the pages link to, as long as it is of this node."""
    searches = (
        "?q=",
        "?q=kestrels",
        "?q=wavelength",
        f"?q={MARKER}",
        "?q=heron",
        "?set=HIDDENSET",
        "?set=WIS-CATALOGUE",
    )
    waiting = [*addresses(get_resolver().url_patterns), *(f"/{search}" for search in searches)]
    waiting += [f"{start}?{verb}" for verb in VERBS for start in ("/oai", "/oai/browse")]
    waiting += [f"/{path}?id={OPEN}" for path in ("record", "record.xml")]
    waiting += [
        f"/ogcapi/collections/{spec}/items?{asked}"
        for spec in ("WIS-CATALOGUE", world.OUR_SPEC, "HIDDENSET")
        for asked in (
            "",
            "q=kestrels",
            f"q={MARKER},heron",
            f"ids={IDENTIFIER},{OPEN}",
            "facets=keywords,centre",
            "filter=TRUE",
        )
    ]
    waiting += [
        f"/sru?version=1.2&operation=searchRetrieve&maximumRecords=100&{asked}"
        for query in ("cql.allRecords=1", "kestrels", "dc.title=wavelength", f"dc.subject={MARKER}", f'rec.identifier="{IDENTIFIER}"', "wis.set=HIDDENSET")
        for asked in (f"query={query}", f"recordSchema=dc&query={query}")
    ]  # fmt: skip
    waiting += [
        f'/sru?version=1.2&operation=scan&maximumTerms=200&scanClause={index}=""'
        for index in ("rec.identifier", "wis.keyword", "wis.organisation", "wis.set", "dc.type")
    ]
    waiting += [
        f"/csw?service=CSW&version=2.0.2&request={asked}&elementSetName=full{schema}"
        for asked in (
            "GetRecords&typeNames=csw:Record&resultType=results&maxRecords=100",
            f"GetRecords&typeNames=csw:Record&resultType=results&constraintLanguage=CQL_TEXT&constraint=AnyText like '%25{MARKER}%25'",
            f"GetRecordById&id={IDENTIFIER},{OPEN}",
            "GetDomain&propertyName=dc:type,dc:subject,dc:creator,dc:language,dc:rights",
        )
        for schema in ("", "&outputSchema=http://www.isotc211.org/2005/gmd")
    ]
    waiting += [
        f"/dcat/{page}" for page in ("?q=kestrels", "?set=HIDDENSET", "catalog.rdf", f"dataset.ttl?id={IDENTIFIER}")
    ]
    found: dict[str, bytes] = {}
    while waiting:
        address = waiting.pop()
        if address in found or len(found) > 1000:
            continue
        response = client.get(address, headers=headers)
        found[address] = b"" if response.streaming else response.content
        text = unescape(found[address].decode(errors="replace"))
        for link in re.findall(r'(?:href|src)"?[=:]"([^"]+)"', text):
            parts = urlsplit(urljoin(f"http://testserver{address}", link))
            is_ours = parts.netloc == "testserver" and not parts.path.startswith(("/admin", "/static"))
            if is_ours:
                waiting.append(f"{parts.path}?{parts.query}" if parts.query else parts.path)
    return found


def leaks(pages: dict[str, bytes], secrets: tuple[str, ...] = SECRETS) -> list[str]:
    """The pages with a secret that their own address does not name."""
    return [
        f"{address}: {secret}"
        for address, content in pages.items()
        for secret in secrets
        if secret.encode() in content and secret not in address
    ]


@pytest.fixture
def partners() -> Category:
    world.put(world.iso_record(OPEN, title="Herons"))
    return Category.objects.create(name="partners")


def hide_by_link(partners: Category) -> None:
    hidden = MetadataSet.objects.create(spec="elsewhere", name="Elsewhere")
    link = Link.objects.create(
        name="hiddenlink", base_url="http://one.example/oai", local_set=hidden, remote_set="x", category=partners
    )
    Run.objects.create(link=link, begun=seams.now(), finished=seams.now(), state=Run.State.DONE, received=1, new=1)
    put(hidden, "hiddenlink")


def put(into: MetadataSet, link: str = "") -> None:
    document = world.iso_record(IDENTIFIER, title=TITLE, abstract=f"A {MARKER}.")
    entry = store.prepare(document, provenance=Provenance(link=link) if link else None)
    store.put_entries([entry], into=into, source=link)


def hide_by_set(partners: Category) -> None:
    put(MetadataSet.objects.create(spec="HIDDENSET", name="x", category=partners))


def hide_unlisted(_partners: Category) -> None:
    put(MetadataSet.objects.create(spec="HIDDENSET", name="x", public=False))


def hide_alone(partners: Category) -> None:
    visibility.restrict_records([IDENTIFIER], partners)
    put(world.own_set())


@pytest.mark.parametrize("hide", [hide_by_link, hide_by_set, hide_unlisted, hide_alone])
def test_no_public_address_has_a_hidden_record(client: Client, partners: Category, hide) -> None:
    hide(partners)
    assert Record.objects.filter(key=IDENTIFIER).exclude(audience=0).exists()
    pages = crawl(client)
    assert len(pages) > 30
    assert any(b"Herons" in content for content in pages.values()), "the crawler sees what is public"
    pages["/metrics"] = pages["/metrics"].replace(b"hiddenlink", b"")  # of monitors: names of links, nothing of records
    assert leaks(pages) == []
    assert len([path for path in pages if path.startswith("/ogcapi/collections/WIS-CATALOGUE/items")]) > 10

    unknown = "urn:x-hidden:nothing"
    of_pages = ("?id={}", "?q={}")
    queries = dict.fromkeys(("/record", "/record.xml", "/"), of_pages) | {
        "/oai": (
            "?verb=GetRecord&metadataPrefix=iso19139&identifier={}",
            "?verb=GetRecord&metadataPrefix=no&identifier={}",
            "?verb=ListMetadataFormats&identifier={}",
        ),
        "/ogcapi/collections/WIS-CATALOGUE/items": ("/{}", "?ids={}", "?externalIds={}", "?q={}"),
    }
    for start, those in queries.items():
        for query in those:
            real, other = (client.get(start + query.format(name)) for name in (IDENTIFIER, unknown))
            assert real.status_code == other.status_code
            assert without(real.content, IDENTIFIER) == without(other.content, unknown)


def without(content: bytes, identifier: str) -> bytes:
    """An answer without the time and without the identifier that was asked for."""
    content = re.sub(rb"<responseDate>[^<]+", b"", content)
    return content.replace(identifier.encode(), b"").replace(quote(identifier, safe="").encode(), b"")


def test_who_is_signed_in_sees_it_and_no_cache_keeps_it(client: Client, partners: Category) -> None:
    hide_by_link(partners)
    anonymous = client.get("/", {"q": "kestrels"})
    assert "Cookie" in anonymous["Vary"]
    client.force_login(User.objects.create_user("reader", password="x" * 12))
    for path, arguments in (("/", {"q": "kestrels"}), ("/record", {"id": IDENTIFIER}), ("/harvest/", {})):
        page = client.get(path, arguments)
        assert any(secret.encode() in page.content for secret in SECRETS), path
        assert "no-store" in page["Cache-Control"] and "Cookie" in page["Vary"]
    partners.signed_in = False
    partners.save()
    assert client.get("/record", {"id": IDENTIFIER}).status_code == 404
    assert leaks({"/": client.get("/", {"q": "kestrels"}).content}, (IDENTIFIER, TITLE, MARKER)) == []


def test_a_harvester_gets_what_its_profile_sees_and_is_told_when_it_may_not_any_more(
    client: Client, partners: Category
) -> None:
    hide_by_set(partners)
    profile = Profile.objects.create(name="partner", match="PARTNER", networks=["127.0.0.1"])
    elsewhere = Profile.objects.create(name="far", match="FAR", networks=["192.0.2.1"])
    for each in (profile, elsewhere):
        rights.set_categories(each, [partners])
    visibility.settle_pending()

    def asks(agent: str, query: str) -> bytes:
        return bytes(client.get(f"/oai?{query}", headers={"user-agent": agent}).content)

    listing, one = (
        "verb=ListRecords&metadataPrefix=iso19139",
        f"verb=GetRecord&metadataPrefix=iso19139&identifier={IDENTIFIER}",
    )
    assert MARKER.encode() in asks("PARTNER", listing) and MARKER.encode() in asks("PARTNER", one)
    assert b"HIDDENSET" in asks("PARTNER", "verb=ListSets")
    assert MARKER.encode() in asks("PARTNER", f"{listing}&set=HIDDENSET")
    for agent in ("", "FAR"):
        assert b"idDoesNotExist" in asks(agent, one) and IDENTIFIER.encode() not in asks(agent, listing)

    rights.set_categories(profile, [])
    visibility.settle_pending()
    assert b'status="deleted"' in asks("PARTNER", one)
    assert b"idDoesNotExist" in asks("", one), "nobody else is told"
    MetadataSet.objects.filter(spec="HIDDENSET").update(category=None)
    visibility.settle_pending()
    assert MARKER.encode() in asks("", listing) and MARKER.encode() in asks("PARTNER", one)
    MetadataSet.objects.filter(spec="HIDDENSET").update(category=partners)
    visibility.settle_pending()
    assert b'status="deleted"' in asks("", one)
    assert IDENTIFIER.encode() in asks("", f"{listing}&set=HIDDENSET"), "who harvested the set alone is told as well"
    assert b"HIDDENSET<" not in asks("", "verb=ListSets")
    assert client.get("/record", {"id": IDENTIFIER}).status_code == 404


def test_the_category_of_a_link_stays_when_the_link_goes(partners: Category) -> None:
    hide_by_link(partners)
    Link.objects.all().delete()
    assert SourceCategory.objects.filter(pk="hiddenlink", category=partners).exists()
    again = Link.objects.create(
        name="hiddenlink", base_url="http://one.example/oai", local_set=MetadataSet.objects.get(spec="elsewhere")
    )
    again.refresh_from_db()
    assert again.category == partners
