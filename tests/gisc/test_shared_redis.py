"""Two nodes of one name with different databases at one Redis: both say so, and a change of the primary is not taken for that."""

import json
from collections.abc import Iterator

import pytest
import redis
from django.conf import settings
from django.db import connection
from django.test import Client

from catalogue import database_identity, tasks
from gisc import heartbeat
from gisc.parts.reasons import PartCode
from tests.support.heartbeats import beat_as_worker_and_beat, no_heartbeats

KEY = f"gisc:{settings.GISC_NAME}:databases"


@pytest.fixture(autouse=True)
def client_of_redis() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(settings.GISC_REDIS_URL) as client, no_heartbeats():
        client.delete(KEY)
        beat_as_worker_and_beat()
        yield client
        client.delete(KEY)


@pytest.fixture
def other(db: None) -> str:
    """The identity of another database of the same server, such as a dump that was restored there."""
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"SELECT {database_identity.CLUSTER_AND_DATABASE} || '/' || {database_identity.TIMELINE}")
        (identity,) = cursor.fetchone()
    return str(identity)


def of_redis(client: Client) -> tuple[str, str]:
    """State and code of the part."""
    part = client.get("/health/ready").json()["parts"]["redis"]
    return part["state"], part["code"]


def move(client: redis.Redis, identity: str, **seconds: float) -> None:
    """Have the first or last tick of a database be so many seconds longer ago."""
    facts = json.loads(client.hget(KEY, identity))
    client.hset(KEY, identity, json.dumps({name: at - seconds.get(name, 0) for name, at in facts.items()}))


OURS_ALONE, SHARED = ("ok", PartCode.OK), ("degraded", PartCode.REDIS_SHARED)


@pytest.mark.django_db
def test_a_node_says_that_another_database_uses_its_name_at_its_redis(
    client: Client, client_of_redis: redis.Redis, other: str
) -> None:
    assert of_redis(client) == OURS_ALONE, "nobody has ticked yet"
    tasks.tick()
    assert of_redis(client) == OURS_ALONE
    heartbeat.note_database(other)
    assert of_redis(client) == SHARED
    assert 'gisc_part_state{part="redis",state="degraded"} 1.0' in client.get("/metrics").content.decode()
    tasks.tick()
    assert of_redis(client) == SHARED, "also when our tick was the last"

    move(client_of_redis, other, last=301)
    assert of_redis(client) == OURS_ALONE, "it has stopped"


@pytest.mark.django_db
def test_a_database_that_was_ours_before_the_primary_changed_is_no_other_node(
    client: Client, client_of_redis: redis.Redis, other: str
) -> None:
    heartbeat.note_database(other)
    tasks.tick()
    assert of_redis(client) == OURS_ALONE
    heartbeat.note_database(other)
    assert of_redis(client) == SHARED, "it goes on beside ours"


@pytest.mark.django_db
def test_a_node_that_comes_back_after_hours_begins_anew(
    client: Client, client_of_redis: redis.Redis, other: str
) -> None:
    tasks.tick()
    ours = database_identity.database_identity()
    assert ours is not None
    move(client_of_redis, ours, first=90_000, last=3_700)
    heartbeat.note_database(other)
    tasks.tick()
    assert of_redis(client) == OURS_ALONE


@pytest.mark.django_db
def test_where_ticks_are_rare_the_other_node_is_remembered_until_some_have_passed(
    client: Client, client_of_redis: redis.Redis, settings, other: str
) -> None:
    settings.GISC_BEAT_SECONDS = 3600
    tasks.tick()
    heartbeat.note_database(other)
    move(client_of_redis, str(database_identity.database_identity()), first=7_000, last=3_000)
    move(client_of_redis, other, first=6_000, last=6_000)
    assert of_redis(client) == SHARED


@pytest.mark.django_db
def test_what_was_not_seen_for_a_day_is_forgotten(client_of_redis: redis.Redis, other: str) -> None:
    heartbeat.note_database(other)
    move(client_of_redis, other, first=90_000, last=86_500)
    tasks.tick()
    assert [name.decode() for name in client_of_redis.hkeys(KEY)] == [database_identity.database_identity()]


@pytest.mark.django_db
def test_a_role_that_may_not_ask_for_the_identity_is_no_fault(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE barred; GRANT SELECT ON ALL TABLES IN SCHEMA public TO barred")
        cursor.execute("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public; SET LOCAL ROLE barred")
        assert database_identity.database_identity() is None
        cursor.execute("RESET ROLE")
    assert of_redis(client) == OURS_ALONE
