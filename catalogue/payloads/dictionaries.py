"""Train dictionaries for `catalogue.payloads.payload`: on the samples that ship, then on the node's own records.

A dictionary is a row that is never changed and never deleted while a payload needs it: all stay, they are small and
few. A node begins with one trained on the samples that ship; `retrain_if_outgrown` trains another one as soon as the
catalogue has many more records than that. Payloads packed with an older dictionary stay as they are until `repack`.
"""

import functools
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection, transaction

from catalogue import locks, seams
from catalogue.documents import xml_tree
from catalogue.documents.sources import SAMPLES
from catalogue.limits import Replaceable
from catalogue.models import Dictionary
from catalogue.payloads import payload, zstd

logger = logging.getLogger(__name__)

SAMPLE_RECORDS = 8000  # chosen by measurement, with the size: docs/benchmarks.md
_REPACK_RECORDS = 200  # chosen: a writer of one of them waits for less than a tenth of a second


@dataclass(frozen=True, slots=True)
class DictionaryLimits:
    """When the catalogue has outgrown its newest dictionary."""

    # Chosen: (live records, records that the newest dictionary should then have been trained on), largest first. The
    # small step comes early, because it saves most; the large one trains on a representative sample.
    outgrown: tuple[tuple[int, int], ...] = ((10_000, 6000), (1000, 500))


LIMITS = Replaceable(DictionaryLimits())


@dataclass(slots=True)
class RepackReport:
    """What became of the payloads. `damaged`: the identifiers of records, sources of claims, or owners of former versions, that cannot be unpacked."""

    repacked: int
    unchanged: int
    damaged: list[str]


def ensure() -> None:
    """Store a dictionary trained on the samples that ship, if the database has none."""
    if not Dictionary.objects.exists():
        number, content, trained_on = _train_on_shipped_samples()
        _store(number, content, trained_on)


Trainer = Callable[[Sequence[bytes], Mapping[int, bytes], int], tuple[int, bytes, int]]


def train(
    *, records: int = SAMPLE_RECORDS, size: int = zstd.MAX_DICTIONARY_BYTES, trainer: Trainer = zstd.train_on_frames
) -> Dictionary:
    """Train a dictionary on up to `records` live records taken at random, and make it the newest.

    `trainer`: zstd.train_on_frames, which stops all threads of its process while it runs, or a function that calls it
    elsewhere. Raises zstd.Untrainable if there are too few records.
    """
    payloads = _sample_payloads(records)
    number, content, trained_on = trainer(payloads, payload.contents_of_dictionaries(payloads), size)
    dictionary = _store(number, content, trained_on)
    logger.info("dictionary trained", extra={"dictionary": number, "records": trained_on, "bytes": len(content)})
    return dictionary


def train_before_load(elements: Sequence[bytes]) -> bool:
    """Train a dictionary on the first elements of a bulk load, if the newest knows far fewer. Returns whether it did."""
    live, wanted = LIMITS.in_force.outgrown[-1]
    if _newest_trained_on() >= wanted or len(elements) < live:
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


def retrain_if_outgrown(trainer: Trainer = zstd.train_on_frames) -> bool:
    """Train a new dictionary if the catalogue has outgrown the newest one. Returns whether it did. Cheap if not."""
    if not is_outgrown():
        return False
    with transaction.atomic():
        if not locks.try_lock_transaction(locks.DICTIONARY_TRAINING):
            return False  # another process is training
        try:
            train(trainer=trainer)
        except zstd.Untrainable as exc:
            logger.warning("no dictionary trained", extra={"reason": str(exc)})
            return False
    payload.refresh_newest()
    return True


def is_outgrown() -> bool:
    """Whether the catalogue has many more records than its newest dictionary was trained on. Cheap."""
    trained_on = _newest_trained_on()
    with connection.cursor() as cursor:
        for live, wanted in LIMITS.in_force.outgrown:
            if trained_on >= wanted:
                return False
            cursor.execute(
                "SELECT count(*) FROM (SELECT FROM catalogue_record WHERE NOT deleted LIMIT %s) AS enough", [live]
            )
            if cursor.fetchone()[0] >= live:
                return True
    return False


def _sample_payloads(number: int) -> list[bytes]:
    """Read payloads of live records taken at random. Draws ids instead of sorting a large table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM (SELECT FROM catalogue_record LIMIT %s) AS enough", [4 * number])
        if cursor.fetchone()[0] < 4 * number:
            sample = "SELECT payload FROM catalogue_record WHERE NOT deleted ORDER BY random() LIMIT %(number)s"
        else:
            sample = """
                SELECT r.payload FROM catalogue_record r JOIN (
                    SELECT DISTINCT low + floor(random() * (high - low + 1))::bigint AS id
                    FROM (SELECT min(id) AS low, max(id) AS high FROM catalogue_record) AS ends,
                         generate_series(1, 4 * %(number)s)
                ) AS draw USING (id) WHERE NOT r.deleted LIMIT %(number)s
            """
        cursor.execute(sample, {"number": number})
        return [bytes(row[0]) for row in cursor.fetchall()]


@functools.cache
def _train_on_shipped_samples() -> tuple[int, bytes, int]:
    elements = [xml_tree.root_element(file.read_bytes()) for file in sorted(SAMPLES.glob("*/*.xml"))]
    number, content = zstd.train(elements)
    return number, content, len(elements)


def _store(number: int, content: bytes, trained_on: int) -> Dictionary:
    """Store this as the newest dictionary. If the same content is stored already, that row stays unchanged."""
    dictionary, _ = Dictionary.objects.get_or_create(
        pk=number,
        defaults={
            "content": content,
            "sha256": hashlib.sha256(content).digest(),
            "created": seams.now(),
            "trained_on": trained_on,
        },
    )
    payload.refresh_newest()
    return dictionary


def repack(*, level: int = zstd.LEVEL_AT_LEISURE, advance: Callable[[int], None] = lambda number: None) -> RepackReport:
    """Pack all payloads again with the newest dictionary, batch by batch. Served bytes and datestamps do not change.

    A payload that cannot be unpacked stays as it is, and the digest of its record is emptied: the next time the
    record is offered, it differs from the stored one and is stored again. Raises payload.DictionaryDamaged: nothing is
    wrong with the records that need it.
    """
    newest = payload.newest()
    pack = zstd.packer(zstd.load_dictionary(newest.content, level=level) if newest.id else None, level=level)
    report = RepackReport(0, 0, [])
    for table in _PACKED:
        last_id = 0
        while last_id >= 0:
            before = report.repacked + report.unchanged
            last_id = _repack_batch(table, last_id, pack, report)
            advance(report.repacked + report.unchanged - before)
    return report


# The tables of payloads, with what a row is called in a report.
_PACKED = {"catalogue_record": "identifier", "catalogue_claim": "source", "catalogue_recordversion": "owner"}


@transaction.atomic
def _repack_batch(table: str, after_id: int, pack: Callable[[bytes], bytes], report: RepackReport) -> int:
    """Repack a batch of rows above an id. Returns the last id of the batch, -1 at the end.

    Without the clock's lock, because no list changes. Rows that a writer has locked are skipped: they are about to be
    packed again anyway, and waiting for them could deadlock.
    """
    name = _PACKED[table]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id > %s ORDER BY id LIMIT %s) AS batch",
            [after_id, _REPACK_RECORDS],
        )
        last = cursor.fetchone()[0]
        if last is None:
            return -1
        cursor.execute(
            f"SELECT id, {name}, payload FROM {table} WHERE id > %s AND id <= %s AND payload IS NOT NULL"
            " FOR NO KEY UPDATE SKIP LOCKED",
            [after_id, last],
        )
        smaller = []
        for pk, identifier, packed in cursor.fetchall():
            try:
                repacked = payload.pack(payload.unpack(packed), pack, is_to_splice=True)
            except payload.DictionaryDamaged:
                raise
            except payload.PayloadDamaged as exc:
                logger.error("payload damaged", extra={"identifier": identifier, "reason": str(exc)})
                report.damaged.append(identifier)
                cursor.execute(f"UPDATE {table} SET digest = '' WHERE id = %s", [pk])
                continue
            if len(repacked) < len(packed):
                smaller.append((pk, repacked))
            else:
                report.unchanged += 1
        if smaller:
            cursor.execute(
                f"UPDATE {table} t SET payload = new.payload"
                " FROM unnest(%s::bigint[], %s::bytea[]) AS new (id, payload) WHERE t.id = new.id",
                [[pk for pk, _ in smaller], [packed for _, packed in smaller]],
            )
            report.repacked += len(smaller)
    return int(last)
