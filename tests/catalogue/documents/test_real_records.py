"""Every real record of the shared test data is stored; what is none is refused with a sentence. Nothing else happens."""

from functools import cache
from pathlib import Path

import pytest

from catalogue import oai
from catalogue.bulk import ingest
from catalogue.documents import sources, xml_tree
from catalogue.payloads import payload
from catalogue.writing import decisions, store
from catalogue.writing.entry import PreparedEntry
from tests.support import world
from tests.support.paths import SHARED

DATA = SHARED / "data"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no {DATA}: set GISC_SHARED to the folder that holds data/"),
]

# What the file names of awkward/ promise, and what becomes of such files.
REFUSED = ("emptyfid", "nofid", "notwf", "oai", "root", "wrapped")
WRAPPED = ("oai", "wrapped", "root--nasa")  # `sources` takes the records out of these


@cache
def files(folder: str) -> tuple[Path, ...]:
    return tuple(sorted((DATA / folder).rglob("*.xml")))


def outcome(file: Path) -> PreparedEntry | str:
    try:
        return store.prepare(file.read_bytes())
    except xml_tree.Unusable as exc:
        return str(exc)


@pytest.mark.spec("P68")
def test_every_real_record_is_taken() -> None:
    found = files("iso19139")
    assert len(found) == 1164
    entries = {file.name: outcome(file) for file in found}
    assert {name: entry for name, entry in entries.items() if isinstance(entry, str)} == {}
    taken = [entry for entry in entries.values() if isinstance(entry, PreparedEntry)]
    assert len({entry.key for entry in taken}) == len(taken)
    assert all(oai.is_identifier(entry.key) for entry in taken)
    assert sum(entry.key != entry.identifier for entry in taken) == 137


def test_awkward_documents_are_taken_or_refused_as_their_names_say() -> None:
    found = files("awkward")
    assert found
    for file in found:
        entry = outcome(file)
        if file.name.startswith(REFUSED):
            assert isinstance(entry, str), file.name
        if isinstance(entry, str):
            assert 20 < len(entry) < 500, (file.name, entry)
            assert not entry.endswith("."), (file.name, entry)


def test_reading_what_is_kept_gives_the_same_record_again() -> None:
    for file in (*files("iso19139"), *files("awkward")):
        entry = outcome(file)
        if isinstance(entry, PreparedEntry):
            kept = xml_tree.root_element(file.read_bytes())
            again = store.prepare(kept)
            assert again == entry, file.name
            assert xml_tree.root_element(kept) == kept == payload.unpack(payload.pack(kept)), file.name
            assert oai.is_identifier(entry.key), file.name


def test_all_files_together_add_up_and_a_second_time_changes_nothing(django_capture_on_commit_callbacks) -> None:
    found = (*files("iso19139"), *files("awkward"))
    with django_capture_on_commit_callbacks(execute=True):
        first = ingest.ingest(sources.documents([DATA]), into=world.own_set())
    unpacked = [each for each in sources.documents([DATA / "awkward"]) if each.source.endswith("]")]
    assert first.offered == len(found) + len(unpacked) - sum(file.name.startswith(WRAPPED) for file in found)
    assert all(reject.reason for reject in first.rejects)
    assert not any(Path(reject.source).is_relative_to(DATA / "iso19139") for reject in first.rejects)
    identifiers = {
        entry.key: entry for file in found if isinstance(entry := outcome(file), PreparedEntry)
    }  # the last of each
    second = store.put_entries(list(identifiers.values()), into=world.own_set())
    # Only where one identifier came in several versions may the last file by name not be the last stored.
    assert {result.action for result in second} <= {decisions.Action.UNCHANGED, decisions.Action.UPDATED}
    third = store.put_entries(list(identifiers.values()), into=world.own_set())
    assert {result.action for result in third} == {decisions.Action.UNCHANGED}
