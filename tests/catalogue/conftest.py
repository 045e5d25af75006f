"""The catalogue's tests start from a node that has its sets, its clock and no record."""

import pytest

from catalogue import bootstrap


@pytest.fixture(autouse=True)
def _founded(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("django_db"):
        bootstrap.ensure_sets()
