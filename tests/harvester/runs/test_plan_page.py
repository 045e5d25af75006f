"""The plan of a page: pure, so that each case is tried without a database."""

from hypothesis import given
from hypothesis import strategies as st

from catalogue.reasons import Reason
from catalogue.writing.entry import deletion_entry
from harvester.models import Conflict
from harvester.protocol.answers import ReceivedEntry, received_header
from harvester.reasons import EntryCode
from harvester.runs.prepare_entries import CheckedEntry
from harvester.runs.store_page import PageFacts, plan_page

KEYS = [f"urn:{number}" for number in range(8)]
SOME = st.frozensets(st.sampled_from(KEYS))
KNOWN_BETTER = Reason(EntryCode.NOT_LATER)
WAITS = Reason(EntryCode.RENAMED, {"identifier": "urn:new"})


def checked(key: str) -> CheckedEntry:
    header = received_header(key, "2026-01-01", deleted=True)
    return ReceivedEntry(header), deletion_entry(key, key)


@given(st.lists(st.sampled_from(KEYS), unique=True), SOME, SOME, SOME)
def test_each_entry_is_offered_or_refused_and_what_waits_is_a_conflict_too(keys, refused, waiting, listed) -> None:
    facts = PageFacts(
        listed & set(keys),
        dict.fromkeys(waiting, (Conflict.Kind.RENAMED, WAITS)),
        dict.fromkeys(refused, KNOWN_BETTER),
    )
    plan = plan_page([checked(key) for key in keys], facts)
    offered = [entry.key for _, entry in plan.offered]
    assert offered == [key for key in keys if key not in refused | waiting]
    assert [refusal.header.key for refusal in plan.refused] == [key for key in keys if key in refused | waiting]
    assert [report.entry.key for report in plan.awaiting_operator] == [key for key in keys if key in waiting]
    assert {refusal.header.key for refusal in plan.refused if refusal.reason == WAITS} == waiting & set(keys)
    assert plan.removed == facts.removals - refused - waiting
