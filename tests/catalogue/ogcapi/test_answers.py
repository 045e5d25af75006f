"""What a client gets from `/ogcapi/`: representations, headers, refusals, and a record as GeoJSON. docs/ogcapi.md names the tests."""

import gzip
import json
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from lxml import html

from catalogue.discovery import instants
from catalogue.discovery.ogcapi import documents, openapi, parameters
from catalogue.models import Category, MetadataSet, Record
from tests.support.world import bury, iso_record, own_set, put

pytestmark = pytest.mark.django_db
ROOT = "/ogcapi/"
WHOLE = "/ogcapi/collections/WIS-CATALOGUE"
ITEMS = f"{WHOLE}/items"
HERON = "urn:x:heron"
RESOURCES = {
    ROOT: "application/json",
    "/ogcapi/conformance": "application/json",
    "/ogcapi/openapi": "application/vnd.oai.openapi+json;version=3.0",
    "/ogcapi/collections": "application/json",
    WHOLE: "application/ogc-catalog+json",
    f"{WHOLE}/queryables": "application/schema+json",
    f"{WHOLE}/sortables": "application/schema+json",
    f"{WHOLE}/facets": "application/json",
    ITEMS: "application/geo+json",
    f"{ITEMS}/{HERON}": "application/geo+json",
}
PROFILE = "http://www.opengis.net/def/profile/OGC/0/"


@pytest.fixture(autouse=True)
def records() -> None:
    put(
        iso_record(HERON, title="Herons", abstract="Herons of the sea ice.", keywords=("birds", "ice"), box=(170, -10, -170, 10),
                   translations={"fre": "Hérons", "ara": "مالك الحزين"}),
        iso_record("urn:x:gull", title="Gulls", abstract="Ice of the sea. Mail jo@example.org."),
        iso_record("urn:x:none", title="Wells", abstract="Water."),
    )  # fmt: skip


def link_of(document: dict[str, Any], rel: str, media: str = "") -> str:
    found = [
        each["href"] for each in document["links"] if each["rel"] == rel and each.get("type", "").startswith(media)
    ]
    return str(found[0]).removeprefix("http://testserver")


def ids(client: Client, **asked: str) -> list[str]:
    return sorted(feature["id"].rpartition(":")[2] for feature in client.get(ITEMS, asked).json()["features"])


# --- Representations ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "media"), RESOURCES.items())
def test_each_resource_is_json_or_html_by_accept_and_by_f(client: Client, path: str, media: str) -> None:
    """/conf/html/definition, /conf/json/record-response, /conf/json/catalog-response, /conf/record-core/default-mediatype."""
    for answer in (client.get(path), client.get(path, {"f": "json"}), client.get(path, headers={"accept": "*/*"})):
        assert (answer.status_code, answer["Content-Type"]) == (200, media)
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    for answer in (client.get(path, {"f": "html"}), client.get(path, headers={"accept": browser})):
        assert (answer.status_code, answer["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert client.get(path, {"f": "json"}, headers={"accept": browser})["Content-Type"] == media
    assert client.get(path, headers={"accept": media.partition(";")[0]})["Content-Type"] == media
    assert {"Accept", "Cookie"} <= set(answer["Vary"].split(", "))


@pytest.mark.parametrize("path", RESOURCES)
def test_the_page_has_all_that_the_json_has_and_all_links(client: Client, path: str) -> None:
    """/conf/html/content."""
    document = client.get(path, {"f": "json"}).json()
    page = client.get(path, {"f": "html"}).content.decode()
    assert page.startswith("<!DOCTYPE html>")
    tree = html.fromstring(page)
    body = " ".join(tree.body.text_content().split())
    targets = set(tree.xpath("//body//a/@href"))

    def look(value: Any, name: str = "") -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                look(part, key)
        elif isinstance(value, list):
            for part in value:
                look(part, name)
        elif name == "href" and "f=" not in value and value != f"http://testserver{path}?f=json":
            assert value in targets
        elif isinstance(value, str) and name not in ("href", "$ref", "title", "rel", "type", "servers"):
            shown = " ".join(value.replace("jo@example", "jo [at] example").replace("admin@", "admin [at] ").split())
            assert shown in body or value in targets, (name, value)

    look(document)
    assert "jo@example.org" not in page, "robots find no address"


def test_f_and_accept_that_nobody_knows_are_refused(client: Client) -> None:
    wrong = client.get(ITEMS, {"f": "xml"})
    assert (wrong.status_code, wrong["Content-Type"]) == (400, "application/problem+json")
    assert wrong.json()["detail"] == "f has to be one of json, html: not “xml”."
    assert client.get(ITEMS, headers={"accept": "application/pdf"}).status_code == 406


def test_an_answer_has_an_etag_and_is_not_sent_twice(client: Client) -> None:
    first = client.get(ITEMS)
    again = client.get(ITEMS, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    put(iso_record("urn:x:none", title="Deep wells"))
    assert client.get(ITEMS, headers={"if-none-match": first["ETag"]}).status_code == 200
    head = client.head(ITEMS)
    assert (head.status_code, head.content, head["Content-Type"]) == (200, b"", "application/geo+json")
    assert head["ETag"] == client.get(ITEMS)["ETag"]


def test_answers_are_compressed_and_for_scripts_of_other_sites(client: Client) -> None:
    packed = client.get(ITEMS, headers={"accept-encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(packed.content)) == client.get(ITEMS).json()
    again = client.get(ITEMS, headers={"accept-encoding": "gzip", "if-none-match": packed["ETag"]})
    assert again.status_code == 304
    assert packed["Access-Control-Allow-Origin"] == "*"
    assert "ETag" in packed["Access-Control-Expose-Headers"]
    asked = client.options(ITEMS, headers={"origin": "https://a.example", "access-control-request-method": "GET"})
    assert asked.status_code == 204


def test_only_get_and_head_are_allowed(client: Client) -> None:
    for path in RESOURCES:
        refused = client.post(path, {})
        assert (refused.status_code, refused["Allow"]) == (405, "GET, HEAD")


# --- What is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("color=red", "no parameter “color”"), ("q=a&q=b", "given twice"), ("limit=0", "whole number"), ("limit=ten", "whole number"),
        ("limit=", "whole number"), ("bbox=1,2,3", "four numbers"), ("bbox=1,2,3,x", "four numbers"), ("bbox=0,5,0,-5", "four numbers"),
        ("bbox=0,0,0,91", "four numbers"), ("bbox=nan,0,1,1", "four numbers"), ("bbox=0,0,9,1,1,1", "four numbers"), ("bbox=", "four numbers"),
        ("datetime=today", "a date"), ("datetime=2020-02-30", "a date"), ("datetime=2020-01-02/2020-01-01", "a date"), ("datetime=", "a date"),
        ("datetime=2020-01-01/../..", "a date"), ("sortby=title", "sortby has to be"), ("sortby=-updated,id", "sortby has to be"),
        ("sortby=relevance", "sortby has to be"), ("cursor=abc", "begin again"), ("facets=color", "no facet “color”"),
        ("filter=color='red'", "property “color”"), ("filter=", "no CQL2"), ("filter-lang=cql2-text", "go with filter"),
        ("filter=TRUE&filter-lang=sql", "filter-lang has to be"), ("filter=TRUE&filter-crs=EPSG:4326", "filter-crs has to be"),
        ("q=%00", "NUL"), ("lang=%F0%9F%90%9F", "tags of languages"), ("ids=" + ",".join(map(str, range(101))), "more than 100"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_request_is_told_as_a_problem(client: Client, arguments: str, said: str) -> None:
    """/req/core/query-param-unknown, /req/core/query-param-invalid."""
    answer = client.get(f"{ITEMS}?{arguments}")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    told = answer.json()
    assert said in told["detail"]
    assert (told["title"], told["status"]) == ("Bad request", 400)
    page = client.get(f"{ITEMS}?{arguments}", headers={"accept": "text/html"})
    assert page.status_code == 400
    assert said in unescape(page.content.decode())


@pytest.mark.parametrize("path", RESOURCES)
def test_an_unknown_parameter_is_refused_everywhere(client: Client, path: str) -> None:
    assert client.get(path, {"colour": "red"}).status_code == 400


def test_what_is_not_there_is_told(client: Client) -> None:
    bury("urn:x:gull")
    for path, status, said in (
        ("/ogcapi/collections/NOWHERE", 404, "no collection “NOWHERE”"),
        ("/ogcapi/collections/NOWHERE/items", 404, "no collection"),
        (f"{ITEMS}/urn:x:nothing", 404, "no record “urn:x:nothing”"),
        (f"{ITEMS}/urn:x:gull", 410, "withdrawn"),
        ("/ogcapi/nowhere", 404, "nothing at /ogcapi/nowhere"),
        (f"{WHOLE}/items/", 404, "nothing at"),
    ):
        answer = client.get(path)
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
        assert said in answer.json()["detail"]
    assert client.get("/ogcapi").headers["Location"] == "/ogcapi/"


# --- Parameters -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"q": "herons"}, ["heron"]),
        ({"q": "HERON,gulls"}, ["gull", "heron"]),
        ({"q": "sea ice"}, ["heron"]),
        ({"q": "ice  of\tthe  sea"}, ["gull"]),
        ({"q": "sea ice,water"}, ["heron", "none"]),
        ({"q": "ice sea"}, []),
        ({"q": "hérons"}, ["heron"]),
        ({"q": "-herons"}, ["heron"]),
        ({"q": "or"}, []),
        ({"q": '"'}, []),
        ({"q": ""}, ["gull", "heron", "none"]),
        ({"q": "urn:x:gull"}, ["gull"]),
        ({"bbox": "175,-1,180,1"}, ["heron"]),
        ({"bbox": "-180,-1,-175,1"}, ["heron"]),
        ({"bbox": "179,-1,-179,1"}, ["heron"]),
        ({"bbox": "175,-1,0,180,1,9000"}, ["heron"]),
        ({"bbox": "0,-1,10,1"}, []),
        ({"ids": "urn:x:gull,urn:x:none,urn:x:other"}, ["gull", "none"]),
        ({"externalIds": "urn:x:gull"}, ["gull"]),
        ({"externalIds": "fileIdentifier:urn:x:gull,oai:urn:x:none"}, ["gull", "none"]),
        ({"externalIds": "doi:urn:x:gull"}, []),
        ({"externalIds": "oai:"}, ["gull", "heron", "none"]),
        ({"keywords": "birds,fish"}, ["heron"]),
        ({"organisations": "Japan Meteorological Agency"}, ["gull", "heron", "none"]),
        ({"q": "ice", "bbox": "0,-1,10,1"}, []),
        ({"filter": "title LIKE 'Her%'", "filter-lang": "cql2-text"}, ["heron"]),
        ({"filter": '{"op": "like", "args": [{"property": "title"}, "Her%"]}', "filter-lang": "cql2-json"}, ["heron"]),
        ({"filter": "TRUE", "filter-crs": parameters.CRS84, "profile": "ogc-record,other"}, ["gull", "heron", "none"]),
    ],
)  # fmt: skip
def test_parameters_find_records(client: Client, asked: dict[str, str], found: list[str]) -> None:
    """/conf/record-core-query-parameters/*, /conf/record-filter/*; among all real records: test_filters.py."""
    assert ids(client, **asked) == found


def test_identifiers_with_slashes_commas_and_braces_are_found(client: Client) -> None:
    names = ("http://a.example/b//c?d=e#f", "{AB-1}", "a, b, c", "../up", "50% of it", "ä/ö")
    put(*(iso_record(name) for name in names))
    for name in names:
        for spec in ("WIS-CATALOGUE", own_set().spec):
            answer = client.get(f"/ogcapi/collections/{spec}/items/{quote(name, safe='')}")
            assert answer.json()["id"] == name
        assert [
            feature["id"] for feature in client.get(ITEMS, {"ids": f"{name},urn:x:nothing"}).json()["features"]
        ] == [name]
    assert len(client.get(ITEMS, {"ids": ",".join(names)}).json()["features"]) == len(names)
    listed = client.get(ITEMS, {"ids": names[0]}).json()["features"][0]
    assert client.get(link_of(listed, "self")).json()["id"] == names[0]


def test_limit_bounds_a_page_and_a_larger_one_than_there_is_does_no_harm(client: Client) -> None:
    page = client.get(ITEMS, {"limit": "1"}).json()
    assert (page["numberReturned"], page["numberMatched"], len(page["features"])) == (1, 3, 1)
    assert client.get(ITEMS, {"limit": "999999999"}).json()["numberReturned"] == 3
    assert "next" not in {link["rel"] for link in client.get(ITEMS).json()["links"]}
    following = client.get(link_of(page, "next")).json()
    assert following["features"][0]["id"] != page["features"][0]["id"]
    other = re.sub("limit=1", "limit=1&q=ice", link_of(page, "next"))
    assert client.get(other).status_code == 400, "a cursor is of one search"


def test_a_page_for_people_has_fewer_records(client: Client) -> None:
    put(*(iso_record(f"urn:{number:03d}") for number in range(120)))
    page = client.get("/ogcapi/collections/WIS-CATALOGUE/items?limit=500&f=html").content.decode()
    assert page.count("All properties</summary>") == 100 and "Next" in page
    assert (
        client.get("/ogcapi/collections/WIS-CATALOGUE/items?limit=500").json()["numberReturned"]
        == Record.objects.count()
        > 120
    )


def test_facets_count_the_hits(client: Client) -> None:
    assert set(client.get(f"{WHOLE}/facets").json()["facets"]) >= {"type", "keywords"}
    counted = client.get(ITEMS, {"q": "ice", "facets": "keywords", "limit": "1"}).json()["facets"]["keywords"]
    assert counted["buckets"] == [{"value": "birds", "count": 1}, {"value": "ice", "count": 1}]
    assert counted["isExact"] is True


@pytest.mark.parametrize("text", ["2020-07-31", "2020-07-31T12:00:00Z", "2020-07-31t12:00:00.5z", "2020-07-31T12:00:00+09:00", "2016-12-31T23:59:60Z"])  # fmt: skip
def test_all_forms_of_rfc_3339_are_read(text: str) -> None:
    assert instants.read(text).begins is not None


@pytest.mark.parametrize("text", ["", "2020", "2020-7-1", "2020-07-31T12:00Z", "2020-07-31T12:00:00", "2020-07-31 12:00:00Z", "20200731", "0001-01-01T00:00:00+10:00", "２０２０-07-31"])  # fmt: skip
def test_other_forms_are_not(text: str) -> None:
    with pytest.raises(ValueError):
        instants.read(text)


# --- The resources --------------------------------------------------------------------------------------


def test_the_landing_page_leads_to_everything(client: Client) -> None:
    """/conf/autodiscovery/links, /conf/core/root-success of Features."""
    landing = client.get(ROOT).json()
    for rel, media in (
        ("service-desc", "application/vnd.oai.openapi+json;version=3.0"),
        ("service-doc", "text/html"),
        ("conformance", "application/json"),
        ("data", "application/json"),
        ("http://www.opengis.net/def/rel/ogc/1.0/ogc-catalog", "application/geo+json"),
        ("alternate", "text/html"),
        ("self", "application/json"),
        ("search", "text/html"),
    ):
        answer = client.get(link_of(landing, rel, media))
        assert (answer.status_code, answer["Content-Type"].partition("; charset")[0]) == (200, media)
    home = html.fromstring(client.get("/").content)
    catalogue = home.find("head/link[@rel='http://www.opengis.net/def/rel/ogc/1.0/ogc-catalog']")
    assert client.get(catalogue.get("href"))["Content-Type"] == catalogue.get("type")


def test_the_conformance_classes_are_those_of_the_document(client: Client) -> None:
    """/conf/*/conformance."""
    assert client.get("/ogcapi/conformance").json()["conformsTo"] == list(documents.CONFORMANCE)


def test_collections_are_the_catalogue_and_the_public_sets(client: Client) -> None:
    """/conf/records-api/catalogs-response, /conf/record-collection/*."""
    MetadataSet.objects.create(spec="UNLISTED", name="x", public=False)
    MetadataSet.objects.create(spec="PARTNERS", name="x", category=Category.objects.create(name="partners"))
    MetadataSet.objects.create(spec="a:b", name="Of a part", description="All of a part.")
    found = client.get("/ogcapi/collections").json()["collections"]
    assert [each["id"] for each in found] == ["WIS-CATALOGUE", own_set().spec, "a:b"]
    for each in found:
        answer = client.get(link_of(each, "self"))
        alone = answer.json()
        assert {**alone, "links": 0} == {**each, "links": 0}
        assert (alone["type"], alone["itemType"]) == ("Collection", "record")
        assert client.get(link_of(alone, "self")).content == answer.content
        assert client.get(link_of(alone, "alternate", "text/html"))["Content-Type"].startswith("text/html")
        assert client.get(link_of(alone, "items")).json()["type"] == "FeatureCollection"
        assert link_of(alone, "profile") == f"{PROFILE}ogc-catalog"
        assert answer["Link"] == f'<{PROFILE}ogc-catalog>; rel="profile"'
    assert client.get("/ogcapi/collections/UNLISTED").status_code == 404
    plain = client.get(WHOLE, {"profile": "ogc-catalog"}, headers={"accept": "application/json"})
    assert plain["Content-Type"] == "application/json"
    assert plain.json() | {"links": 0} == found[0] | {"links": 0}


def test_queryables_and_sortables_are_schemas_of_what_may_be_asked_for(client: Client) -> None:
    """/conf/searchable-catalog/mandatory-queryables, /conf/sorting/get-sortables-success, /conf/sorting/defaultSortOrder-definition."""
    item = client.get(WHOLE).json()
    for name in ("queryables", "sortables"):
        answer = client.get(link_of(item, f"http://www.opengis.net/def/rel/ogc/1.0/{name}"))
        schema = answer.json()
        assert answer["Content-Type"] == "application/schema+json"
        assert schema["$schema"] == "https://json-schema.org/draft/2019-09/schema"
        assert schema["$id"] == f"http://testserver{WHOLE}/{name}"
        assert schema["type"] == "object"
        for found in schema["properties"].values():
            assert ("type" in found) != found.get("format", "").startswith("geometry-")
    assert {order["field"] for order in item["defaultSortOrder"]} <= set(schema["properties"])
    queryables = client.get(f"{WHOLE}/queryables").json()["properties"]
    assert "id" in queryables
    for name, found in queryables.items():
        assert client.get(ITEMS, {"filter": f'"{name}" IS NOT NULL'}).status_code == 200, name
        if found.get("format") == "date-time":
            asked = [
                f"{name} {operator} TIMESTAMP('2020-01-01T00:00:00Z')" for operator in ("=", "<>", "<", ">", "<=", ">=")
            ]
        elif found.get("type") == "string":
            asked = [f"{name} {operator} 'a'" for operator in ("=", "<>", "<", ">", "<=", ">=", "LIKE")]
            asked.append(f"{name} IN ('a', 'b')")
        else:
            asked = []
        for text in asked:  # /conf/basic-cql2 and /conf/advanced-comparison-operators of CQL2
            every = [
                client.get(ITEMS, {"filter": each}).json()["numberMatched"]
                for each in (text, f"NOT ({text})", f"{name} IS NULL")
            ]
            assert sum(every) == 3, text


def test_the_parameters_of_the_document_are_those_of_the_standard() -> None:
    """/conf/record-core-query-parameters/*-definition, /conf/records-api/mandatory-params, /conf/sorting/sortby-definition."""
    made = openapi._parameters()
    for name in ("q", "type", "ids", "externalIds", "sortby", "profile", "bbox"):
        assert (made[name]["in"], made[name]["required"], made[name]["explode"]) == ("query", False, False)
        assert made[name]["schema"]["type"] == "array"
    assert made["type"]["schema"]["items"] == {"type": "string", "maxLength": 64}
    listed = openapi._paths()["/collections/{collectionId}/items"]["get"]["parameters"]
    names = {each["$ref"].rpartition("/")[2] for each in listed}
    assert names >= {
        "bbox",
        "datetime",
        "externalIds",
        "ids",
        "limit",
        "q",
        "type",
        "sortby",
        "filter",
        "filter-lang",
        "filter-crs",
        "profile",
    }
    assert names == {*parameters.OF_ITEMS, "collectionId", "lang", "profile", "f"}


def test_links_are_those_of_the_address_behind_a_proxy(client: Client, settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    landing = client.get(ROOT, headers={"x-forwarded-proto": "https", "host": "testserver"}).json()
    assert landing["links"][0]["href"] == "https://testserver/ogcapi/"


# --- One record -----------------------------------------------------------------------------------------


def test_a_record_has_what_the_standard_wants(client: Client) -> None:
    """/conf/record-core/*, /conf/records-api/record-response."""
    record = client.get(f"{ITEMS}/{HERON}").json()
    assert record["id"] == HERON
    assert record["geometry"] == {
        "type": "MultiPolygon",
        "coordinates": [
            [[[170, -10], [180, -10], [180, 10], [170, 10], [170, -10]]],
            [[[-180, -10], [-170, -10], [-170, 10], [-180, 10], [-180, -10]]],
        ],
    }
    assert record["time"] is None
    properties = record["properties"]
    assert properties["keywords"] == ["birds", "ice"]
    assert properties["language"]["code"] == "en"
    assert {each["code"] for each in properties["languages"]} == {"fr", "ar"}
    assert properties["contacts"] == [{"organization": "Japan Meteorological Agency", "roles": ["pointOfContact"]}]
    assert properties["externalIds"] == [
        {"scheme": "fileIdentifier", "value": HERON},
        {"scheme": "oai", "value": HERON},
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", properties["updated"])
    rels = [link["rel"] for link in record["links"]]
    assert rels.count("collection") == rels.count("self") == rels.count("profile") == 1
    assert link_of(record, "profile") == f"{PROFILE}ogc-record"
    assert client.get(link_of(record, "collection"))["Content-Type"] == "application/ogc-catalog+json"
    assert client.get(link_of(record, "alternate", "application/xml")).content.startswith(b"<gmd:MD_Metadata")
    assert b"<identifier>urn:x:heron</identifier>" in client.get(link_of(record, "alternate", "text/xml")).content
    for link in record["links"]:
        if link["rel"] == "alternate":
            assert client.get(link["href"].removeprefix("http://testserver")).status_code == 200
    listed = next(each for each in client.get(ITEMS).json()["features"] if each["id"] == HERON)
    assert {**listed, "links": 0} == {**record, "links": 0}


@pytest.mark.parametrize(
    ("asked", "accepted", "title", "tag"),
    [
        ("", "", "Herons", "en"), ("fr", "", "Hérons", "fr"), ("fr-CA,en;q=0.5", "", "Hérons", "fr"), ("de,ar", "", "مالك الحزين", "ar"),
        ("de", "", "Herons", "en"), ("", "fr", "Hérons", "fr"), ("", "en-GB,fr;q=0.9", "Herons", "en"), ("en", "fr", "Herons", "en"),
        ("", "*", "Herons", "en"), ("", "!!", "Herons", "en"),
    ],
)  # fmt: skip
def test_texts_are_in_the_language_that_is_asked_for(
    client: Client, asked: str, accepted: str, title: str, tag: str
) -> None:
    for path in (f"{ITEMS}/{HERON}", ITEMS):
        headers = {"accept-language": accepted} if accepted else {}
        answer = client.get(path, {"lang": asked, **({} if path != ITEMS else {"q": "herons"})}, headers=headers)
        properties = (answer.json() if path != ITEMS else answer.json()["features"][0])["properties"]
        assert (properties["title"], properties["language"]["code"]) == (title, tag)
        assert {each["code"] for each in properties["languages"]} == {"en", "fr", "ar"} - {tag}
        assert "Accept-Language" in answer["Vary"]
    if tag == "ar":
        assert properties["language"]["dir"] == "rtl"


CONSTRAINTS = """<gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:useLimitation><gco:CharacterString>Cite us.</gco:CharacterString>
</gmd:useLimitation>{}</gmd:MD_LegalConstraints></gmd:resourceConstraints>"""
OTHER = "<gmd:otherConstraints><gco:CharacterString>{}</gco:CharacterString></gmd:otherConstraints>"


@pytest.mark.parametrize(
    ("licences", "said"),
    [
        (["https://creativecommons.org/licenses/by/4.0/"], "CC-BY-4.0"),
        (["http://creativecommons.org/licenses/by-nc-sa/3.0/deed.fr"], "CC-BY-NC-SA-3.0"),
        (["https://creativecommons.org/publicdomain/zero/1.0/legalcode"], "CC0-1.0"),
        (["https://licence.example.org/ours"], "other"),
        (["https://creativecommons.org/licenses/by/4.0/", "https://licence.example.org/ours"], "other"),
        (["javascript:alert(1)"], None),
        ([], None),
    ],
)
def test_a_licence_is_named_as_spdx_names_it_or_linked(client: Client, licences: list[str], said: str | None) -> None:
    """/conf/record-core/license."""
    constraints = CONSTRAINTS.format("".join(map(OTHER.format, licences))).encode()
    head, mark, tail = iso_record("urn:x:free").rpartition(b"<gmd:language>")
    put(head + constraints + mark + tail)
    record = client.get(f"{ITEMS}/urn:x:free").json()
    assert record["properties"].get("license") == said
    assert record["properties"]["rights"].startswith("Cite us.")
    linked = [link["href"] for link in record["links"] if link["rel"] == "license"]
    assert linked == [each for each in licences if each.startswith("http")]
    assert not any(link["href"].startswith("javascript") for link in record["links"])


def test_a_damaged_record_is_answered_with_what_is_left(client: Client) -> None:
    Record.objects.filter(identifier=HERON).update(payload=b"no frame")
    record = client.get(f"{ITEMS}/{HERON}").json()
    assert (record["properties"]["title"], "contacts" in record["properties"]) == ("Herons", False)


# --- Who may see what -----------------------------------------------------------------------------------


def test_who_is_signed_in_sees_more_and_no_cache_keeps_it(client: Client) -> None:
    partners = Category.objects.create(name="partners", signed_in=True)
    hidden = MetadataSet.objects.create(spec="PARTNERS", name="x", category=partners)
    put(iso_record("urn:x:secret", title="Secret"), into=hidden)
    paths = ("/ogcapi/collections/PARTNERS", "/ogcapi/collections/PARTNERS/items", f"{ITEMS}/urn:x:secret")
    assert [client.get(path).status_code for path in paths] == [404, 404, 404]
    assert "secret" not in ids(client)
    client.force_login(User.objects.create_user("reader", password="x" * 12))
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        assert "Cookie" in answer["Vary"]
    assert "secret" in ids(client)
    assert client.get("/ogcapi/collections/PARTNERS/items").json()["numberMatched"] == 1
