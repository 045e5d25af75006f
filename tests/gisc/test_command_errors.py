"""A server that is away, starting, full or refusing: every command says the same sentence and ends with the same status."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from django.core.management import get_commands
from django.db import connection

from catalogue import bootstrap
from catalogue.documents.sources import SAMPLES
from catalogue.models import Record
from gisc import command_errors, embedded
from tests.support import world
from tests.support.many_commands import of_this_test, run_commands
from tests.support.nodes import environment, free_port, manage, refused
from tests.support.paths import ROOT
from tests.support.sockets import serving

OURS = ("gisc", "catalogue", "oaiprovider", "harvester")
WITHOUT_DATABASE = {"node", "bench", "demo", "copy"}  # `node` starts what the others use, and waits for what is outside
SAMPLE = str(next((SAMPLES / "WIS-GISC-TOKYO").glob("*.xml")))
READING = [
    ["catalogue", "stats"],
    ["catalogue", "dictionary", "list", "--json"],
    ["catalogue", "purge", "--dry-run"],
    ["journal", "status"],
    ["withdraw", "--set", "WIS-GISC-TOKYO", "--all", "--dry-run"],
    ["record", "history", "urn:0"],
    ["link", "list"],
    ["link", "show", "none"],
    ["centres", "list"],
    ["conflict", "list"],
    ["harvest", "none"],
    ["profile", "preview", "x"],
    ["secrets", "status"],
    ["showmigrations"],
    ["check", "--database", "default"],
    ["shell", "-v0", "-c", "from catalogue.models import Record; Record.objects.count()"],
]
WRITING = [
    ["ingest", SAMPLE],
    ["withdraw", "urn:0"],
    ["set", "add", "shared07", "--name", "x"],
    ["link", "add", "peer", "http://127.0.0.1:9/oai", "--set", "WIS-GISC-TOULOUSE"],
    ["catalogue", "restamp", "--set", "WIS-GISC-TOKYO", "--since", "2000-01-01"],
    ["createsuperuser", "--noinput", "--username", "x", "--email", "x@example.org"],
]
OTHERS = [["administrator"], ["backup", "/tmp"], ["restore", "/tmp"], ["migrate"], ["journal", "replay"]]
OTHERS += [["second_factor", "reset", "nobody"]]
COMMANDS = [*READING, *WRITING, *OTHERS]


def test_the_table_has_every_command_of_ours() -> None:
    ours = {name for name, app in get_commands().items() if app in OURS}
    assert ours - {arguments[0] for arguments in COMMANDS} == WITHOUT_DATABASE


# --- Not reached ------------------------------------------------------------------------------------


def _closed() -> str:
    return f"127.0.0.1:{free_port()}"


@contextmanager
def refusing_postgres(state: str, text: str) -> Iterator[int]:
    """A server that refuses every connection as PostgreSQL does. Yields its port."""
    fields = (
        b"".join(key + value.encode() + b"\0" for key, value in ((b"S", "FATAL"), (b"C", state), (b"M", text))) + b"\0"
    )

    def answer(link: socket.socket) -> None:
        while len(start := link.recv(1024)) == 8:  # asks for TLS, or another encryption
            link.sendall(b"N")
        if start:
            link.sendall(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)

    with serving(answer) as port:
        yield port


@pytest.mark.parametrize(
    ("state", "text", "sentence"),
    [
        ("", "", "the database of DATABASE_URL cannot be reached (connection"),
        ("57P03", "the database system is starting up", "the database of DATABASE_URL is starting or shutting down ("),
        ("53300", "sorry, too many clients already", "the database of DATABASE_URL has no connection left ("),
        ("28P01", 'password authentication failed for user "x"', "the database of DATABASE_URL refuses this node ("),
    ],
)
def test_every_command_says_the_same_of_a_database_that_lets_nobody_in(
    tmp_path: Path, state: str, text: str, sentence: str
) -> None:
    commands = COMMANDS if state in ("", "57P03") else COMMANDS[::5]  # all go one way, whatever the server says
    with refusing_postgres(state, text) as port:
        answers = run_commands(
            commands,
            DATABASE_URL=f"postgresql://x:do-not-print-me@127.0.0.1:{port if state else free_port()}/gisc",
            SECRET_KEY="x" * 50,
            ALLOWED_HOSTS="*",
            GISC_DATA_DIR=str(tmp_path),
        )
    for arguments, (status, out, err) in zip(commands, answers, strict=True):
        assert (status, out) == (2, ""), (arguments, err)
        assert err == answers[0][2], arguments
    (line,) = answers[0][2].splitlines()
    assert line.startswith(f"manage.py: {sentence}")
    assert text in line
    assert "do-not-print-me" not in line


# --- In the middle ----------------------------------------------------------------------------------


@pytest.fixture
def catalogue(transactional_db: None) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0"))


def test_every_command_that_writes_says_the_same_of_a_database_that_can_only_be_read(catalogue: None) -> None:
    answers = run_commands(WRITING, **of_this_test(default_transaction_read_only="on"))
    for arguments, (status, _, err) in zip(WRITING, answers, strict=True):
        assert status == 2, (arguments, err)
        *warnings, line = err.splitlines()  # a provider that cannot be asked is warned of before
        assert all(warning.startswith("warning: ") for warning in warnings), arguments
        assert line.startswith("manage.py: the database of DATABASE_URL can only be read ("), arguments
    reading = run_commands(READING, **of_this_test(default_transaction_read_only="on"))
    assert "Traceback" not in "".join(err for _, _, err in reading)


TABLES = ("catalogue_record", "catalogue_datestampclock", "catalogue_metadataset", "harvester_link", "auth_user")


@contextmanager
def every_write_runs(statement: str) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {statement}; RETURN NEW; END $$"
        )
        for table in TABLES:
            cursor.execute(
                f"CREATE TRIGGER a_trouble BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION trouble()"
            )
        try:
            yield
        finally:
            cursor.execute("DROP FUNCTION trouble() CASCADE")


def raising(state: str) -> str:
    return f"RAISE EXCEPTION USING ERRCODE = '{state}', MESSAGE = 'because of {state}'"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (raising("53100"), "the disk of this node is full, so nothing was stored"),
        (raising("53200"), "the database of DATABASE_URL has no memory left (because"),
        (raising("57014"), "the database of DATABASE_URL stopped a statement that took too long (because"),
        (raising("XX001"), "the database of DATABASE_URL cannot read what it has stored (because"),
        (raising("58030"), "the database of DATABASE_URL cannot read what it has stored (because"),
        (raising("42501"), "the database of DATABASE_URL refuses this node (because"),
        (
            "PERFORM pg_terminate_backend(pg_backend_pid())",
            "the database of DATABASE_URL cannot be reached (",
        ),
    ],
)
def test_every_command_that_writes_says_the_same_of_trouble_in_the_middle(
    catalogue: None, statement: str, sentence: str
) -> None:
    with every_write_runs(statement):
        answers = run_commands(WRITING, **of_this_test())
    for arguments, (status, _, err) in zip(WRITING, answers, strict=True):
        assert status == 2, (arguments, err)
        assert err.splitlines()[-1].startswith(f"manage.py: {sentence}"), (arguments, err)
        assert "Traceback" not in err, arguments
    assert Record.objects.filter(deleted=False).count() == 1


def test_a_fault_of_this_program_keeps_its_traceback(catalogue: None) -> None:
    faults = [
        "from django.db import connection; connection.cursor().execute('x')",
        "open('/nowhere/x')",
        "raise BrokenPipeError(32, 'Broken pipe')",
        f"import requests; requests.get('http://127.0.0.1:{free_port()}')",
    ]
    for status, out, err in run_commands([["shell", "-v0", "-c", fault] for fault in faults], **of_this_test()):
        assert (status, out) == (1, ""), err
        assert "Traceback" in err
        assert "manage.py: " not in err


def test_a_file_that_the_system_refuses_is_named_in_one_sentence(catalogue: None) -> None:
    commands = [["shell", "-v0", "-c", "open('/sys/x', 'w')", *more] for more in ((), ("--traceback",))]
    said, shown = run_commands(commands, **of_this_test())
    assert said == (2, "", "manage.py: /sys/x cannot be read or written (Permission denied)\n")
    assert shown[0] == 1 and "Traceback" in shown[2]


def test_the_shell_of_the_database_is_that_of_the_url_wherever_its_host_is_written(catalogue: None) -> None:
    path = f"{next(embedded.program_folders())}:{os.environ['PATH']}"
    asked = ["dbshell", "--", "--tuples-only", "--no-align", "-c", "SELECT identifier FROM catalogue_record"]
    ((status, out, err),) = run_commands([asked], **of_this_test() | {"PATH": path})
    assert (status, out) == (0, "urn:0\n"), err


# --- Redis ------------------------------------------------------------------------------------------


def test_no_command_needs_redis(catalogue: None) -> None:
    with serving(lambda link: link.sendall(b"-OOM command not allowed when used memory > 'maxmemory'.\r\n")) as port:
        for place in (_closed(), f"127.0.0.1:{port}"):
            for status, _, err in run_commands(READING, **of_this_test(), REDIS_URL=f"redis://:secret@{place}/0"):
                assert "Traceback" not in err
                assert "Redis" not in err
                assert status in (0, 1), err


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (None, "cannot be reached ("),
        (b"", "cannot be reached ("),
        (b"-LOADING Redis is loading the dataset in memory", "is starting or shutting down ("),
        (b"-OOM command not allowed when used memory > 'maxmemory'.", "has no memory left ("),
        (b"-NOAUTH Authentication required.", "refuses this node ("),
        (b"-WRONGPASS invalid username-password pair", "refuses this node ("),
        (b"-READONLY You can't write against a read only replica.", "can only be read ("),
        (b"-ERR max number of clients reached", "has no connection left ("),
        (b"-MISCONF Redis is configured to save RDB snapshots, but it is unable", "the disk of this node is full"),
    ],
)
def test_trouble_with_redis_has_a_sentence_for_whoever_uses_it(reply: bytes | None, sentence: str) -> None:
    def answer(link: socket.socket) -> None:
        while link.recv(4096) and reply:
            link.sendall(reply + b"\r\n")

    with serving(answer) as port:
        client = redis.Redis(port=port if reply is not None else free_port(), socket_timeout=10, retry=None)
        with pytest.raises(redis.RedisError) as raised:
            client.set("x", "y")
    assert sentence in str(command_errors.describe(raised.value))


# --- Outputs, signals, settings ---------------------------------------------------------------------


def shell(line: str, **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=ROOT,
        env=environment(**given) | {"PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("$PYTHON manage.py help | true", 141, ""),
        ("$PYTHON manage.py help --commands | head -1", 141, ""),
        ("$PYTHON manage.py help >&-", 0, ""),
        ("$PYTHON manage.py no-such-command 2>&-", 1, ""),
    ],
)
def test_an_output_that_ends_is_no_traceback(tmp_path: Path, line: str, status: int, said: str) -> None:
    answer = shell(line, GISC_DATA_DIR=str(tmp_path))
    assert answer.stderr == said
    assert answer.returncode in (status, 0 if status == 141 else status)  # what fits into the pipe is written in time


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_output_is_no_word_about_what_was_stored(catalogue: None, unbuffered: str) -> None:
    for form in ("", " --json"):
        answer = shell(
            f"$PYTHON manage.py ingest {SAMPLE}{form} > /dev/full", **of_this_test(), PYTHONUNBUFFERED=unbuffered
        )
        assert answer.stderr == "manage.py: the output cannot be written (No space left on device)\n"
        assert answer.returncode == 2
    assert Record.objects.count() == 2


@pytest.mark.parametrize(
    "url", ["postgresql://u:pass/word@h/x", "postgresql://u:a[b@h/x", "postgresql://u:p@h:99999/x"]
)
@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL"])
def test_a_url_that_is_none_is_a_sentence_without_the_password(name: str, url: str) -> None:
    url = url if name == "DATABASE_URL" else url.replace("postgresql", "redis")
    sentence = refused(manage("catalogue", "stats", SECRET_KEY="x" * 50, ALLOWED_HOSTS="*", **{name: url}))
    assert f"{name} is no URL" in sentence
    assert not any(secret in sentence for secret in ("pass/word", "a[b", "99999"))
