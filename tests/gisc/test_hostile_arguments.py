"""Arguments of commands that a script gets wrong: one sentence and a status that is not 0, and nothing is changed."""

import os
import stat
import tarfile
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from catalogue import bootstrap
from catalogue.models import MetadataSet, Record
from harvester.models import Link
from tests.support import world
from tests.support.commands import command
from tests.support.many_commands import of_this_test, run_commands

pytestmark = pytest.mark.django_db(transaction=True)
NO_TEXT = "\udcff\udcfe"


def is_refused(arguments: list[str]) -> bool:
    """Whether a command ends with a CommandError, which `manage.py` prints as a sentence, or with a status of its own."""
    try:
        return command(*arguments)[0] != 0
    except CommandError:
        return True


@pytest.mark.parametrize(
    "arguments",
    [
        ["catalogue", "dictionary", "train", "--sample=-1"],
        ["catalogue", "dictionary", "train", "--sample=0"],
        ["catalogue", "dictionary", "train", "--sample=" + "9" * 400],
        ["catalogue", "dictionary", "train", "--sample=\u0663"],
        ["catalogue", "dictionary", "train", "--size=-1"],
        ["catalogue", "dictionary", "train", "--size=99999999999"],
        ["catalogue", "restamp", "--set", world.OUR_SPEC, "--since", "2000-01-01", "--clock="],
        ["catalogue", "restamp", "--set", world.OUR_SPEC, "--since", "2000-02-30"],
        ["journal", "export", ""],
        ["journal", "export", "/"],
        ["set", "add", world.OUR_SPEC, "--name", "Another"],
        ["set", "add", world.OUR_SPEC, "--kind", "shared"],
        ["link", "check", "http://["],
        ["link", "check", "http://[?x#y"],
        ["link", "alternative", "toulouse", "x", "http://["],
    ],
)
def test_a_wrong_value_is_a_sentence(arguments: list[str]) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0"))
    peer = MetadataSet.objects.create(spec="WIS-GISC-TOULOUSE", name="T")
    Link.objects.create(
        name="toulouse", base_url="http://127.0.0.1:9/oai", remote_set="x", local_set=peer, enabled=False
    )
    before = Record.objects.get().datestamp
    assert is_refused(arguments)
    assert Record.objects.get().datestamp == before


def test_what_is_no_text_or_no_value_is_a_sentence(tmp_path: Path) -> None:
    commands = [
        ["withdraw", "urn:0", "--file=--"],
        ["catalogue", "restamp", "--set", "x", "--since=--"],
        ["link", "access", "toulouse", "--user=--"],
        *(["set", action, NO_TEXT] for action in ("add", "stop-feeding")),
        *(["link", action, NO_TEXT] for action in ("show", "cancel", "remove")),
        ["harvest", NO_TEXT],
        ["withdraw", "urn:0", "--set", NO_TEXT],
    ]
    bootstrap.ensure_sets()
    for arguments, (status, out, err) in zip(commands, run_commands(commands, **of_this_test()), strict=True):
        assert (status, out, len(err.splitlines())) == (2, "", 1), (arguments, err)


def test_an_export_replaces_an_older_one_and_nothing_else(tmp_path: Path) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0"))
    command("withdraw", "urn:0")
    file, other, pipe = tmp_path / "history.jsonl", tmp_path / "passwd", tmp_path / "pipe"
    other.write_text("root:x:0:0\n")
    for _ in range(2):
        assert command("journal", "export", file)[0] == 0
    assert file.read_text().count("\n") == 1
    with pytest.raises(CommandError, match="is no export of a journal"):
        command("journal", "export", other)
    assert other.read_text() == "root:x:0:0\n"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert command("journal", "export", pipe)[0] == 0
        assert os.read(reader, 100_000).decode() == file.read_text()
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_of_something_else_is_not_replayed_in_silence(tmp_path: Path) -> None:
    bootstrap.ensure_sets()
    assert command("journal", "replay", tmp_path)[0] == 0, "as of a node that never deleted anything"
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(CommandError, match="is no folder of a journal"):
        command("journal", "replay", tmp_path)


def test_a_folder_that_cannot_be_listed_is_reported_and_the_rest_is_stored(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(world.iso_record("urn:a"))
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):  # a path of more than 4096 bytes
        os.mkdir("d" * 250, dir_fd=folder)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    bootstrap.ensure_sets()
    status, out, err = command("ingest", tmp_path)
    assert status == 1
    assert "1 new" in out
    assert "File name too long" in err


def test_what_is_no_backup_and_no_number_is_a_sentence(tmp_path: Path) -> None:
    empty, text, cut = tmp_path / "empty.tar", tmp_path / "text.tar", tmp_path / "cut.tar"
    empty.touch()
    text.write_text("no archive")
    with tarfile.open(cut, "w") as archive:
        archive.add(text, "manifest.json")
    cut.write_bytes(cut.read_bytes()[:700])
    (folder := tmp_path / "folder").mkdir()
    missing = tmp_path / "missing"
    commands = [
        *(["restore", str(what)] for what in (empty, text, cut, folder, missing)),
        ["restore", NO_TEXT],
        ["restore", str(empty), "--journal", str(missing)],
        ["restore", str(empty), "--clock=tomorrow"],
        ["backup", str(text)],
        ["backup", str(text / "below")],
        *(["backup", str(folder), f"--keep={number}"] for number in ("0", "-1", "x", "9" * 400)),
        *(["bench", number] for number in ("-1", "x", "9" * 400, "\u0663")),
        *(["bench", f"--soak={number}"] for number in ("0", "-1", "nan")),
        ["bench", "--processes=0"],
        *(["ingest", str(text), f"--processes={number}"] for number in ("0", "x", "9" * 400)),
    ]
    bootstrap.ensure_sets()
    for arguments, (status, out, err) in zip(commands, run_commands(commands, **of_this_test()), strict=True):
        assert status in (1, 2), (arguments, out, err)
        assert "Traceback" not in err, (arguments, err)
        assert err.strip(), arguments
    assert not list(folder.iterdir()), "no archive was made"
