"""What an earlier version has written is read by this one: sealed secrets, tokens, journals, payloads, messages, runs.

The files in data/old_code were written by version 0.1.0, before its code was re-laid. They are never written anew: an
installation that is brought up to date has such rows, files and keys. A format that changes gets files of its own.
"""

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import redis
from django.apps import apps
from django.conf import settings as configured
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from pytest_httpserver import HTTPServer

# All that these tests take from the product, in one place; models are taken by their labels.
from catalogue import locks
from catalogue.history import History, LastEvents
from catalogue.journal import Event, JournalReader, flush
from catalogue.payloads import dictionaries
from catalogue.payloads.payload import pack, unpack
from catalogue.payloads.zstd import Untrainable
from catalogue.reading.lists import ListPosition
from gisc import database, embedded
from gisc.celery import app as celery
from harvester.net.access import seal, unseal
from harvester.rows.queue import claim
from harvester.runs.lifecycle import work
from oaiprovider.flow_control import FlowDecision, Verdict, decide
from oaiprovider.flow_control import reset as forget_redis
from oaiprovider.protocol.errors import Refused
from oaiprovider.protocol.tokens import Token, decode, encode
from tests.support import world
from tests.support.paths import ROOT
from tests.support.provider import Provider, continued

OLD_CODE = ROOT / "tests" / "project" / "data" / "old_code"
OURS, TOULOUSE = "WIS-GISC-TOKYO", "WIS-GISC-TOULOUSE"

Dictionary = apps.get_model("catalogue", "Dictionary")
JournalOutbox = apps.get_model("catalogue", "JournalOutbox")
MetadataSet = apps.get_model("catalogue", "MetadataSet")
Record = apps.get_model("catalogue", "Record")
Link = apps.get_model("harvester", "Link")
Run = apps.get_model("harvester", "Run")


def old(name: str) -> Any:
    return json.loads((OLD_CODE / name).read_text(encoding="utf-8"))


@pytest.fixture
def sets(db: None) -> dict[str, Any]:
    """The sets of a node, and Toulouse's, by their setSpecs."""
    database.ensure_sets()
    world.peer_set(world.TOULOUSE)
    return {one.spec: one for one in MetadataSet.objects.all()}


# --- Secrets -----------------------------------------------------------------------------------------

PASSWORDS = {"sealed_password": ("s3cret: ä 東京", "password"), "sealed_proxy_password": ("pröxy", "proxy password")}
COOKIES = (
    {
        "name": "session",
        "value": "s3ss10n",
        "domain": "gisc-toulouse.example.org",
        "path": "/oai",
        "secure": True,
        "expires": None,
    },
    {
        "name": "route",
        "value": "2",
        "domain": "gisc-toulouse.example.org",
        "path": "/",
        "secure": False,
        "expires": 4102444800,
    },
)


@pytest.fixture
def secrets(settings: Any) -> dict[str, str]:
    found: dict[str, str] = old("secrets.json")
    settings.SECRET_KEY = found.pop("secret_key")
    return found


@pytest.mark.parametrize("field", PASSWORDS)
def test_a_password_that_was_sealed_is_opened(secrets: dict[str, str], field: str) -> None:
    text, purpose = PASSWORDS[field]
    assert unseal(secrets[field], purpose) == text
    assert unseal(seal(text, purpose), purpose) == text


def test_a_link_and_a_run_use_what_was_sealed(secrets: dict[str, str]) -> None:
    url = "http://gisc-toulouse.example.org/oai"
    cookies = secrets.pop("sealed_cookies")
    link = Link(name="toulouse", base_url=url, user="reader", proxy="http://proxy:3128", proxy_user="gisc", **secrets)
    run = Run(link=link, sealed_cookies=cookies)
    assert run.cookies == COOKIES
    access = link.access(run.cookies)
    assert access.password == "s3cret: ä 東京"
    assert access.proxy == "http://gisc:pr%C3%B6xy@proxy:3128"
    assert access.cookies == COOKIES


def test_the_secret_key_that_a_node_made_up_is_found_again(tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("made up by an earlier version", encoding="ascii")
    assert embedded.secret_key(tmp_path) == "made up by an earlier version"


# --- Tokens ------------------------------------------------------------------------------------------

ISSUED = datetime(2025, 3, 4, 9, 0, 3, tzinfo=UTC)
END = datetime(2025, 3, 4, 9, 0, 4, tzinfo=UTC)
TOKENS = {
    "ListRecords": Token(
        verb="ListRecords",
        prefix="iso19139",
        set_spec=OURS,
        start=datetime(2025, 3, 1, tzinfo=UTC),
        end=END,
        position=ListPosition(datetime(2025, 3, 2, 11, 15, tzinfo=UTC), 42),
        delivered=100,
        size=175,
        issued=ISSUED,
    ),
    "ListIdentifiers": Token(
        verb="ListIdentifiers",
        prefix="oai_dc",
        set_spec="",
        start=None,
        end=END,
        position=ListPosition(datetime(2025, 3, 2, 11, 15, tzinfo=UTC), 2**40),
        delivered=1000,
        size=250_000,
        issued=ISSUED,
        profile="7",
    ),
    "ListSets": Token(
        verb="ListSets",
        prefix="",
        set_spec="",
        start=None,
        end=END,
        position=ListPosition(ISSUED, 12),
        delivered=50,
        size=63,
        issued=ISSUED,
    ),
}


@pytest.fixture
def tokens(settings: Any) -> dict[str, str]:
    """Tokens of an earlier version by verb; the key and the base URL that they were signed with are ours now."""
    found = old("tokens.json")
    settings.SECRET_KEY, settings.GISC_BASE_URL = found["secret_key"], found["base_url"]
    return dict(found["tokens"])


def read_token(text: str, verb: str) -> Token:
    return decode(text, verb=verb, profile=TOKENS[verb].profile, at=ISSUED)


@pytest.mark.parametrize("verb", TOKENS)
def test_a_resumption_token_goes_on_with_its_list(tokens: dict[str, str], verb: str) -> None:
    assert read_token(tokens[verb], verb) == TOKENS[verb]
    assert encode(TOKENS[verb]) == tokens[verb], "and the former version reads ours, while both are there"


@pytest.mark.parametrize("verb", TOKENS)
def test_a_resumption_token_is_for_its_verb_and_repository(tokens: dict[str, str], settings: Any, verb: str) -> None:
    for other in TOKENS.keys() - {verb}:
        with pytest.raises(Refused):
            read_token(tokens[verb], other)
    settings.GISC_BASE_URL = "http://elsewhere.example.org"
    with pytest.raises(Refused):
        read_token(tokens[verb], verb)


# --- The journal -------------------------------------------------------------------------------------


def event(number: int, name: str, letter: str, instant: str, *specs: str) -> Event:
    identifier = letter if len(letter) > 1 else f"int.wmo.wis.{letter}"
    return Event(name, identifier, datetime.fromisoformat(instant), specs, number)


EVENTS = [
    event(1, "deleted", "A", "2025-01-02T03:04:05Z", OURS),
    event(2, "deleted", "B", "2025-01-02T03:04:06Z", TOULOUSE, "WIS-SHARED"),
    event(3, "returned", "B", "2025-02-02T00:00:00Z", TOULOUSE),
    event(4, "left", "C", "2025-02-03T00:00:00Z", "WIS-SHARED"),
    event(5, "joined", "C", "2025-02-04T00:00:00Z", "WIS-SHARED"),
    event(6, "left", "D", "2025-02-05T00:00:00Z", "WIS-SHARED"),
    event(0, "deleted", "F", "2025-03-01T00:00:00Z"),  # written by hand
    event(7, "moved", "E", "2025-12-31T23:59:59Z", TOULOUSE),
    event(8, "deleted", "urn:x-wmo:md:int.wmo.wis::FCÅ-東京", "2026-01-01T00:00:00Z", OURS),
]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A folder with the two files of an earlier version."""
    return Path(shutil.copytree(OLD_CODE / "journal", tmp_path / "journal"))


def test_a_journal_is_read(journal: Path) -> None:
    reading = JournalReader(journal)
    assert list(reading) == EVENTS
    assert [(damage.file.name, damage.line, damage.cut_short) for damage in reading.damaged] == [
        ("deletions-2026-0001.jsonl", 8, True)
    ]


def test_the_events_of_a_journal_are_written_as_they_were(journal: Path) -> None:
    before = "".join(file.read_text(encoding="utf-8") for file in sorted(journal.iterdir())).splitlines(keepends=True)
    assert [one.line() for one in EVENTS if one.number] == [line for line in before if '"crc32"' in line]


def test_a_journal_is_gone_on_with(db: None, journal: Path, settings: Any) -> None:
    settings.GISC_JOURNAL_DIR = journal
    before = {file.name: file.read_bytes() for file in journal.iterdir()}
    JournalOutbox.objects.create(pk=9, event="deleted", identifier="new", datestamp=ISSUED, set_specs=[OURS])
    epoch = JournalOutbox.objects.get().epoch

    assert flush() == 1

    new = replace(event(1, "deleted", "new", "2025-03-04T09:00:03Z", OURS), epoch=epoch)
    assert list(JournalReader(journal)) == [*EVENTS, new]
    for name, content in before.items():
        assert (journal / name).read_bytes().startswith(content)


def test_the_last_word_of_a_journal_on_each_record_is_as_it_was(db: None, journal: Path) -> None:
    deleted_a, _, returned_b, _, _, left_d, deleted_f, moved_e, deleted_g = EVENTS
    with History([journal]) as history:
        last_events = list(history.last_events())
    assert last_events == [
        LastEvents(deleted_a, ()),
        LastEvents(returned_b, (event(2, "deleted", "B", "2025-01-02T03:04:06Z", "WIS-SHARED"),)),
        LastEvents(None, (left_d,)),
        LastEvents(deleted_f, ()),
        LastEvents(moved_e, ()),
        LastEvents(deleted_g, ()),
    ]


def test_a_journal_is_replayed(sets: dict[str, Any], journal: Path, settings: Any) -> None:
    settings.GISC_JOURNAL_DIR = journal
    world.put(*(world.iso_record(f"int.wmo.wis.{letter}") for letter in "ABDE"))

    call_command("journal", "replay", str(journal))

    now = Record.objects.values_list("identifier", "deleted", "owner__spec").order_by("identifier")
    assert list(now) == [
        ("int.wmo.wis.A", True, OURS),
        ("int.wmo.wis.B", False, OURS),
        ("int.wmo.wis.D", False, OURS),
        ("int.wmo.wis.E", False, OURS),
        ("int.wmo.wis.F", True, OURS),
        ("urn:x-wmo:md:int.wmo.wis::FCÅ-東京", True, OURS),
    ]
    ended = Record.objects.filter(deleted=False, memberships__deleted=True)
    assert sorted(ended.values_list("identifier", "memberships__set__spec")) == [
        ("int.wmo.wis.B", "WIS-SHARED"),
        ("int.wmo.wis.D", "WIS-SHARED"),
    ]


# --- Records -----------------------------------------------------------------------------------------

OWN, HARVESTED = "int.wmo.wis.SURFACE", "urn:x-wmo:md:int.wmo.wis::FCÇß-É"


@pytest.fixture
def records(sets: dict[str, Any], settings: Any) -> dict[str, Any]:
    """Rows of an earlier version by identifier, in the database: one payload has a dictionary, the other has none."""
    settings.GISC_BASE_URL = world.OUR_BASE_URL
    found = old("records.json")
    dictionary = found["dictionary"]
    Dictionary.objects.create(
        id=dictionary["id"],
        content=base64.b64decode(dictionary["content"]),
        sha256=bytes.fromhex(dictionary["sha256"]),
        created=datetime(2020, 1, 1, tzinfo=UTC),
        trained_on=dictionary["trained_on"],
    )
    for row in found["records"]:
        made = Record.objects.create(
            identifier=row["identifier"],
            key=row["identifier"],  # as the migration to exact identifiers has set it
            owner=sets[row["owner"]],
            set_specs=row["set_specs"],
            datestamp=datetime.fromisoformat(row["datestamp"]),
            payload=base64.b64decode(row["payload"]),
            digest=bytes.fromhex(row["digest"]),
            metadata_date=datetime.fromisoformat(row["metadata_date"]),
            provenance=row["provenance"],
        )
        for spec in row["set_specs"]:
            made.memberships.create(set=sets[spec], datestamp=made.datestamp)
    return {row["identifier"]: row | {"document": found["documents"][row["identifier"]]} for row in found["records"]}


@pytest.mark.parametrize("identifier", [OWN, HARVESTED])
def test_a_payload_is_unpacked(records: dict[str, Any], identifier: str) -> None:
    element = unpack(base64.b64decode(records[identifier]["payload"]))
    _declaration, root = records[identifier]["document"].split("?>\n")
    assert element.decode() == root.strip()
    assert unpack(pack(element)) == element


@pytest.mark.parametrize("identifier", [OWN, HARVESTED])
def test_a_record_is_served_with_its_provenance_as_it_was(
    records: dict[str, Any], client: Client, identifier: str
) -> None:
    answer = client.get(f"/oai?verb=GetRecord&metadataPrefix=iso19139&identifier={quote(identifier)}")
    assert records[identifier]["served"] in answer.content.decode()


@pytest.mark.parametrize("identifier", [OWN, HARVESTED])
def test_a_record_that_is_offered_again_is_found_by_its_key_and_unchanged_by_its_digest(
    records: dict[str, Any], tmp_path: Path, identifier: str
) -> None:
    before = Record.objects.values().get(identifier=identifier)
    file = tmp_path / "record.xml"
    file.write_text(records[identifier]["document"], encoding="utf-8")

    call_command("ingest", str(file), spec=records[identifier]["owner"], processes=1)

    assert Record.objects.values().get(identifier=identifier) == before
    assert Record.objects.count() == 2


# --- Runs --------------------------------------------------------------------------------------------


@pytest.fixture
def half_way(sets: dict[str, Any], httpserver: HTTPServer, settings: Any) -> tuple[Provider, Any]:
    """A provider of five records, and the run that an earlier version left after the first page of two."""
    provider = Provider(httpserver)
    for number in range(5):
        identifier = f"urn:x-wmo:md:fr.meteofrance::R{number:03d}"
        document = world.iso_record(identifier, title=f"Product {number}")
        provider.entries[identifier] = ("2026-02-01T00:00:00Z", document)
    found = old("run.json")
    settings.SECRET_KEY, row = found["secret_key"], found["run"]
    row["marked_page"] = bytes.fromhex(row["marked_page"])
    for name in ("begun", "first_response", "newest"):
        row[name] = datetime.fromisoformat(row[name])
    link = Link.objects.create(
        name="toulouse", base_url=provider.base_url, remote_set=TOULOUSE, local_set=sets[TOULOUSE]
    )
    return provider, Run.objects.create(link=link, **row)


@pytest.mark.django_db(transaction=True)
def test_a_run_goes_on_from_its_place_with_its_cookies(half_way: tuple[Provider, Any]) -> None:
    provider, run = half_way

    done = work(run.pk)

    assert done is not None
    assert (done.state, done.pages, done.received, done.new) == ("done", 3, 5, 5)
    assert [one.get("resumptionToken") for one in provider.lists] == ["/9/2", "/9/4"]
    listing = [one for one in provider.requests if one.args["verb"] == "ListRecords"]
    assert [one.cookies.to_dict() for one in listing] == [{"session": "s3ss10n"}] * 2


@pytest.mark.django_db(transaction=True)
def test_a_page_that_comes_again_is_known_by_the_mark_of_the_run(half_way: tuple[Provider, Any]) -> None:
    provider, run = half_way
    first = provider.say({"verb": "ListRecords"})
    provider.edits.append(lambda arguments, body: first.replace(b"/9/2<", b"/9/3<") if continued(arguments) else body)

    failed = work(run.pk)

    assert failed is not None
    assert failed.message.startswith("Page 2 is a page that came before")


# --- Messages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("message", old("messages.json"), ids=lambda message: message["task"])
def test_a_message_in_the_queue_is_understood(
    sets: dict[str, Any], monkeypatch: pytest.MonkeyPatch, message: dict[str, Any]
) -> None:
    """A task of what is not there any more does nothing; none fails for its name or its arguments."""
    celery.loader.import_default_modules()
    for task in celery.tasks.values():
        monkeypatch.setattr(task, "apply_async", lambda *_, **__: None)

    celery.tasks[message["task"]](*message["args"])


# --- Redis -------------------------------------------------------------------------------------------

CLIENT, TOLD = "198.51.100.7", 1_800_000_000.0


class Stored:
    """What Redis has of the client: put there as an earlier version wrote it, and read."""

    def __init__(self, connected: Any) -> None:
        found = old("flow.json")
        self.connected, self.key, self.states = connected, found["key"], found["states"]

    def put(self, state: str) -> None:
        self.connected.hset(self.key, mapping=self.states[state])

    def read(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.connected.hgetall(self.key).items()}


@pytest.fixture
def stored() -> Iterator[Stored]:
    with redis.Redis.from_url(configured.GISC_REDIS_URL) as connected:
        one = Stored(connected)
        forget_redis()
        connected.delete(one.key)
        yield one
        connected.delete(one.key)


def test_a_client_that_was_told_to_wait_waits_on(stored: Stored) -> None:
    stored.put("told to wait")
    assert decide(CLIENT, at=TOLD + 1, requests_per_minute=10) == FlowDecision(Verdict.WAIT, 14)
    assert stored.read()["count"] == "0.000000", "it could not know yet"
    assert decide(CLIENT, at=TOLD + 15, requests_per_minute=10).verdict is Verdict.SERVE


def test_a_client_that_was_turned_away_is_turned_away(stored: Stored) -> None:
    stored.put("turned away")
    assert decide(CLIENT, at=TOLD + 4, requests_per_minute=10).verdict is Verdict.REFUSE


def test_what_is_written_of_a_client_is_as_it_was(stored: Stored) -> None:
    """Processes of two versions answer the same client while the one replaces the other."""
    for _ in range(11):
        decide(CLIENT, at=TOLD, requests_per_minute=10)
    assert stored.read() == stored.states["told to wait"]
    for _ in range(31):
        decide(CLIENT, at=TOLD + 3, requests_per_minute=10)
    assert stored.read() == stored.states["turned away"]


# --- Locks -------------------------------------------------------------------------------------------

Lock = Callable[[], set[int]]


def held() -> set[int]:
    """The numbers of the advisory locks of this connection."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks"
            " WHERE locktype = 'advisory' AND objsubid = 1 AND pid = pg_backend_pid()"
        )
        return {number for (number,) in cursor.fetchall()}


def in_transaction(statement: str) -> set[int]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
        return held()


def within(turn: Callable[[], AbstractContextManager[Any]]) -> set[int]:
    with turn():
        return held()


def of_training() -> set[int]:
    found: set[int] = set()

    def train(*_: object) -> tuple[int, bytes]:
        found.update(held())
        raise Untrainable

    with dictionaries.LIMITS.replaced(outgrown=((0, 10**9),)):
        dictionaries.retrain_if_outgrown(train)
    return found


def of_a_claim() -> set[int]:
    link = Link.objects.create(
        name="toulouse", base_url="http://x.example.org/oai", local_set=world.peer_set(world.TOULOUSE)
    )
    claim(Run.objects.create(link=link, begun=ISSUED).pk)
    return held()


LOCKS: dict[str, tuple[Lock, int]] = {
    "a stamp": (lambda: in_transaction("SELECT catalogue_stamp()"), 0x47495343),
    "an instant": (lambda: in_transaction("SELECT catalogue_instant()"), 0x47495343),
    "checks of records": (lambda: within(lambda: locks.session_lock(locks.VALIDATION)), 0x47495356),
    "migrations": (lambda: within(lambda: locks.session_lock(locks.DATABASE_PREPARATION)), 0x61536331),
    "backups": (lambda: within(lambda: locks.session_lock(locks.BACKUP)), 0x4749534342),
    "training": (of_training, 0x44494354),
    "claims": (of_a_claim, 0x67697363_72756E73),
}


@pytest.mark.parametrize("what", LOCKS)
def test_processes_of_two_versions_exclude_one_another(db: None, what: str) -> None:
    lock, number = LOCKS[what]
    assert lock() == {number}
