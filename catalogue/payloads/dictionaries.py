"""Where the dictionaries of `catalogue.payloads.payload` come from: the samples that ship, then the node's own records.

A dictionary is a row that is never changed and never deleted while a payload needs it: all are kept, they are
small and few. A node begins with one trained on the samples that ship; `tend` trains another one as soon as
the catalogue has outgrown it. Payloads made with an older one stay as they are until `repack`.
"""

import functools
import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection, transaction

from catalogue import locks
from catalogue.documents import xml_tree
from catalogue.documents.sources import SAMPLES
from catalogue.models import Dictionary
from catalogue.payloads import payload, zstd

logger = logging.getLogger(__name__)

SAMPLE_RECORDS = 8000  # chosen by measurement, with the size: docs/benchmarks.md
# Chosen: a catalogue with so many live records should have a dictionary that was trained on at least so many.
# The first step comes early, because it saves most; the second knows what the catalogue is like.
_OUTGROWN = ((10_000, 6000), (1000, 500))
_REPACK_RECORDS = 200  # chosen: a writer of one of them waits for less than a tenth of a second


@dataclass(slots=True)
class Repacked:
    """What became of the payloads; `damaged` holds the identifiers of those that cannot be read back."""

    repacked: int
    kept: int
    damaged: list[str]


def ensure() -> None:
    """Store the dictionary trained on the samples that ship if the database has none."""
    if not Dictionary.objects.exists():
        number, content, trained_on = _from_samples()
        _store(number, content, trained_on)


Trainer = Callable[[Sequence[bytes], int], tuple[int, bytes]]


def train(
    *, records: int = SAMPLE_RECORDS, size: int = zstd.MAX_DICTIONARY_BYTES, trainer: Trainer = zstd.train
) -> Dictionary:
    """Train a dictionary on up to `records` live records taken at random, and make it the newest.

    `trainer` does as frames.train, which keeps all threads of its process waiting. Raises frames.Untrainable where
    there are too few.
    """
    elements = []
    for packed in _some_payloads(records):
        try:
            elements.append(payload.unpack(packed))
        except payload.PayloadDamaged:
            continue  # whoever asks for that record is told
    number, content = trainer(elements, size)
    made = _store(number, content, len(elements))
    logger.info("dictionary trained", extra={"dictionary": number, "records": len(elements), "bytes": len(content)})
    return made


def learn(elements: Sequence[bytes]) -> bool:
    """Before a bulk load into a young catalogue: train on what is coming, if that is much more than is known; whether."""
    known = _newest_trained_on()
    live, wanted = _OUTGROWN[-1]
    if known >= wanted or len(elements) < live:
        return False
    try:
        number, content = zstd.train(elements)
    except zstd.Untrainable as exc:
        logger.warning("no dictionary trained", extra={"reason": str(exc)})
        return False
    _store(number, content, len(elements))
    logger.info("dictionary trained", extra={"dictionary": number, "records": len(elements), "bytes": len(content)})
    return True


def _newest_trained_on() -> int:
    # Only the number: a dictionary itself is a megabyte.
    return Dictionary.objects.order_by("-created", "-id").values_list("trained_on", flat=True).first() or 0


def retrain_if_outgrown(trainer: Trainer = zstd.train) -> bool:
    """Train a new dictionary if the catalogue has outgrown the newest one; whether it had. Cheap when it has not."""
    if not outgrown():
        return False
    with transaction.atomic():
        if not locks.try_lock_transaction(locks.DICTIONARY_TRAINING):
            return False  # another process is at it
        try:
            train(trainer=trainer)
        except zstd.Untrainable as exc:
            logger.warning("no dictionary trained", extra={"reason": str(exc)})
            return False
    payload.look_again()
    return True


def outgrown() -> bool:
    """Whether the catalogue has many more records than its newest dictionary was trained on. Cheap."""
    trained_on = _newest_trained_on()
    with connection.cursor() as cursor:
        for live, wanted in _OUTGROWN:
            if trained_on >= wanted:
                return False
            cursor.execute(
                "SELECT count(*) FROM (SELECT FROM catalogue_record WHERE NOT deleted LIMIT %s) AS enough", [live]
            )
            if cursor.fetchone()[0] >= live:
                return True
    return False


def _some_payloads(number: int) -> list[bytes]:
    """Payloads of live records taken at random. Ids are drawn, not rows sorted: a large table is not read whole."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM (SELECT FROM catalogue_record LIMIT %s) AS enough", [4 * number])
        if cursor.fetchone()[0] < 4 * number:
            drawn = "SELECT payload FROM catalogue_record WHERE NOT deleted ORDER BY random() LIMIT %(number)s"
        else:
            drawn = """
                SELECT r.payload FROM catalogue_record r JOIN (
                    SELECT DISTINCT low + floor(random() * (high - low + 1))::bigint AS id
                    FROM (SELECT min(id) AS low, max(id) AS high FROM catalogue_record) AS ends,
                         generate_series(1, 4 * %(number)s)
                ) AS draw USING (id) WHERE NOT r.deleted LIMIT %(number)s
            """
        cursor.execute(drawn, {"number": number})
        return [bytes(row[0]) for row in cursor.fetchall()]


@functools.cache
def _from_samples() -> tuple[int, bytes, int]:
    elements = [xml_tree.root_element(file.read_bytes()) for file in sorted(SAMPLES.glob("*/*.xml"))]
    number, content = zstd.train(elements)
    return number, content, len(elements)


def _store(number: int, content: bytes, trained_on: int) -> Dictionary:
    """Make this the newest dictionary. The same content again stays as it is: a row never changes."""
    made, _ = Dictionary.objects.get_or_create(
        pk=number,
        defaults={
            "content": content,
            "sha256": hashlib.sha256(content).digest(),
            "created": datetime.now(UTC),
            "trained_on": trained_on,
        },
    )
    payload.look_again()
    return made


def repack(*, level: int = zstd.LEVEL_AT_LEISURE, advance: Callable[[int], None] = lambda number: None) -> Repacked:
    """Pack all payloads anew with the newest dictionary, batch by batch; the bytes on the wire and all datestamps stay.

    A payload that cannot be read back is left as it is, and its record's digest is emptied: the next time the
    record is offered, it differs from what is held, and is stored again.
    """
    now = payload.newest()
    packer = zstd.Packer(zstd.dictionary(now.content, level=level) if now.id else None, level=level)
    done = Repacked(0, 0, [])
    for table in ("catalogue_record", "catalogue_claim"):
        after = 0
        while after >= 0:
            before = done.repacked + done.kept
            after = _repack_some(table, after, packer, done)
            advance(done.repacked + done.kept - before)
    return done


@transaction.atomic
def _repack_some(table: str, after: int, packer: zstd.Packer, done: Repacked) -> int:
    """Repack a batch of rows above an id; the last id of the batch, -1 at the end.

    Without the clock's lock, for what a list shows does not change. Rows that a writer has in hand are passed by:
    they are about to be packed anew anyway, and so neither waits for the other's rows in a circle.
    """
    name = "identifier" if table == "catalogue_record" else "source"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id > %s ORDER BY id LIMIT %s) AS batch",
            [after, _REPACK_RECORDS],
        )
        last = cursor.fetchone()[0]
        if last is None:
            return -1
        cursor.execute(
            f"SELECT id, {name}, payload FROM {table} WHERE id > %s AND id <= %s AND payload IS NOT NULL"
            " FOR NO KEY UPDATE SKIP LOCKED",
            [after, last],
        )
        smaller = []
        for pk, identifier, packed in cursor.fetchall():
            try:
                again = packer.pack(payload.unpack(packed))
            except payload.PayloadDamaged as exc:
                logger.error("payload damaged", extra={"identifier": identifier, "reason": str(exc)})
                done.damaged.append(identifier)
                cursor.execute(f"UPDATE {table} SET digest = '' WHERE id = %s", [pk])
                continue
            if len(again) < len(packed):
                smaller.append((pk, again))
            else:
                done.kept += 1
        if smaller:
            cursor.execute(
                f"UPDATE {table} t SET payload = new.payload"
                " FROM unnest(%s::bigint[], %s::bytea[]) AS new (id, payload) WHERE t.id = new.id",
                [[pk for pk, _ in smaller], [packed for _, packed in smaller]],
            )
            done.repacked += len(smaller)
    return int(last)
