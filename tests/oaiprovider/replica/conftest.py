"""A replica of the database of the tests, for all tests of a file."""

from collections.abc import Iterator

import pytest

from tests.support.replicas import ReplicaServer, replica_of_the_tests


@pytest.fixture(scope="module")
def server(django_db_setup: None, django_db_blocker) -> Iterator[ReplicaServer]:
    with django_db_blocker.unblock(), replica_of_the_tests() as made:
        yield made
