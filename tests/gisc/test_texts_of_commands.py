"""All that commands say to people can be translated: their help, what they report, and why they refuse.

Every text of the product is put into a language of other letters; what a command still says in Latin letters is a text that is
not marked for translation, or a name, a code, or a word of Django or Python.
"""

import argparse
import ast
import contextlib
import getpass
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import BaseCommand, call_command, get_commands, load_command_class
from django.core.management.base import CommandError
from django.test import override_settings
from pytest_httpserver import HTTPServer

from catalogue import bootstrap, seams
from catalogue.models import Category, MetadataSet
from gisc import file_locks, language, running_nodes
from gisc.alerts.models import Recipient
from gisc.backup.follow_up import FollowUpReport
from gisc.backup.sign_off import SignOff
from gisc.embedded import folder
from gisc.node.welcome import Welcome
from harvester.models import Conflict, Link
from tests.project.surface import PACKAGES
from tests.support import pseudo_language, world
from tests.support.many_commands import of_this_test, run_commands
from tests.support.nodes import MANAGE, environment
from tests.support.paths import ROOT
from tests.support.provider import Provider, fill
from tests.support.pseudo_language import LANGUAGE, english_words, in_other_letters

# Texts of commands that are not translated, and why.
NOT_TRANSLATED = {
    "command line": "who has started a run or settled a conflict, as the database and the audit log have it",
    "daily at {}": "a schedule in the words that `schedule_words` reads",
    "weekly on {}": "as before",
    "every {} seconds": "as before",
    "'6 hours'": "what may be written, in the same words",
    "'Mon HH:MM'": "as before",
    " records, ": "the head of a table of docs/benchmarks.md, which developers make",
    " processes of ": "as before",
    " cores\n\n": "as before",
    "conflict ": "a command to type",
    "run ": "the name of what follows, as `link show` prints all by the keys of JSON",
}
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
_SHARED = set(BaseCommand().create_parser("manage.py", "any")._option_string_actions)  # Django's own options


@pytest.fixture(scope="module")
def locale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    pseudo_language.write_catalogue(folder, in_other_letters)
    return folder


@pytest.fixture
def pseudo(settings: Any, locale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LOCALE_PATHS, settings.GISC_LANGUAGE = [locale], LANGUAGE
    monkeypatch.setenv("COLUMNS", "4000")  # rich makes a table as wide as the terminal: no word is cut


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pseudo_language.make_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def run_pseudo(checkout: Path) -> Callable[[list[list[str]]], list[tuple[int, str, str]]]:
    return lambda commands: run_commands(commands, code=checkout, GISC_LANGUAGE=LANGUAGE, **of_this_test())


# --- Texts in the code ------------------------------------------------------------------------------


def texts_of_commands() -> Iterator[tuple[str, str]]:
    """Each string of a command of ours that has words, and is neither documentation nor marked."""
    for file in sorted(file for name in PACKAGES for file in (ROOT / name).rglob("management/**/*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        left_out = {
            id(inner)
            for node in ast.walk(tree)
            if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS)
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
                yield f"{file.relative_to(ROOT)}:{node.lineno}", node.value


def test_each_text_in_the_code_of_a_command_is_marked() -> None:
    several_words = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}| [a-z]{3,}|[a-z]{3,} ")
    unmarked = [
        f"{place} {text!r}"
        for place, text in texts_of_commands()
        if several_words.search(text) and text not in NOT_TRANSLATED and not text.startswith(KEYS_WITH_SPACES)
    ]
    assert not unmarked, "\n".join(unmarked)


KEYS_WITH_SPACES = ("made of", "signed-in people", "seen by", "fed by uploads")  # of JSON: `set` has titles for people


# --- Help -------------------------------------------------------------------------------------------


def own_commands() -> list[str]:
    return sorted(name for name, app in get_commands().items() if app.split(".")[0] in PACKAGES)


def helps(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The help of a parser, of its arguments, and of its sub-commands."""
    yield parser.description or ""
    for group in parser._action_groups:
        if group.title not in ("positional arguments", "options"):
            yield f"{group.title} {group.description or ''}"
    for action in parser._actions:
        if not _SHARED & set(action.option_strings):
            yield action.help or ""
        if isinstance(action, argparse._SubParsersAction):
            yield from (choice.help or "" for choice in action._choices_actions)
            for sub in action.choices.values():
                yield from helps(sub)


@pytest.mark.parametrize("name", own_commands())
def test_the_help_of_a_command_is_in_the_language(pseudo: None, name: str) -> None:
    with language.for_command(["manage.py", name, "--help"]):
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        found = [text for text in helps(parser) if text and english_words(text)]
    assert found == []
    assert parser.description and not english_words(parser.description)


def test_help_is_in_the_language_however_it_is_asked_for(run_pseudo: Callable[..., Any]) -> None:
    commands = [["help", "set"], ["set", "--help"], ["set", "move", "-h"], ["copy", "--help"], ["node", "--help"]]
    expected = ["Add sets", "Add sets", "why, for the history", "Copy the records", "Run the whole node"]
    for arguments, text, (status, out, err) in zip(commands, expected, run_pseudo(commands), strict=True):
        assert (status, err) == (0, ""), arguments
        assert in_other_letters(text) in " ".join(out.split()), arguments
        assert text not in " ".join(out.split()), arguments


# --- Reports and refusals ---------------------------------------------------------------------------

# Not of this product, or not for people.
WORDS_OF_OTHERS = {
    "argparse, Django and Python": "Error argument arguments the following are required True False None invalid header "
    "codec can't decode byte in position start",
    "the operating system": "No such file or directory Is a directory Connection refused",
    "expat, libxml2 and zstd": "no element found Premature end of data in tag line column cannot train dict Src size is incorrect",
    "codes, and names of fields": "peer shared own virtual vanished current compared done user password enabled name country latitude longitude contact "
    "kind prefix identifiers schedule strategy category alternatives certificates proxy post sender",
    "the manifest of a backup, which other nodes read": "left out",
    "a fault in CQL2, as /ogcapi/ tells it to programs": "The filter is no text the error at An example title",
    "a schedule as it was typed": "daily weekly on at",
    "settings": "metadata catalogue",
    "data": "Anna toulouse misty bob restricted Any other",
}
ALLOWED = {word for words in WORDS_OF_OTHERS.values() for word in words.split()}


@pytest.mark.django_db(transaction=True)
def test_what_commands_report_and_refuse_is_in_the_language(
    pseudo: None, settings: Any, httpserver: HTTPServer, toulouse: MetadataSet, tmp_path: Path
) -> None:
    settings.GISC_RETRY_SECONDS = 0.001
    provider = Provider(httpserver)
    fill(provider, range(3))
    bootstrap.ensure_sets()
    world.put(*(world.iso_record(f"urn:{number}") for number in range(3)))
    Category.objects.create(name="restricted")
    Recipient.objects.create(name="Anna", email="anna@example.org")
    link = Link.objects.create(
        name="toulouse", base_url=provider.base_url, remote_set=toulouse.spec, local_set=toulouse, prefix="ISO19139"
    )
    now = seams.now()
    Conflict.objects.create(
        link=link, key="urn:9", identifier="urn:9", kind=Conflict.Kind.VANISHED, reason="vanished", first_seen=now, last_seen=now
    )  # fmt: skip
    record, broken, list_of_ids = tmp_path / "new.xml", tmp_path / "broken.xml", tmp_path / "ids"
    record.write_bytes(world.iso_record("urn:new"))
    broken.write_bytes(b"<a>")
    list_of_ids.write_bytes(b"\xff")
    (tmp_path / "archives").mkdir()
    csv = tmp_path / "links.csv"
    commands = [command.split(" ") for command in COMMANDS.format(**locals(), url=provider.base_url).splitlines()]
    commands.append(["profile", "preview", "DRIVER/2.1 (harvester)"])
    faults = []
    for arguments in commands:
        said = what_is_said(arguments)
        assert said or {"export", "difference"} & set(arguments), arguments
        ours = ALLOWED | set(arguments) | {getpass.getuser()}
        if found := [word for word in english_words(sentences(arguments, said)) if word not in ours]:
            faults.append(f"{' '.join(arguments)}: {' '.join(found)}\n{said}")
    assert not faults, "\n".join(faults)


def sentences(arguments: list[str], said: str) -> str:
    """What a command prints without names and values of fields, where it prints them as JSON has them."""
    if arguments[:2] == ["centres", "list"]:
        return said.splitlines()[1] + said.splitlines()[-1].replace("Toulouse", "")  # between them are data
    if arguments[:2] not in (["link", "show"], ["link", "check"]) or ": " not in said:
        return said
    told = [line.partition(": ")[2] for line in said.splitlines() if line.partition(": ")[0] in FIELDS_WITH_SENTENCES]
    return "\n".join((*told, *re.findall(r"(?<= outcome=).*", said)))


FIELDS_WITH_SENTENCES = (
    *(
        "state_text",
        "todos",
        "remarks",
        "provider",
        "way_back",
        "set",
        "total_reharvest",
        "doubts",
        "warnings",
        "faults",
    ),
    *("http://127.0.0.1:9/oai", "access"),
)


def what_is_said(arguments: list[str]) -> str:
    """What a command prints, as `manage.py` would let it speak; and its refusal."""
    out = StringIO()
    with language.for_command(["manage.py", *arguments]), contextlib.suppress(SystemExit):
        try:
            call_command(*arguments, stdout=out, stderr=out)
        except CommandError as exc:
            out.write(str(exc))
    return out.getvalue()


COMMANDS = """\
administrator
alerts list
alerts test nobody
backup
backup {tmp_path}/archives --schedule
backup {tmp_path}/archives --no-verify --keep 1
catalogue stats
catalogue validate
catalogue validate --all
catalogue restamp --set none --since 2000-01-01
catalogue restamp --set WIS-GISC-TOKYO --since yesterday
catalogue restamp --set WIS-GISC-TOKYO --since 2000-01-01 --clock 2999-01-01
catalogue restamp --set WIS-GISC-TOKYO --since 2000-01-01 --dry-run
catalogue restamp --set WIS-GISC-TOKYO --since 2000-01-01
catalogue purge --dry-run
catalogue dictionary list
catalogue dictionary train --sample 1
catalogue dictionary train --sample x
centres list
centres import {broken}
centres import {tmp_path}/none
conflict list
conflict list --settled
conflict list --link nobody
conflict ask 7777
conflict keep
conflict keep --link toulouse
conflict keep --link toulouse --yes
conflict list --settled
conflict undo --link toulouse
conflict undo --link toulouse --yes
copy http://user@host/ {tmp_path}/copy
copy {url} {tmp_path}
copy {url} {tmp_path}/copy --prefix :
copy {url} {tmp_path}/copy --delay x
copy {url} {tmp_path}/copy --from yesterday
copy {url} {tmp_path}/copy
copy {url} {tmp_path}/copy
copy {url} {tmp_path}/copy --set other
copy {url} {tmp_path}/copy --until 2020-01-01
harvest nobody
harvest toulouse --beyond-ceiling
harvest toulouse --full --content
harvest toulouse
harvest toulouse --reconcile
ingest
ingest {record} --set none
ingest {record} --watch {tmp_path}
ingest {tmp_path}/none
ingest {record} {broken}
ingest --watch {tmp_path}/archives --once
ingest --watch {tmp_path}/archives --beyond-ceiling
journal status
journal export {tmp_path}/journal.jsonl
journal export {record}
journal replay {tmp_path}
journal replay
link add misty {url}
link add misty {url} --set other --into shared07 --daily noon
link add misty {url} --set other --into WIS-GISC-TOULOUSE
link add misty http://127.0.0.1:9/oai --set other --into WIS-GISC-OFFENBACH --prefix iso19139
link access misty
link access misty --user bob
link access misty --user b:b
link access misty --password-file {tmp_path}/none
link access misty --password-file {list_of_ids}
link schedule misty
link schedule misty --weekly noon
link schedule misty --daily 03:15 --window 01:00-05:00
link schedule misty --every 2days
link identifiers misty file
link identifiers misty file
link visible misty --to nothing
link visible misty --to restricted
link visible misty --to-everybody
link list
link show misty
link show toulouse
link show nobody
link check toulouse
link check http://127.0.0.1:9/oai
link check misty
link cancel misty
link alternative misty other-name {url}
link alternative toulouse other-name {url} --prefix ISO19139
link switch misty --back
link switch toulouse
link switch toulouse --back
link accept-move misty
link disable misty
link disable misty
link enable misty
link enable misty
link reset misty
link reset misty --to yesterday
link reset misty --to 2026-01-01
link export {csv}
link import {csv}
link import {broken}
link export {tmp_path}
link remove misty
profile list
profile preview x --address y
profile import {broken}
profile import {tmp_path}/none
profile export {tmp_path}
record history urn:0
record history urn:none
record difference urn:0 1
record show urn:0 --version 77
record restore urn:0 77
record replace urn:0 {broken}
record replace urn:0 {tmp_path}/none
record replace urn:0 {record}
restore
restore {tmp_path}/archives
restore {record}
restore {tmp_path}/none
restore --in-place --records {tmp_path}/none
restore --in-place --clock 2999-01-01
second_factor list
second_factor reset nobody
set add shared08
set add shared08 --name other
set add virtual1 --kind virtual
set include virtual1 WIS-GISC-TOULOUSE
set include virtual1 none
set exclude virtual1 WIS-GISC-TOULOUSE
set search virtual1
set search virtual1 --search data --none
set search virtual1 --search data
set search virtual1 --filter x=
set move WIS-GISC-TOULOUSE urn:0
set move WIS-GISC-TOKYO urn:none
set category restricted --harvesters-only
set visible WIS-GISC-TOULOUSE --to nothing
set visible WIS-GISC-TOULOUSE --to restricted
set visible - --to restricted
set visible WIS-GISC-TOULOUSE urn:0 --to restricted
set visible - urn:0 --to-everybody
set stop-feeding WIS-GISC-TOULOUSE
withdraw
withdraw --all
withdraw --dry-run
withdraw --set WIS-GISC-TOKYO
withdraw --file {list_of_ids}
withdraw --file {tmp_path}/none
withdraw --set WIS-GISC-TOKYO --all --dry-run
withdraw urn:0 urn:none
catalogue purge"""


def test_the_end_of_a_restore_is_in_the_language(pseudo: None, db: None) -> None:
    with language.for_people():
        text = SignOff(FollowUpReport(2, 3, {"WIS-GISC-TOKYO": 3}, brought_back=["urn:0"])).text()
    assert english_words(text.replace("manage.py", "")) == []


def test_what_a_node_says_when_it_is_ready_is_in_the_language(pseudo: None) -> None:
    with language.for_people():
        text = Welcome(password=None, is_empty=True).text()
    assert english_words(" ".join(line for line in text.splitlines() if "manage.py" not in line)) == ["admin"]


def test_what_programs_read_of_a_command_is_english(run_pseudo: Callable[..., Any], transactional_db: None) -> None:
    bootstrap.ensure_sets()
    commands = [["catalogue", "stats", "--json"], ["link", "list", "--js"], ["set", "add", "shared09", "--json"]]
    for arguments, (status, out, _) in zip(commands, run_pseudo(commands), strict=True):
        assert status == 0, arguments
        json.loads(out)
        assert out.isascii(), arguments


# --- Before Django is set up -------------------------------------------------------------------------


def start(checkout: Path, *arguments: str, program: Sequence[str] = MANAGE, **settings: str) -> tuple[int, str]:
    """Run a program of the checkout in the language; exit status, and what it says on standard error."""
    done = subprocess.run(
        [*program, *arguments],
        cwd=checkout,
        env=environment(**{"GISC_LANGUAGE": LANGUAGE, **settings}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stderr


OUTSIDE = {"DATABASE_URL": "postgresql://gisc@127.0.0.1:9/gisc"}
WRONG_SETTINGS: list[tuple[dict[str, str], str]] = [
    ({"PORT": "x"}, "write a whole number from"),
    ({"DEBUG": "x"}, "; write True or False"),
    ({"SECRET_KEY_FILE": "/nowhere"}, "write the path of a readable file"),
    ({"GISC_BASE_URL": "x://x"}, "has the scheme"),
    ({"GISC_BASE_URL": "http://x:y"}, "its port is no number"),
    ({"GISC_TRUSTED_PROXIES": "x"}, "write addresses or networks separated by commas"),
    ({"GISC_SCHEMA_DIR": "/nowhere"}, "write the path of the folder of"),
    ({"GISC_PRIVATE_PAGES": "x"}, "separated by commas"),
    ({"GISC_INTERFACES_OFF": "x"}, "separated by commas"),
    ({"GISC_SECOND_FACTOR_ROLES": "x"}, "separated by commas"),
    ({"GISC_SMTP_SECURITY": "x"}, "; write starttls, tls or none"),
    ({"LOG_LEVEL": "x"}, "; write DEBUG, INFO, WARNING or ERROR"),
    (OUTSIDE, "write a long random string in SECRET_KEY"),
    ({**OUTSIDE, "SECRET_KEY": "x" * 50}, "write the host names under which this node is reached"),
    ({"GISC_DATA_DIR": "/proc/node"}, "name a directory in which the node's account may create files"),
]
WORDS_OF_SETTINGS = {
    *["metrics", "harvest", "health", "ogcapi", "sru", "csw", "dcat", "monitoring"],
    *[
        "No",
        "such",
        "file",
        "or",
        "directory",
        "does",
        "not",
        "appear",
        "to",
        "be",
        "an",
        "IPv4",
        "or",
        "IPv6",
        "network",
    ],
}


@pytest.mark.parametrize(
    ("settings_of_it", "text"), WRONG_SETTINGS, ids=lambda each: "+".join(each) if isinstance(each, dict) else ""
)
def test_a_wrong_setting_is_told_in_the_language(
    checkout: Path, settings_of_it: dict[str, str], text: str, tmp_path: Path
) -> None:
    status, said = start(checkout, "check", **{"GISC_DATA_DIR": str(tmp_path), **settings_of_it})
    assert status == 2, said
    assert in_other_letters(text) in said
    assert set(english_words(said)) <= WORDS_OF_SETTINGS


def test_a_language_that_is_not_there_is_told_in_english(checkout: Path) -> None:
    for language_of_it in ("zz", "../qq"):
        said = f"manage.py: GISC_LANGUAGE is '{language_of_it}'; write one of en, qq, or add a translation (CONTRIBUTING.md)\n"
        assert start(checkout, "check", GISC_LANGUAGE=language_of_it) == (2, said)


def test_a_translation_that_cannot_be_read_leaves_the_text_in_english(tmp_path: Path) -> None:
    checkout = pseudo_language.make_checkout(tmp_path / "checkout")
    file = next(checkout.glob("locale/*/*/django.mo"))
    for content in (b"", b"no translation", file.read_bytes()[:400]):
        file.write_bytes(content)
        assert start(checkout, "check", PORT="x") == (
            2,
            "manage.py: PORT is 'x'; write a whole number from 1 to 65535\n",
        )


def test_a_wrong_setting_is_told_to_programs_in_english(checkout: Path) -> None:
    status, said = start(checkout, "link", "list", "--json", PORT="x")
    assert (status, said) == (2, "manage.py: PORT is 'x'; write a whole number from 1 to 65535\n")


def test_what_the_command_line_refuses_is_in_the_language(checkout: Path, tmp_path: Path) -> None:
    data = {"GISC_DATA_DIR": str(tmp_path)}
    status, said = start(checkout, "check", "--tag=--", **data)
    assert status == 2 and in_other_letters("has no value: write another one than") in said
    with open(os.devnull) as only_read:
        done = subprocess.run(
            [*MANAGE, "version"],
            cwd=checkout,
            env=environment(GISC_LANGUAGE=LANGUAGE, **data),
            stdout=only_read,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 2 and in_other_letters("the output cannot be written") in done.stderr


def test_an_argument_that_is_no_text_is_told_in_the_language(
    run_pseudo: Callable[..., Any], transactional_db: None
) -> None:
    ((status, _out, err),) = run_pseudo([["record", "history", os.fsdecode(b"\xff")]])
    assert status == 2 and in_other_letters("set the locale of this shell to it") in err


def test_a_command_that_cannot_tell_which_node_is_meant_says_so_in_the_language(checkout: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            lock = file_locks.FileLock(tmp_path / name / running_nodes.LOCK)
            lock.acquire()
            stack.callback(lock.release)
            own = {"GISC_DATA_DIR": tmp_path / name, "GISC_JOURNAL_DIR": tmp_path / "j", "GISC_NAME": name}
            stack.enter_context(override_settings(**own))
            stack.enter_context(running_nodes.announced(checkout / ".nodes"))
        status, said = start(checkout, "link", "list")
    assert status == 2 and in_other_letters("nodes run from here:") in said
    assert not {"set", "meant", "another"} & set(english_words(said))


def test_why_the_embedded_postgresql_does_not_start_is_in_the_language_for_people_and_english_in_the_log(
    checkout: Path, tmp_path: Path
) -> None:
    data_dir = tmp_path / ("long" * 30)
    sockets = folder.socket_dir(data_dir / "postgres", ".s.PGSQL.5432")
    sockets.mkdir(mode=0o755)
    sockets.chmod(0o755)  # open to other accounts, so that no server is put there
    try:
        text = "is not a directory of the node's own; remove it and start again"
        status, said = start(checkout, "link", "list", GISC_DATA_DIR=str(data_dir))
        assert status == 2 and in_other_letters(text) in said
        status, said = start(checkout, program=(sys.executable, "-m", "gisc.node.keeper"), GISC_DATA_DIR=str(data_dir))
        assert status == 1 and text in said
    finally:
        sockets.rmdir()


def test_why_a_node_does_not_start_is_in_the_language(checkout: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, said = start(checkout, "node", GISC_DATA_DIR=str(tmp_path), PORT=port)
    assert status == 2 and in_other_letters("set PORT to a free port, or stop what uses this one") in said
