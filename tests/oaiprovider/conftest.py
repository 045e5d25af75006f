"""The provider's tests start from a node that has its sets and its clock, and no record."""

import pytest
from django.core.cache import cache

from catalogue import bootstrap


@pytest.fixture(autouse=True)
def _founded(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("django_db"):
        bootstrap.ensure_sets()


@pytest.fixture(autouse=True)
def _no_old_figures() -> None:
    """A machine that is busy counts slowly, and then keeps the figures, also those of the test before."""
    cache.clear()
