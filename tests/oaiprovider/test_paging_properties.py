"""What must hold for every catalogue, batch size and edit: P143 and P101, by hypothesis on a real database."""

import contextlib
from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests import world
from tests.oaiprovider import asking

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


def fill(catalogue: list[tuple[str, bool, bool]]) -> list[str]:
    names = []
    for number, (stamp, ours, deleted) in enumerate(catalogue):
        name = f"urn:{number}"
        into = world.own_set() if ours else world.peer_set(world.TOULOUSE)
        world.put(world.iso_record(name), into=into)
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
            if page.codes:  # P106: all that was left has moved behind the end of the list
                assert page.codes == ["badResumptionToken"]
                break
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
