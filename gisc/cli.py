"""The command line: Django's, with the embedded database running while a command needs it.

An error before the command begins (a bad setting, no database, a read-only directory) is one sentence on stderr and
exit status 2. Errors of the command itself look as everywhere in Django.
"""

import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import FrameType

import psycopg2.errors
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError

from catalogue import outage
from gisc import embedded

# These read only code and files, or start servers of their own.
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
# These work whether or not the database has all migrations.
_READING_MIGRATIONS = frozenset({"migrate", "showmigrations", "sqlmigrate", "squashmigrations"})
_ANY_MIGRATIONS = frozenset({"dbshell", "inspectdb", "restore", *_READING_MIGRATIONS})


def main(argv: Sequence[str]) -> int:
    """Run one command and return the exit status. A SystemExit of the command is passed on."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    # makemigrations warns if there is no database, but does not need one.
    warnings.filterwarnings("ignore", message="Got an error checking a consistent migration history")
    signal.signal(signal.SIGTERM, _exit_on_signal)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup ignores it
        signal.signal(signal.SIGHUP, _exit_on_signal)
    command = argv[1] if len(argv) > 1 else "help"
    needs_database = command not in _WITHOUT_DATABASE and not {"-h", "--help", "--version"} & set(argv[1:])
    try:
        # Without this, Django reports an unknown command if the settings cannot be read.
        _read_settings()
        with _database(command) if needs_database else nullcontext():
            execute_from_command_line(list(argv))
    except (ImproperlyConfigured, embedded.ServerFailed) as exc:
        return _print_error(str(exc))
    except OSError as exc:
        if not outage.is_disk_full(exc) or "--traceback" in argv:
            raise
        return _print_error(f"{outage.DISK_FULL} ({exc.strerror})")
    except psycopg2.errors.DiskFull as exc:  # of COPY, whose errors Django does not translate
        return _print_error(f"{outage.DISK_FULL} ({_in_one_line(exc)})")
    except OperationalError as exc:
        if outage.is_disk_full(exc):
            return _print_error(f"{outage.DISK_FULL} ({_in_one_line(exc)})")
        # Only a failure to reach the server has no SQLSTATE; others are shown with their traceback.
        if getattr(exc.__cause__, "pgcode", None) is not None or "--traceback" in argv:
            raise
        return _print_error(_describe_unreachable(exc))
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def _exit_on_signal(number: int, _: FrameType | None) -> None:
    """Exit through every `finally`, so that the embedded database is stopped unless another process needs it."""
    raise SystemExit(128 + number)


def _print_error(sentence: str) -> int:
    print(f"{os.path.basename(sys.argv[0]) or 'manage.py'}: {sentence}", file=sys.stderr)
    return 2


def _in_one_line(exc: Exception) -> str:
    return " ".join(str(exc).split())


def _read_settings() -> None:
    from django.conf import settings

    settings.INSTALLED_APPS  # noqa: B018  (the first access reads all settings)


def _describe_unreachable(exc: OperationalError) -> str:
    from django.conf import settings

    reason = _in_one_line(exc)
    if settings.GISC_EMBEDDED_DATABASE:
        return (
            f"the embedded database does not answer ({reason}); its log is {settings.GISC_DATA_DIR}/postgres/server.log"
        )
    return f"the database of DATABASE_URL cannot be reached ({reason}); start it, or correct DATABASE_URL"


@contextmanager
def _database(command: str) -> Iterator[None]:
    """Have the database running, reachable and migrated during the block."""
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
