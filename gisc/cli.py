"""The command line: Django's, with the embedded database running while a command needs it.

What is no fault of the command (a bad setting, a read-only directory, a server that is away, full or refusing, be it in the
middle) is one sentence on stderr and exit status 2. Errors of the command itself look as everywhere in Django. The sentence is in the
language of the node: of what comes before Django is set up by `gisc.early_texts`, else by Django.
"""

import fcntl
import io
import os
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.core.management.base import OutputWrapper

from gisc import early_texts, embedded, running_nodes
from gisc.audit.commands import audited
from gisc.early_texts import gettext

# These read only code and files, or start servers of their own.
_WITHOUT_DATABASE = frozenset(
    {
        "bench",
        "check",
        "collectstatic",
        "copy",
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
_ANY_DATABASE = frozenset({"dbshell", "inspectdb"})
_ANY_MIGRATIONS = frozenset({"restore", *_ANY_DATABASE, *_READING_MIGRATIONS})


def main(argv: Sequence[str]) -> int:
    """Run one command and return the exit status. A SystemExit of the command is passed on."""
    _have_outputs()
    with early_texts.for_command(argv):
        try:
            try:
                return _run(argv)
            finally:
                sys.stdout.flush()
        except OSError as exc:
            if not _is_of_output(exc):
                raise
            if isinstance(exc, BrokenPipeError):  # `| head` has read enough
                return _drop_output(128 + signal.SIGPIPE)
            sentence = gettext("the output cannot be written ({reason})").format(reason=exc.strerror)
            return _drop_output(_print_error(sentence))


def _run(argv: Sequence[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    # makemigrations warns if there is no database, but does not need one.
    warnings.filterwarnings("ignore", message="Got an error checking a consistent migration history")
    signal.signal(signal.SIGTERM, _exit_on_signal)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup ignores it
        signal.signal(signal.SIGHUP, _exit_on_signal)
    command = argv[1] if len(argv) > 1 else "help"
    for argument in argv:
        if argument.startswith("--") and argument.endswith("=--"):  # argparse makes an empty list of it
            sentence = gettext("{option} has no value: write another one than --")
            return _print_error(sentence.format(option=argument[:-3]))
    needs_database = command not in _WITHOUT_DATABASE and not {"-h", "--help", "--version"} & set(argv[1:])
    try:
        if needs_database:
            running_nodes.adopt_settings()
        # Without this, Django reports an unknown command if the settings cannot be read.
        _read_settings()
        with (
            _language(argv),
            _database(command) if needs_database else nullcontext(),
            audited(argv) if needs_database else nullcontext(),
        ):
            execute_from_command_line(list(argv))
    except (ImproperlyConfigured, embedded.ServerFailed) as exc:
        return _print_error(str(exc))
    except Exception as exc:
        if isinstance(exc, OSError) and _is_of_output(exc):
            raise
        if isinstance(exc, UnicodeEncodeError) and (wrong := [each for each in argv if not _is_text(each)]):
            sentence = gettext("{argument} is no text in UTF-8; write it so, or set the locale of this shell to it")
            return _print_error(sentence.format(argument=ascii(wrong[0])))
        found = None if "--traceback" in argv else _describe(exc, argv)
        if found is None:
            raise
        return _print_error(found)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def _exit_on_signal(number: int, _: FrameType | None) -> None:
    """Exit through every `finally`, so that the embedded database is stopped unless another process needs it."""
    raise SystemExit(128 + number)


def _is_text(argument: str) -> bool:
    """Whether an argument came as UTF-8; Python keeps other bytes as halves of surrogate pairs."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def _have_outputs() -> None:
    """Let a command write into nothing where its output or its errors are closed (`>&-`)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (as long as the process runs)


def _is_of_output(exc: OSError) -> bool:
    """Whether an error came up where a command wrote its output, which is no word about what the command did."""
    writer = [frame.f_code for frame, _line in traceback.walk_tb(exc.__traceback__)][-1]
    return writer is OutputWrapper.write.__code__ or _is_output_broken()


def _is_output_broken() -> bool:
    """Whether the output or the errors take nothing more. What was not written is tried again, as far as Python keeps it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
            descriptor = stream.fileno()
        except io.UnsupportedOperation:  # no file
            continue
        except OSError:
            return True
        is_for_reading = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
        poll = select.poll()
        poll.register(descriptor, 0)
        # POLLERR of a pipe: nobody reads it.
        if is_for_reading or any(events & select.POLLERR for _, events in poll.poll(0)):
            return True
    return False


def _drop_output(status: int) -> int:
    """Drop what was not written, so that Python does not try again when the process exits; return the status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _print_error(sentence: str) -> int:
    print(f"{os.path.basename(sys.argv[0]) or 'manage.py'}: {sentence}", file=sys.stderr)
    return 2


def _read_settings() -> None:
    from django.conf import settings

    settings.INSTALLED_APPS  # noqa: B018  (the first access reads all settings)


def _language(argv: Sequence[str]) -> AbstractContextManager[None]:
    """Set Django up, without which it has no language but English, and return the block in which a command speaks."""
    import django

    from gisc import language

    django.setup()
    return language.for_command(argv)


def _describe(exc: Exception, argv: Sequence[str]) -> str | None:
    """Return the sentence for an error that a server is the cause of, in the language of the command."""
    from django.apps import apps

    from gisc import command_errors  # its sentences are marked for translation, which reads the settings

    with _language(argv) if apps.ready else nullcontext():
        return command_errors.describe(exc)


@contextmanager
def _database(command: str) -> Iterator[None]:
    """Have the database running, reachable and migrated during the block."""
    from django.conf import settings
    from django.db import connection, connections

    from gisc import database

    data_dir = settings.GISC_DATA_DIR
    with embedded.database(data_dir) if settings.GISC_EMBEDDED_DATABASE else nullcontext():
        try:
            connection.ensure_connection()
            if command in _ANY_MIGRATIONS - _ANY_DATABASE:  # the others look for it with the migrations
                database.refuse_unfit()
            if command in _READING_MIGRATIONS:
                database.refuse_half_migrated()
            if command not in _ANY_MIGRATIONS:
                if settings.GISC_EMBEDDED_DATABASE:
                    database.prepare()
                elif database.unapplied():
                    raise ImproperlyConfigured(
                        gettext("the database of DATABASE_URL lacks migrations of this version; run: manage.py migrate")
                    )
            yield
            if command == "migrate" and not database.unapplied():
                database.ensure_sets()
        finally:
            connections.close_all()
