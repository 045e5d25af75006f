"""Badges: the state of a link, and of the links of a set, in a word, at an address that stays."""

import pytest
from django.test import Client
from django.utils import timezone
from lxml import etree

from catalogue.models import MetadataSet
from harvester.models import Link
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db


@pytest.fixture
def link(toulouse: MetadataSet) -> Link:
    return Link.objects.create(
        name="toulouse", base_url="http://toulouse.example.org/oai", remote_set=TOULOUSE.spec, local_set=toulouse
    )


def words(client: Client, path: str) -> str:
    answer = client.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml") and "max-age=60" in answer[
        "Cache-Control"
    ]
    svg = etree.fromstring(answer.content)
    said = [str(text.text) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert svg.get("aria-label") == ": ".join(said)
    return said[1]


def test_a_link_and_its_set_have_badges_that_say_how_they_are(client: Client, link: Link) -> None:
    of_link, of_set = "/harvest/badge/toulouse.svg", f"/harvest/badge/set/{TOULOUSE.spec}.svg"
    assert words(client, of_link) == words(client, of_set) == "new"
    Link.objects.update(failures=2, failing_since=timezone.now())
    assert words(client, of_link) == words(client, of_set) == "failing"


def test_what_is_not_there_or_not_public_has_no_badge(client: Client, link: Link) -> None:
    for path in ("/harvest/badge/nobody.svg", "/harvest/badge/set/NOBODY.svg", "/harvest/badge/set/WIS-GISC-TOKYO.svg"):
        assert client.get(path).status_code == 404
    MetadataSet.objects.filter(spec=TOULOUSE.spec).update(public=False)
    assert client.get(f"/harvest/badge/set/{TOULOUSE.spec}.svg").status_code == 404


def test_a_set_is_as_its_worst_link(client: Client, link: Link) -> None:
    Link.objects.update(failures=1)
    other = {"base_url": "http://other.example.org/oai", "remote_set": TOULOUSE.spec, "local_set": link.local_set}
    Link.objects.create(name="second", **other)
    assert words(client, "/harvest/badge/second.svg") == "new"
    assert words(client, f"/harvest/badge/set/{TOULOUSE.spec}.svg") == "failing"
