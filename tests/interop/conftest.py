"""A link to Toulouse, as the harvester's tests have it."""

import pytest

from catalogue import bootstrap
from catalogue.models import MetadataSet
from tests.world import TOULOUSE


@pytest.fixture
def toulouse(db: None) -> MetadataSet:
    bootstrap.ensure_sets()
    return MetadataSet.objects.create(spec=TOULOUSE.spec, name=TOULOUSE.name)
