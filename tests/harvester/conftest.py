"""A link to Toulouse, and Toulouse as a provider on a real socket."""

import pytest
from pytest_httpserver import HTTPServer

from catalogue.models import MetadataSet
from harvester.models import Link
from tests.harvester.provider import Provider
from tests.world import TOULOUSE, iso_record


def identifier(number: int) -> str:
    return f"urn:x-wmo:md:fr.meteofrance::R{number:03d}"


def fill(provider: Provider, numbers: range, stamp: str = "2026-02-01T00:00:00Z") -> None:
    """Give the provider live records with these numbers."""
    for number in numbers:
        provider.entries[identifier(number)] = (stamp, iso_record(identifier(number), title=f"Product {number}"))


@pytest.fixture
def provider(httpserver: HTTPServer) -> Provider:
    return Provider(httpserver)


@pytest.fixture
def link(toulouse: MetadataSet, provider: Provider) -> Link:
    return Link.objects.create(
        name="toulouse", base_url=provider.base_url, remote_set=TOULOUSE.spec, local_set=toulouse
    )
