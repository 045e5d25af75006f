"""What must hold for every catalogue, batch size and edit: P143 and P101, by hypothesis on a real database."""

import contextlib
from collections.abc import Iterator, Sequence

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from catalogue.reading import lists
from tests.support import asking, world

pytestmark = pytest.mark.django_db
HARD = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}
STAMPS = ("2025-03-01T00:00:00Z", "2025-03-01T00:00:01Z", "2025-03-02T00:00:00Z")
# Each record: its datestamp out of few, so that many are equal; its set; whether it is deleted.
CATALOGUES = st.lists(st.tuples(st.sampled_from(STAMPS), st.booleans(), st.booleans()), min_size=1, max_size=9)


@contextlib.contextmanager
def forgotten() -> Iterator[None]:
    """Undo what one example writes."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def fill(catalogue: list[tuple[str, bool, bool]], kilobytes: Sequence[int] = ()) -> list[str]:
    names = []
    for number, (stamp, ours, deleted) in enumerate(catalogue):
        name = f"urn:{number}"
        into = world.own_set() if ours else world.peer_set(world.TOULOUSE)
        world.put(sized_record(name, kilobytes[number]) if kilobytes else world.iso_record(name), into=into)
        if deleted:
            world.bury(name, into=into)
        world.restamp(name, stamp)
        names.append(name)
    return names


@pytest.mark.spec("P143", "S14", "S15")
@hypothesis_settings(max_examples=25, **HARD)
@given(
    catalogue=CATALOGUES,
    size=st.integers(1, 10),
    verb=st.sampled_from(["ListRecords", "ListIdentifiers"]),
    prefix=st.sampled_from(["iso19139", "oai_dc"]),
    set_spec=st.sampled_from([None, "WIS-CATALOGUE", world.TOULOUSE.spec]),
    start=st.sampled_from([None, "2025-03-01", "2025-03-02"]),
)
def test_the_pages_together_are_the_unlimited_list(
    client: Client, settings, catalogue, size, verb, prefix, set_spec, start
) -> None:
    with forgotten():
        fill(catalogue)
        arguments = {"verb": verb, "metadataPrefix": prefix}
        arguments |= {"set": set_spec} if set_spec else {}
        arguments |= {"from": start} if start else {}
        settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = 1000
        whole = asking.get(client, **arguments)
        settings.GISC_PAGE_RECORDS = settings.GISC_PAGE_HEADERS = size
        pages = asking.walk(client, **arguments)
        assert asking.headers_of(pages) == whole.headers
        assert len(set(whole.identifiers)) == len(whole.identifiers)
        assert all(len(page.headers) == size for page in pages[:-1])
        expected = {
            f"urn:{number}"
            for number, (stamp, ours, _) in enumerate(catalogue)
            if (set_spec != world.TOULOUSE.spec or not ours) and stamp >= (start or "")
        }
        assert set(whole.identifiers) == expected


def sized_record(name: str, kilobytes: int, title: str = "Surface observations") -> bytes:
    return world.iso_record(name, title=title, abstract="x" * 1000 * kilobytes)


SIZED = st.lists(
    st.tuples(st.sampled_from(STAMPS), st.booleans(), st.booleans(), st.integers(0, 6)), min_size=1, max_size=8
)


@pytest.mark.spec("P143", "P101", "P107", "P109", "P104", "P106", "P146")
@hypothesis_settings(max_examples=40, **HARD)
@given(
    catalogue=SIZED,
    limits=st.lists(
        st.tuples(st.integers(1, 5), st.integers(1, 15_000), st.sampled_from(["gzip", "identity"])),
        min_size=1,
        max_size=4,
    ),
    edits=st.lists(st.tuples(st.sampled_from(["change", "delete", "new", "nothing"]), st.integers(0, 8)), max_size=5),
    prefix=st.sampled_from(["iso19139", "oai_dc"]),
    set_spec=st.sampled_from([None, "WIS-CATALOGUE", world.TOULOUSE.spec]),
    start=st.sampled_from([None, "2025-03-01", "2025-03-02", "2025-03-01T00:00:01Z"]),
    until=st.sampled_from([None, "2025-03-01"]),
)
def test_pages_bounded_by_records_and_bytes_and_the_next_harvest_are_the_truth(
    client: Client, settings, catalogue, limits, edits, prefix, set_spec, start, until
) -> None:
    """Limits change from page to page, records between pages; the unlimited list of before and after is the truth."""
    if start and len(start) > 10:
        until = until and "2025-03-01T23:59:59Z"
    if start == "2025-03-02":
        until = None
    with forgotten():
        plain = [(stamp, ours, deleted) for stamp, ours, deleted, _ in catalogue]
        names = fill(plain, [kilobytes for *_, kilobytes in catalogue])
        arguments = {"verb": "ListRecords", "metadataPrefix": prefix} | ({"set": set_spec} if set_spec else {})
        window = arguments | ({"from_": start} if start else {}) | ({"until": until} if until else {})
        settings.GISC_PAGE_RECORDS, settings.GISC_PAGE_BYTES = 1000, 10**9
        truth = asking.get(client, **window)
        before = {header.identifier: header for header in truth.headers}
        held: dict[str, asking.Header] = {}
        touched: set[str] = set()
        page, number, cursor = None, 0, 0
        while page is None or page.token:
            records, most_bytes, coding = limits[number % len(limits)]
            settings.GISC_PAGE_RECORDS, settings.GISC_PAGE_BYTES = records, most_bytes
            if page is None:
                page = first = asking.get(client, coding=coding, **window)
            else:
                page = asking.get(client, coding=coding, verb="ListRecords", resumptionToken=page.token)
            if page.codes:
                break
            assert 1 <= len(page.headers) <= records
            sizes = [len(payload) for payload in stored_sizes(page)]
            assert len(sizes) <= 1 or sum(sizes) <= most_bytes, "more than one record only where they fit"
            if page.token_element is not None:
                assert page.token_element.get("cursor") == str(cursor)
            cursor += len(page.headers)
            if closes(page, held, touched):
                break
            assert not (held.keys() & set(page.identifiers) - touched), "nothing comes twice"
            held |= {header.identifier: header for header in page.headers}
            if edits and page.token:
                touched |= edit(names, plain, *edits.pop())
            number += 1
        assert page.codes == ([] if number else ["noRecordsMatch"])
        assert before.keys() - touched <= held.keys()
        assert all(held[name] == before[name] for name in before.keys() - touched)
        settings.GISC_PAGE_RECORDS, settings.GISC_PAGE_BYTES = 1000, 10**9
        again = asking.get(client, **arguments, from_=first.date)
        held |= {header.identifier: header for header in again.headers}
        after = {header.identifier: header for header in asking.get(client, **arguments).headers}
        assert {name: after[name] for name in (before.keys() | touched) & after.keys()} == {
            name: header for name, header in held.items() if name in before.keys() | touched
        }


def closes(page: asking.Answer, held: dict[str, asking.Header], touched: set[str]) -> bool:
    """Whether a page only ends a list where all that was left has changed (P106): by such a record, or the last one again."""
    return (
        not page.token
        and len(page.headers) == 1
        and (page.headers[0] in held.values() or page.identifiers[0] in touched)
    )


def stored_sizes(page: asking.Answer) -> list[bytes]:
    """The stored metadata of the live records of a page."""
    live = [header.identifier for header in page.headers if not header.deleted]
    return [lists.find(identifier).payload for identifier in live]


EDITS = st.lists(st.tuples(st.sampled_from(["change", "delete", "new", "nothing"]), st.integers(0, 8)), max_size=8)


@pytest.mark.spec("P101", "P146", "S13")
@hypothesis_settings(max_examples=25, **HARD)
@given(catalogue=CATALOGUES, size=st.integers(1, 4), edits=EDITS, in_set=st.booleans())
def test_edits_between_pages_never_lose_an_unchanged_record(
    client: Client, settings, catalogue, size, edits, in_set
) -> None:
    with forgotten():
        names = fill(catalogue)
        inside = [name for name, (_, ours, _) in zip(names, catalogue, strict=True) if ours or not in_set]
        settings.GISC_PAGE_HEADERS = size
        arguments = {"verb": "ListIdentifiers", "metadataPrefix": "iso19139"}
        arguments |= {"set": world.OUR_SPEC} if in_set else {}
        first = page = asking.get(client, **arguments)
        seen = set(page.identifiers)
        touched = set()
        left = list(edits)
        while page.token:
            if left:
                touched |= edit(names, catalogue, *left.pop())
            page = asking.get(client, verb="ListIdentifiers", resumptionToken=page.token)
            assert page.codes == []
            seen |= set(page.identifiers)
        assert set(inside) - touched <= seen
        # P146: the next harvest, from the first page's responseDate, brings what changed meanwhile.
        settings.GISC_PAGE_HEADERS = 1000
        second = asking.get(client, **arguments, from_=first.date)
        assert {name for name in touched if name in inside or not in_set} <= seen | set(second.identifiers)
        assert touched & set(inside) <= set(second.identifiers)


def edit(names: list[str], catalogue: list[tuple[str, bool, bool]], what: str, which: int) -> set[str]:
    """Do one edit; the identifiers whose records it really changed."""
    if what == "nothing":
        return set()
    which %= len(names)
    name, (_, ours, deleted) = names[which], catalogue[which]
    into = world.own_set() if ours else world.peer_set(world.TOULOUSE)
    if what == "new":
        name = f"urn:new-{which}"
        world.put(world.iso_record(name), into=into)
        return set()
    if what == "delete":
        world.bury(name, into=into)
        return set() if deleted else {name}
    world.put(world.iso_record(name, title="changed"), into=into)
    return {name}
