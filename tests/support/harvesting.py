"""What the tests of commit order share: a clock that runs as fast as it is looked at, harvesters that ask `/oai` as
remote ones do, and writers that do to records whatever can be done to them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from threading import Event, Lock
from typing import Any

from django.db import transaction
from django.test import Client
from lxml import etree

from catalogue import datestamps, oai
from catalogue.documents import iso19139
from catalogue.models import Membership, MetadataSet, Record
from catalogue.writing import decisions, store
from catalogue.writing.entry import PreparedEntry
from tests.support import world
from tests.support.sql import run
from tests.support.threads import TIMEOUT_S, threads
from tests.support.waiting import until

OAI = "{http://www.openarchives.org/OAI/2.0/}"
FUNCTIONS = ("catalogue_stamp", "catalogue_instant")


# --- The clock -----------------------------------------------------------------------------------------


@contextmanager
def functions_changed(change: Callable[[str], str]) -> Iterator[None]:
    """The two functions of the clock, as they stand in the database, with their text put through `change`."""
    texts = [run("SELECT pg_get_functiondef(%s::regproc)", name)[0][0] for name in FUNCTIONS]
    for text in texts:
        changed = change(text)
        assert changed != text
        run(changed)
    try:
        yield
    finally:
        for text in texts:
            run(text)


def without_the_lock(text: str) -> str:
    """Without the advisory lock, and without the reader's turn at the clock's row, which would do in its place."""
    alone = ("pg_advisory_xact_lock", "UPDATE catalogue_datestampclock SET")
    return "\n".join(line for line in text.splitlines() if not any(words in line for words in alone))


@contextmanager
def no_lock() -> Iterator[None]:
    """Nothing makes writers wait for one another: neither the lock nor the row in which the size of a list is kept."""
    tables = ("catalogue_record", "catalogue_membership")
    for table in tables:
        run(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    try:
        with functions_changed(without_the_lock):
            yield
    finally:
        for table in tables:
            run(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def on_the_fake_clock(text: str) -> str:
    return text.replace("gisc_clock()", "fake.clock()")


@contextmanager
def fake_clock(start: datetime) -> Iterator[Callable[[datetime], None]]:
    """A clock that goes a quarter of a second with each look at it, in any connection; call it to set it."""

    def turn(to: datetime) -> None:
        run("SELECT setval('fake.microseconds', %s)", int(to.timestamp()) * 1_000_000)

    run("DROP SCHEMA IF EXISTS fake CASCADE; CREATE SCHEMA fake; CREATE SEQUENCE fake.microseconds INCREMENT 250000")
    run(
        "CREATE FUNCTION fake.clock() RETURNS timestamptz LANGUAGE sql VOLATILE "
        "AS $$ SELECT to_timestamp(nextval('fake.microseconds') / 1000000.0) $$"
    )
    turn(start)
    with functions_changed(on_the_fake_clock):
        yield turn
    run("DROP SCHEMA fake CASCADE")


@contextmanager
def stamps_noted() -> Iterator[Callable[[], list[datetime]]]:
    """Numbers each datestamp that a row is given, at its commit; call it for the datestamps in that order."""
    run("DROP SCHEMA IF EXISTS noted CASCADE; CREATE SCHEMA noted; CREATE SEQUENCE noted.place")
    run("CREATE TABLE noted.stamps (place bigint DEFAULT nextval('noted.place'), stamp timestamptz)")
    run(
        "CREATE FUNCTION noted.note() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN INSERT INTO noted.stamps (stamp) VALUES (NEW.datestamp); RETURN NULL; END $$"
    )
    for table in ("catalogue_record", "catalogue_membership"):
        for event, when in (("INSERT", ""), ("UPDATE", "WHEN (OLD.datestamp <> NEW.datestamp)")):
            run(  # deferred: it runs as the transaction commits
                f"CREATE CONSTRAINT TRIGGER noted_{event} AFTER {event} ON {table} DEFERRABLE INITIALLY DEFERRED "
                f"FOR EACH ROW {when} EXECUTE FUNCTION noted.note()"
            )
    yield lambda: [stamp for (stamp,) in run("SELECT stamp FROM noted.stamps ORDER BY place")]
    run("DROP SCHEMA noted CASCADE")


# --- Harvesters ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Copied:
    """A record as a harvester has it; a deleted one has no digest."""

    datestamp: str
    deleted: bool
    digest: bytes | None


@dataclass
class Harvester:
    """A remote centre of this software that harvests the whole catalogue, or one set, again and again.

    `follows` says where its next list begins: at the "responseDate" of the first page of the list before, or at the
    "largest datestamp" that it has seen (P146, W14).
    """

    follows: str
    spec: str | None = None
    start: str | None = None
    copy: dict[str, Copied] = field(default_factory=dict)
    lists: int = 0
    pages: int = 0
    begun_again: int = 0
    between_pages: Callable[[], None] = lambda: None

    def __str__(self) -> str:
        return f"{self.spec or 'everything'} from the {self.follows}"

    def visit(self) -> None:
        """One list, from its first page to its end; from its beginning again if its token is refused."""
        while not self._read_list():
            self.begun_again += 1
            assert self.begun_again < 1000

    def _read_list(self) -> bool:
        arguments = {"verb": "ListRecords", "metadataPrefix": "iso19139"}
        if self.spec:
            arguments["set"] = self.spec
        if self.start:
            arguments["from"] = self.start
        page = self._ask(arguments)
        self.lists += 1
        response_date = page.findtext(f"{OAI}responseDate")
        while True:
            error = page.find(f"{OAI}error")
            if error is not None and error.get("code") != "noRecordsMatch":
                assert error.get("code") == "badResumptionToken", (arguments, error.text)
                return False
            self._take(page)
            token = page.findtext(f"{OAI}ListRecords/{OAI}resumptionToken")
            if not token:
                break
            self.between_pages()
            page = self._ask({"verb": "ListRecords", "resumptionToken": token})
        if self.follows == "responseDate":
            self.start = response_date
        else:
            self.start = max((copied.datestamp for copied in self.copy.values()), default=None)
        return True

    def _ask(self, arguments: dict[str, str]) -> Any:
        response = Client(headers={"user-agent": f"{oai.USER_AGENT}/0"}).get("/oai", arguments)
        assert response.status_code == 200, response.content
        self.pages += 1
        return etree.fromstring(response.content)

    def _take(self, page: Any) -> None:
        now = page.findtext(f"{OAI}responseDate")
        for entry in page.iterfind(f"{OAI}ListRecords/{OAI}record"):
            header, body = entry[0], entry.find(f"{OAI}metadata")
            identifier, stamp = header.findtext(f"{OAI}identifier"), header.findtext(f"{OAI}datestamp")
            assert stamp <= now  # P94
            if identifier in self.copy:
                assert stamp >= self.copy[identifier].datestamp  # P92
            digest = None if body is None else iso19139.read(etree.tostring(body[0], with_tail=False)).digest
            self.copy[identifier] = Copied(stamp, header.get("status") == "deleted", digest)

    def lacks(self) -> set[str]:
        """The identifiers of which the harvester has not what the catalogue has."""
        held = held_in(self.spec)
        return {
            identifier for identifier in held.keys() | self.copy if held.get(identifier) != self.copy.get(identifier)
        }


def held_in(spec: str | None) -> dict[str, Copied]:
    """What a harvester of this set, or of the whole catalogue, should have: read from the rows."""
    rows: Iterable[tuple[str, datetime, bool, Any]]
    if spec is None:
        rows = Record.objects.values_list("identifier", "datestamp", "deleted", "digest")
    else:
        of_the_set = Membership.objects.filter(set__spec=spec)
        rows = of_the_set.values_list("record__identifier", "datestamp", "deleted", "record__digest")
    return {
        identifier: Copied(datestamps.write(stamp), deleted, None if deleted else bytes(digest))
        for identifier, stamp, deleted, digest in rows
    }


# --- Writers -------------------------------------------------------------------------------------------


def change(act: str, names: list[str], into: MetadataSet, title: str) -> None:
    """Put records with this title into a set, delete them there, withdraw them, or move them there."""
    match act:
        case "put":
            store.put_entries([store.prepare(world.iso_record(name, title=title)) for name in names], into=into)
        case "delete":
            store.put_entries([store.prepare_deletion(name) for name in names], into=into)
        case "withdraw":
            store.withdraw(names)
        case "move":
            store.move(names, into=into)


@dataclass
class Writer:
    """Writes batches of several records, chosen by its seed; now and then it stays long in its transaction.

    Others write most of its records too. One in each of its long transactions nobody ever touches again, so that no
    later change can hide a loss.
    """

    number: int
    random: Random
    sets: list[MetadataSet]
    linger: Callable[[], None]
    rounds: int
    done: set[str] = field(default_factory=set)
    before_each: Callable[[], None] = lambda: None

    def write(self) -> None:
        for number in range(self.rounds):
            self.before_each()
            if number % 4 == self.number % 4:
                late = store.prepare(world.iso_record(f"urn:late:{self.number}:{number}"))
                with transaction.atomic():
                    self._put([late], self.sets[0])
                    if self.random.random() < 0.5:
                        self._act()  # a second stamp in one transaction
                    self.linger()
            elif number % 4 == 1:
                with transaction.atomic():
                    self._act()
                    run("SELECT pg_sleep(%s)", self.random.uniform(0, 0.02))
            else:
                self._act()
            self._go_on(f"urn:story:{self.number}:{number // 4}", number % 4)

    def _go_on(self, name: str, step: int) -> None:
        """All that can happen to a record, for sure, one step in each round; nobody else writes these."""
        titles = ("One", "Two", "Two", "Three")
        entry = store.prepare(world.iso_record(name, title=titles[step]))
        self._put([entry], self.sets[0])
        if step == 2:
            self._put([store.prepare(world.iso_record(f"{name}:gone"))], self.sets[0])
            self._note("withdraw", store.withdraw([name, f"{name}:gone"]))
        if step == 3:
            self._note("move", store.move([name], into=self.sets[1]))

    def _act(self) -> None:
        some = [f"urn:{n}" for n in self.random.sample(range(24), self.random.randint(2, 5))]
        into = self.random.choice(self.sets)
        match self.random.choice(("put", "put", "put", "delete", "withdraw", "move")):
            case "put":
                title = f"Version {self.random.randint(0, 9)}"  # few, so that some are as they were
                new = f"urn:{self.number}:{self.random.randint(0, 99)}"
                self._put([store.prepare(world.iso_record(name, title=title)) for name in (*some, new)], into)
            case "delete":
                self._put([store.prepare_deletion(name) for name in some], into)
            case "withdraw":
                self._note("withdraw", store.withdraw(some))
            case "move":
                self._note("move", store.move(some, into=into))

    def _put(self, entries: list[PreparedEntry], into: MetadataSet) -> None:
        self._note("put", store.put_entries(entries, into=into))

    def _note(self, what: str, results: list[decisions.Result]) -> None:
        self.done |= {f"{what}: {result.action}" for result in results}


class Linger:
    """Stays in a transaction until a list waits for the lock, or every harvester has had two more lists without it."""

    def __init__(self, harvesters: list[Harvester]) -> None:
        self.harvesters = harvesters
        self.seen_waiting = 0
        self._counting = Lock()

    def __call__(self) -> None:
        before = [harvester.lists for harvester in self.harvesters]

        def over() -> bool:
            if lists_waiting():
                with self._counting:
                    self.seen_waiting += 1
                return True
            return all(h.lists >= lists + 2 for h, lists in zip(self.harvesters, before, strict=True))

        until(over, TIMEOUT_S, "a list waits for the lock, or all harvesters go on without it")


def lists_waiting() -> int:
    """How many connections wait for the clock's lock in shared mode."""
    return run(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND NOT granted "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )[0][0]


# --- All of them together ------------------------------------------------------------------------------


@dataclass
class Meeting:
    """Eight writers and four harvesters that met; what each of the harvesters lacks at the end."""

    harvesters: list[Harvester]
    done: set[str]
    seen_waiting: int
    lacking: dict[str, set[str]]


def meet(seed: int, *, rounds: int = 8, before_each: Callable[[], None] = lambda: None) -> Meeting:
    """The harvesters come again and again while the writers write, once more when these are done, three times at least."""
    random = Random(seed)
    sets = [world.own_set(), world.peer_set(world.TOULOUSE), world.peer_set(world.OFFENBACH)]
    specs = [sets[0].spec, sets[1].spec]
    random.shuffle(specs)
    harvesters = [
        Harvester("responseDate"),
        Harvester("largest datestamp"),
        Harvester("responseDate", specs[0]),
        Harvester("largest datestamp", specs[1]),
    ]
    linger = Linger(harvesters)
    writers = [
        Writer(number, Random(f"{seed}/{number}"), sets, linger, rounds, before_each=before_each) for number in range(8)
    ]
    written = Event()

    def harvest(harvester: Harvester) -> None:
        last = False
        while not last:
            last = written.is_set() and harvester.lists >= 2
            harvester.visit()

    with threads(len(writers) + len(harvesters)) as running:
        harvesting = [running.start(harvest, harvester) for harvester in harvesters]
        try:
            for writing in [running.start(writer.write) for writer in writers]:
                writing.result()
        finally:
            written.set()
        for future in harvesting:
            future.result(TIMEOUT_S)
    return Meeting(
        harvesters,
        set().union(*(writer.done for writer in writers)),
        linger.seen_waiting,
        {str(harvester): harvester.lacks() for harvester in harvesters},
    )
