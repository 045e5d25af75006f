"""The admin shows what others say of records that are not theirs."""

import pytest
from django.test import Client

from catalogue.models import Claim
from catalogue.provenance import Provenance
from catalogue.writing import store
from tests.support import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(admin_client: Client) -> Client:
    toulouse, offenbach = world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)
    for identifier, said in (("urn:same", "One"), ("urn:other", "Two")):
        world.put(world.iso_record(identifier, title="One"), into=toulouse)
        entry = store.prepare(world.iso_record(identifier, title=said), provenance=Provenance(link="offenbach"))
        store.put_entries([entry], into=offenbach, source="offenbach")
    return admin_client


def test_claims_are_listed_with_their_record_and_owner(operator: Client) -> None:
    page = operator.get("/admin/catalogue/claim/").content.decode()
    assert "urn:same" in page
    assert "urn:other" in page
    assert world.TOULOUSE.spec in page


def test_those_that_differ_can_be_picked_out(operator: Client) -> None:
    page = operator.get("/admin/catalogue/claim/?content=differs").content.decode()
    assert "urn:other" in page
    assert "urn:same" not in page


def test_one_shows_what_is_said_and_cannot_be_changed(operator: Client) -> None:
    claim = Claim.objects.get(record__identifier="urn:other")
    answer = operator.get(f"/admin/catalogue/claim/{claim.pk}/change/")
    assert "Two" in answer.content.decode()
    assert operator.post(f"/admin/catalogue/claim/{claim.pk}/change/", {"source": "x"}).status_code == 403
