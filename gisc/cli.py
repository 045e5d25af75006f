"""The command line: Django's, with the embedded database running for as long as a command needs it.

What goes wrong before the command has begun (a bad setting, no database, no place to write) is one sentence on
stderr and exit status 2. Errors of the command itself look as they do everywhere in Django.
"""

import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import FrameType

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError

from gisc import embedded

# These read code and files only, or start servers of their own.
_WITHOUT_DATABASE = frozenset(
    {
        "bench",
        "check",
        "collectstatic",
        "demo",
        "diffsettings",
        "findstatic",
        "help",
        "makemigrations",
        "node",
        "test",
        "testserver",
        "version",
    }
)
# These work on the database as it stands, whatever its migrations.
_READING_MIGRATIONS = frozenset({"migrate", "showmigrations", "sqlmigrate", "squashmigrations"})
_ANY_MIGRATIONS = frozenset({"dbshell", "inspectdb", *_READING_MIGRATIONS})


def main(argv: Sequence[str]) -> int:
    """Run one command; the exit status. A command that ends with SystemExit ends so."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    # makemigrations looks at the database if there is one, and warns if there is none; --check needs none.
    warnings.filterwarnings("ignore", message="Got an error checking a consistent migration history")
    signal.signal(signal.SIGTERM, _leave)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under nohup
        signal.signal(signal.SIGHUP, _leave)
    command = argv[1] if len(argv) > 1 else "help"
    needs_database = command not in _WITHOUT_DATABASE and not {"-h", "--help", "--version"} & set(argv[1:])
    try:
        # Django lists a command as unknown when the settings cannot be read; this says why they cannot.
        _read_settings()
        with _database(command) if needs_database else nullcontext():
            execute_from_command_line(list(argv))
    except (ImproperlyConfigured, embedded.ServerFailed) as exc:
        return _complain(str(exc))
    except OperationalError as exc:
        # Only a failure to reach the server has no SQLSTATE; the rest is a fault to be seen whole.
        if getattr(exc.__cause__, "pgcode", None) is not None or "--traceback" in argv:
            raise
        return _complain(_unreachable(exc))
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def _leave(number: int, _: FrameType | None) -> None:
    """End through every `finally`, so that the embedded database is stopped or left to its other holders."""
    raise SystemExit(128 + number)


def _complain(sentence: str) -> int:
    print(f"{os.path.basename(sys.argv[0]) or 'manage.py'}: {sentence}", file=sys.stderr)
    return 2


def _read_settings() -> None:
    from django.conf import settings

    settings.INSTALLED_APPS  # noqa: B018  (the first use of a setting reads them all)


def _unreachable(exc: OperationalError) -> str:
    from django.conf import settings

    reason = " ".join(str(exc).split())
    if settings.GISC_EMBEDDED_DATABASE:
        return (
            f"the embedded database does not answer ({reason}); its log is {settings.GISC_DATA_DIR}/postgres/server.log"
        )
    return f"the database of DATABASE_URL cannot be reached ({reason}); start it, or correct DATABASE_URL"


@contextmanager
def _database(command: str) -> Iterator[None]:
    """The database, reachable and migrated, for the length of the block."""
    import django
    from django.conf import settings
    from django.db import connection, connections

    from gisc import database

    data_dir = settings.GISC_DATA_DIR
    with embedded.database(data_dir) if settings.GISC_EMBEDDED_DATABASE else nullcontext():
        try:
            django.setup()
            connection.ensure_connection()
            if command in _READING_MIGRATIONS:
                database.refuse_half_migrated()
            if command not in _ANY_MIGRATIONS:
                if settings.GISC_EMBEDDED_DATABASE:
                    database.prepare()
                elif database.unapplied():
                    raise ImproperlyConfigured(
                        "the database of DATABASE_URL lacks migrations of this version; run: manage.py migrate"
                    )
            yield
            if command == "migrate" and not database.unapplied():
                database.ensure_sets()
        finally:
            connections.close_all()
