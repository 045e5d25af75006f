"""A wrong setting stops the process at start, with a sentence saying what to write instead."""

import pytest

from oaiprovider import checks
from tests.support import world


@pytest.mark.spec("P54")
@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("oai-admin@gisc.example.org", True),
        ("a.b_c-d@x.example", True),
        ("admin@localhost", False),
        ("admin@host.localdomain", False),
        ("mailto:admin@example.org", False),
        ("Admin <admin@example.org>", False),
        ("admin@example.org, b@example.org", False),
        ("admin", False),
        ("", False),
    ],
)
def test_the_address_in_identify_can_be_written_to(settings, address: str, good: bool) -> None:
    settings.GISC_ADMIN_EMAIL = address
    found = checks.admin_email_is_deliverable()
    assert [message.id for message in found] == ([] if good else ["oaiprovider.E001"])
    assert all(message.hint for message in found)


@pytest.mark.spec("P1")
@pytest.mark.parametrize(
    ("url", "good"),
    [
        ("http://127.0.0.1:8000", True),
        ("https://gisc.example.org", True),
        ("https://gisc.example.org/wis", True),
        ("https://gisc.example.org?x=1", False),
        ("https://gisc.example.org#top", False),
        ("ftp://gisc.example.org", False),
        ("gisc.example.org", False),
    ],
)
def test_the_base_url_has_no_query_and_no_fragment(settings, url: str, good: bool) -> None:
    settings.GISC_BASE_URL = url
    assert [message.id for message in checks.base_url_is_bare()] == ([] if good else ["oaiprovider.E002"])


@pytest.mark.spec("P1")
@pytest.mark.parametrize(
    ("hosts", "served"),
    [(["gisc.example.org"], True), ([".example.org"], True), (["*"], True), (["127.0.0.1", "localhost"], False)],
)
def test_the_host_of_the_base_url_is_one_we_answer_to(settings, hosts: list[str], served: bool) -> None:
    settings.GISC_BASE_URL = "https://gisc.example.org:8443"
    settings.ALLOWED_HOSTS = hosts
    assert [message.id for message in checks.base_url_is_served()] == ([] if served else ["oaiprovider.W001"])


@pytest.mark.spec("P114")
def test_a_mirror_is_another_node(settings) -> None:
    settings.GISC_BASE_URL = world.OUR_BASE_URL
    for mirror, ids in (("", []), ("https://mirror.example.org", []), (world.OUR_BASE_URL, ["oaiprovider.E003"])):
        settings.GISC_MIRROR_URL = mirror
        assert [message.id for message in checks.mirror_is_elsewhere()] == ids
