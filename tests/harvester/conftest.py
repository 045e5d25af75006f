"""A link to Toulouse, and Toulouse as a provider on a real socket."""

import pytest
from pytest_httpserver import HTTPServer

from catalogue.models import MetadataSet
from harvester import schedule
from harvester.models import Link
from tests.support.provider import Provider
from tests.support.world import TOULOUSE


@pytest.fixture
def provider(httpserver: HTTPServer) -> Provider:
    return Provider(httpserver)


@pytest.fixture
def link(toulouse: MetadataSet, provider: Provider) -> Link:
    """Its provider may list a record months after its datestamp, so that entries of a test need no new datestamps."""
    return Link.objects.create(
        name="toulouse",
        base_url=provider.base_url,
        remote_set=TOULOUSE.spec,
        local_set=toulouse,
        lateness_h=schedule.MAX_LATENESS_H,
    )
