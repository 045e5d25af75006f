"""Two harvesters with different profiles, and one that pretends, over real sockets."""

import socket
from ipaddress import ip_network

import pytest
from sickle import Sickle
from sickle.oaiexceptions import BadResumptionToken, IdDoesNotExist

from catalogue.models import MetadataSet
from oaiprovider.models import Profile
from tests.support import world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def base_url(live_server) -> str:
    """Seven records, four of them ours. DRIVER sees Toulouse's, two at a time; PARTNER both sets, three at a time."""
    toulouse = world.peer_set(world.TOULOUSE)
    world.put(*(world.iso_record(f"urn:ours:{n}") for n in range(4)))
    world.put(*(world.iso_record(f"urn:theirs:{n}") for n in range(3)), into=toulouse)
    world.bury("urn:theirs:1", into=toulouse)
    driver = Profile.objects.create(name="DRIVER", match="DRIVER", everything=False, page_records=2, page_headers=2)
    driver.sets.set([toulouse])
    partner = Profile.objects.create(
        name="PARTNER", match="PARTNER", networks=["127.0.0.0/8"], everything=False, page_records=3, page_sets=1
    )
    partner.sets.set([toulouse, world.own_set()])
    return f"{live_server.url}/oai"


def harvester(base_url: str, user_agent: str, **more: str) -> Sickle:
    return Sickle(base_url, headers={"User-Agent": user_agent, **more})


OURS = {f"urn:ours:{n}" for n in range(4)}
THEIRS = {f"urn:theirs:{n}" for n in range(3)}


@pytest.mark.spec("G2", "G5", "G6", "G11", "W4", "G10")
def test_each_harvester_walks_to_the_end_of_what_it_is_shown(base_url: str) -> None:
    for user_agent, expected in (
        ("DRIVER/2.1 (harvester)", THEIRS),
        ("PARTNER", OURS | THEIRS),
        ("Sickle", OURS | THEIRS),
    ):
        one = harvester(base_url, user_agent)
        records = list(one.ListRecords(metadataPrefix="iso19139"))
        assert sorted(record.header.identifier for record in records) == sorted(expected)
        assert [record.header.identifier for record in records if record.deleted] == ["urn:theirs:1"]
        assert {header.identifier for header in one.ListIdentifiers(metadataPrefix="oai_dc")} == expected
    assert [one.setSpec for one in harvester(base_url, "DRIVER").ListSets()] == [world.TOULOUSE.spec]
    assert [one.setSpec for one in harvester(base_url, "PARTNER").ListSets()] == [world.OUR_SPEC, world.TOULOUSE.spec]
    with pytest.raises(IdDoesNotExist):
        harvester(base_url, "DRIVER").GetRecord(identifier="urn:ours:1", metadataPrefix="iso19139")
    assert harvester(base_url, "PARTNER").GetRecord(identifier="urn:ours:1", metadataPrefix="iso19139")


@pytest.mark.spec("G12", "E30")
def test_a_token_taken_to_the_other_harvester_is_refused_and_still_good_at_home(base_url: str) -> None:
    driver = harvester(base_url, "DRIVER/2.1").ListRecords(metadataPrefix="iso19139")
    token = driver.resumption_token.token
    for stranger in ("PARTNER", "curl/8"):
        with pytest.raises(BadResumptionToken, match="another harvester"):
            harvester(base_url, stranger).ListRecords(resumptionToken=token)
    rest = list(harvester(base_url, "DRIVER/2.2").ListRecords(resumptionToken=token))
    assert {record.header.identifier for record in rest} < THEIRS and len(rest) == 1


@pytest.mark.spec("G13")
def test_a_closed_profile_does_not_exist_for_who_comes_from_elsewhere(base_url: str, settings) -> None:
    """The harvester's network is moved instead of the harvester, and a proxy is believed or not."""
    hidden = MetadataSet.objects.create(spec="partners", name="Partners", public=False)
    Profile.objects.get(name="PARTNER").sets.add(hidden)
    assert "partners" in [one.setSpec for one in harvester(base_url, "PARTNER").ListSets()]

    Profile.objects.filter(name="PARTNER").update(networks=["192.0.2.0/24"])
    public = [one.setSpec for one in harvester(base_url, "curl/8").ListSets()]
    assert "partners" not in public
    forged = {"X-Forwarded-For": "192.0.2.7"}
    for one in (harvester(base_url, "PARTNER"), harvester(base_url, "PARTNER", **forged)):
        assert [shown.setSpec for shown in one.ListSets()] == public
    settings.GISC_TRUSTED_PROXIES = [ip_network("127.0.0.1")]
    assert "partners" in [one.setSpec for one in harvester(base_url, "PARTNER", **forged).ListSets()]


@pytest.mark.spec("G2", "G3")
def test_a_request_without_a_user_agent_is_anybodys(base_url: str) -> None:
    host, port = base_url.removeprefix("http://").removesuffix("/oai").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        request = f"GET /oai?verb=ListSets HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b" 200 OK" in answer.split(b"\r\n", 1)[0]
    assert b"<setSpec>WIS-CATALOGUE</setSpec>" in answer


@pytest.mark.spec("G16")
def test_an_edit_counts_at_once(base_url: str) -> None:
    assert harvester(base_url, "DRIVER").Identify().repositoryName != "Edited"
    Profile.objects.filter(name="DRIVER").update(repository_name="Edited")
    assert harvester(base_url, "DRIVER").Identify().repositoryName == "Edited"
