"""The interface as it is served: clients of others walk all real records, and no request gets 500 or what is not described."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import requests
from openapi_schema_validator import OAS30Validator
from openapi_spec_validator import validate
from owslib.ogcapi.records import Records
from referencing import Registry
from referencing.jsonschema import DRAFT4

from catalogue import bootstrap
from catalogue.models import Record
from tests.support import ogc_schemas
from tests.support.naive_search import World
from tests.support.served import Served, served
from tests.support.world import TOULOUSE, iso_record, put

RECORD_PROFILE = "http://www.opengis.net/def/profile/OGC/0/ogc-record"


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    bootstrap.ensure_sets()
    with served(tmp_path, GISC_WEB_THREADS="2") as running:
        yield running


@pytest.fixture
def full(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    """A server with all real records."""
    bootstrap.ensure_sets()
    World()
    with served(tmp_path, GISC_WEB_THREADS="2") as running:
        yield running


def identifiers(**of: str) -> set[str]:
    return set(Record.objects.filter(deleted=False, **of).values_list("identifier", flat=True))


def test_owslib_and_plain_requests_walk_all_real_records(full: Served) -> None:
    client = Records(f"{full.url}/ogcapi/")
    assert client.records() == ["WIS-CATALOGUE", "WIS-GISC-TOKYO", TOULOUSE.spec]
    assert client.api()["openapi"] == "3.0.3"
    assert (
        RECORD_PROFILE.replace("def/profile/OGC/0/ogc-record", "spec/ogcapi-records-1/1.0/conf/json")
        in client.conformance()["conformsTo"]
    )
    assert set(client.collection_queryables("WIS-CATALOGUE")["properties"]) >= {"id", "title", "geometry"}
    # As OWSLib 0.28 sends it, the last that pycsw lives with; later ones leave it out.
    first = client.collection_items(
        "WIS-CATALOGUE", limit=10, q="sea,ice", bbox=[-180, -90, 180, 90], sortby="-updated"
    )
    assert first["numberReturned"] == 10
    client_filter = client.collection_items("WIS-CATALOGUE", filter="title LIKE 'Sea%'")
    assert client_filter["numberMatched"] == Record.objects.filter(description__title__startswith="Sea").count()

    session = requests.Session()
    for spec, expected in (("WIS-CATALOGUE", identifiers()), (TOULOUSE.spec, identifiers(owner__spec=TOULOUSE.spec))):
        found: list[str] = []
        address = f"{full.url}/ogcapi/collections/{spec}/items?limit=100"
        while address:
            page = session.get(address, timeout=60).json()
            assert ogc_schemas.faults("recordCollectionGeoJSON", page) == []
            found += [feature["id"] for feature in page["features"]]
            address = next((link["href"] for link in page["links"] if link["rel"] == "next"), "")
        assert len(found) == page["numberMatched"] == len(expected)
        assert set(found) == expected
    for identifier in sorted(identifiers()):
        alone = client.collection_item("WIS-CATALOGUE", quote(identifier, safe=""))
        assert alone["id"] == identifier
        assert ogc_schemas.faults("recordGeoJSON", alone) == []
    assert "Traceback" not in full.log.read_text()


def test_the_openapi_document_is_valid_and_all_answers_are_as_it_says(full: Served) -> None:
    document = requests.get(f"{full.url}/ogcapi/openapi", timeout=60).json()
    validate(document)
    registry = Registry().with_resource("urn:own", DRAFT4.create_resource(document))

    def check(path: str, schema: str) -> dict:
        answer = requests.get(f"{full.url}/ogcapi{path}", timeout=60)
        validator = OAS30Validator({"$ref": f"urn:own#/components/schemas/{schema}"}, registry=registry)
        assert [fault.message[:300] for fault in validator.iter_errors(answer.json())] == []
        return dict(answer.json())

    for path, schema in (("/", "LandingPage"), ("/conformance", "Conformance"), ("/collections", "Collections")):
        check(path, schema)
    here = "/collections/WIS-CATALOGUE"
    for path, schema in (
        ("", "Collection"),
        ("/queryables", "Schema"),
        ("/sortables", "Schema"),
        ("/facets", "Facets"),
    ):
        check(here + path, schema)
    check(f"{here}/items?facets=type,keywords&q=sea", "Records")
    check(f"{here}/items?color=red", "Problem")
    address = f"{here}/items?limit=200&lang=fr,en"
    while address:
        page = check(address, "Records")
        address = next((link["href"].split("/ogcapi")[1] for link in page["links"] if link["rel"] == "next"), "")


def test_answers_are_as_the_published_schemas_say(full: Served) -> None:
    def at(path: str) -> dict:
        return dict(requests.get(f"{full.url}/ogcapi{path}", timeout=60).json())

    assert ogc_schemas.faults("landingPage", at("/")) == []
    assert ogc_schemas.faults("confClasses", at("/conformance")) == []
    assert ogc_schemas.faults("f-collections", at("/collections")) == []
    for item in at("/collections")["collections"]:
        assert ogc_schemas.faults("catalog", item) == []
        assert ogc_schemas.faults("catalog", at(f"/collections/{item['id']}")) == []


# A run of its own: schemathesis has a plugin of pytest that is off in ours. Every other request is for what there is.
_SCHEMATHESIS = """
from collections import Counter
import hypothesis
import schemathesis
from schemathesis.checks import CHECKS, load_all_checks

load_all_checks()
schema = schemathesis.openapi.from_url("{url}/openapi")
checks = [CHECKS.get_one(name) for name in ("not_a_server_error", "status_code_conformance", "content_type_conformance",
                                            "response_headers_conformance", "response_schema_conformance")]
statuses = Counter()
real = {"collectionId": "WIS-CATALOGUE", "recordId": "urn:x:1"}
for result in schema.get_all_operations():
    operation = result.ok()
    for mode in schemathesis.GenerationMode:
        @hypothesis.seed(1)
        @hypothesis.settings(max_examples={examples}, deadline=None, database=None, phases=[hypothesis.Phase.generate],
                             suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
        def ask(case):
            if statuses.total() % 2:
                case.path_parameters = {name: real[name] for name in case.path_parameters or {}}
            response = case.call(timeout=60)
            statuses[response.status_code] += 1
            case.validate_response(response, checks=checks)

        try:
            ask()
        except hypothesis.errors.Unsatisfiable:
            pass  # nothing can be wrong with this one
print(sorted(statuses), statuses[200], statuses[400])
"""


def test_schemathesis_finds_no_500_and_no_answer_that_is_not_described(server: Served) -> None:
    put(*(iso_record(f"urn:x:{number}", title="Sea ice", box=(-10, 40, 10, 60)) for number in range(5)))
    script = _SCHEMATHESIS.replace("{url}", f"{server.url}/ogcapi").replace("{examples}", "60")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    statuses, right, wrong = re.findall(r"\[(.*)\] (\d+) (\d+)", done.stdout)[-1]
    assert {"200", "400", "404"} <= set(statuses.split(", "))
    assert int(right) > 100 and int(wrong) > 100
    assert "Traceback" not in server.log.read_text()
