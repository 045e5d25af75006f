"""Replace the content of one record by hand: by a new document, or by a former version of its own.

The owner's rules are those of every upload (`decisions`, `uploads`); what would only become a claim beside the version of
another source is refused. The usual writer stores it, as a change with a new datestamp.
"""

from dataclasses import dataclass

from django.db import transaction

from catalogue import acting
from catalogue.models import MetadataSet, Record, RecordVersion
from catalogue.reading import record_history
from catalogue.reasons import ActRefused, Reason, ReasonCode
from catalogue.writing import clock, store, uploads
from catalogue.writing.current import load_current
from catalogue.writing.decisions import Action, Arrival, Change, CurrentRecord, Decision, Result, decide
from catalogue.writing.entry import PreparedEntry

Act = RecordVersion.Act


@dataclass(frozen=True, slots=True)
class Plan:
    """What storing a document would do now: the action, and what a person should know of it first."""

    into: MetadataSet
    yields_to: frozenset[str]
    current: CurrentRecord
    action: Action
    remark: Reason | None


def refusal(key: str) -> Reason | None:
    """Why no document can replace this record's content by hand; None if one can. Cheap, and without the document."""
    try:
        _target(key)
    except ActRefused as exc:
        return exc.reason
    return None


def plan(key: str, document: bytes) -> Plan:
    """Say what `replace` would do now. Changes nothing. Raises xml_tree.Unusable and ActRefused."""
    return _plan(key, store.prepare(document))


def replace(key: str, document: bytes, *, act: str = Act.REPLACE, seen: bytes | None = None) -> Result:
    """Store a document as the new content of the record with this key. Raises xml_tree.Unusable and ActRefused.

    `seen`: the digest of the content that a person looked at; if the record has another by now, nothing is stored. A
    deleted record comes back.
    """
    entry = store.prepare(document)
    with transaction.atomic(), acting.acting(act=act):
        clock.take_stamp()  # no other writer changes it from here on
        found = _plan(key, entry)
        if seen is not None and (found.current.digest or b"") != seen:
            raise ActRefused(Reason(ReasonCode.CHANGED_SINCE))
        (result,) = store.put_entries([entry], into=found.into, yields_to=found.yields_to)
    if result.rejection is not None:
        raise ActRefused(result.rejection)
    return result


def restore(record: Record, number: int, *, seen: bytes | None = None) -> Result:
    """Store the content of a former version anew. Raises ActRefused, xml_tree.Unusable and payload.PayloadDamaged."""
    return replace(record.key, former_content(record, number), act=Act.RESTORE, seen=seen)


def former_content(record: Record, number: int) -> bytes:
    """Return the content of a version of a record. Raises ActRefused if there is none, and payload.PayloadDamaged."""
    element = record_history.element_of(record, record_history.states(record), number)
    if element is None:
        raise ActRefused(Reason(ReasonCode.NO_SUCH_VERSION, {"number": number}))
    return element


def _target(key: str) -> tuple[CurrentRecord, MetadataSet, frozenset[str]]:
    """Return the record, its owner, and the links that an upload there yields to. Raises ActRefused."""
    current = load_current([key]).get(key)
    if current is None:
        raise ActRefused(Reason(ReasonCode.NOT_IN_CATALOGUE))
    into = MetadataSet.objects.get(pk=current.owner_id)
    if current.source and into.kind != MetadataSet.Kind.OWN:
        raise ActRefused(Reason(ReasonCode.LINK_DECIDES, {"link": current.source}))
    yields_to = uploads.check(into)
    if current.deleted and yields_to:
        raise ActRefused(Reason(ReasonCode.DELETED_BY_LINK, {"link": ", ".join(sorted(yields_to))}))
    return current, into, yields_to


def _plan(key: str, entry: PreparedEntry) -> Plan:
    current, into, yields_to = _target(key)
    if entry.key != key:
        facts = {"identifier": entry.identifier, "stored": current.identifier}
        raise ActRefused(Reason(ReasonCode.OTHER_RECORD, facts))
    decision = decide(current, entry, Arrival(into, yields_to=yields_to))
    if (reason := _refused(decision)) is not None:
        raise ActRefused(reason)
    return Plan(into, yields_to, current, decision.action, decision.reason)


def _refused(decision: Decision) -> Reason | None:
    """Why an entry would not become the record; None if it would, or equals it."""
    if decision.action is Action.REJECTED or decision.change not in (Change.WRITE, Change.NONE):
        return decision.reason
    return None
