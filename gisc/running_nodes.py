"""The nodes that run from this installation: each says where it is, and a command next to it takes its settings over.

Without this a command with an environment of its own would start another, empty database, or write into the journal of another
node. A node's file has no secret: of a database or a Redis outside it has host, port and name. The file counts as long as the
node has the lock of its data directory. Imports no app, and reads no setting before it is called.
"""

import hashlib
import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from django.core.exceptions import ImproperlyConfigured

from gisc import file_locks, installation
from gisc.early_texts import gettext

_FOLDER = installation.data_home() / ".nodes"
LOCK = "node.lock"  # of the data directory
GLANCE_S = 0.5  # a command that looks whether a node runs has its lock for a moment
# What a node and the commands next to it must agree on, or what these say of the node.
_SHARED = (
    *("GISC_NAME", "GISC_DATA_DIR", "GISC_JOURNAL_DIR", "HOST", "PORT", "GISC_BASE_URL", "GISC_BACKUP_DIR"),
    *("GISC_TOMBSTONE_RETENTION_DAYS", "GISC_REPOSITORY_NAME", "GISC_ADMIN_EMAIL", "GISC_SCHEMA_DIR"),
)
_PATHS = ("GISC_DATA_DIR", "GISC_JOURNAL_DIR", "GISC_BACKUP_DIR")
_OUTSIDE = ("DATABASE_URL", "REDIS_URL")


class RunningNode(NamedTuple):
    """The settings of a node, as environment variables have them, and the places of what is outside, by their variables."""

    variables: dict[str, str]
    outside: dict[str, str]

    def __str__(self) -> str:
        return f"{self.variables['GISC_NAME']} (GISC_DATA_DIR={shlex.quote(self.variables['GISC_DATA_DIR'])})"

    def differs_in(self, environment: dict[str, str]) -> list[str]:
        """The variables that are set to something else there."""
        return [
            name
            for name, value in environment.items()
            if value and name in self.variables and _normal(name, value) != self.variables[name]
        ] + [name for name in _OUTSIDE if environment.get(name) and _place(environment[name]) != self.outside.get(name)]


@contextmanager
def announced(folder: Path = _FOLDER) -> Iterator[None]:
    """Announce this node, which has the lock of its data directory, during the block."""
    from django.conf import settings

    variables = {name: _as_text(getattr(settings, name)) for name in _SHARED}
    file = folder / f"{hashlib.sha256(os.fsencode(settings.GISC_DATA_DIR)).hexdigest()[:16]}.json"
    outside = {name: _place(os.environ[name]) for name in _OUTSIDE if os.environ.get(name, "").strip()}
    draft = file.with_suffix(f".{os.getpid()}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps({"variables": variables, "outside": outside}, indent=2), encoding="utf-8")
        draft.replace(file)
    except OSError:
        pass  # an installation in which nothing may be written: commands need the variables there
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink()


def adopt_settings(folder: Path = _FOLDER) -> None:
    """Set the variables of this process that are not set to those of the node that it is meant for, if one runs.

    That is the one running node with which the variables that are set agree. Raises ImproperlyConfigured where it cannot be
    known which one is meant, or where a variable differs that both must share.
    """
    given = {name: os.environ[name].strip() for name in (*_SHARED, *_OUTSIDE) if os.environ.get(name, "").strip()}
    nodes = _running(folder)
    in_place = [node for node in nodes if "GISC_DATA_DIR" in given and "GISC_DATA_DIR" not in node.differs_in(given)]
    meant = in_place or [node for node in nodes if not node.differs_in(given)]
    if not meant:
        return
    if len(meant) > 1:
        sentence = gettext(
            "{number} nodes run from here: {nodes}; set GISC_DATA_DIR to that of the node that is "
            "meant, or to another directory"
        )
        raise ImproperlyConfigured(sentence.format(number=len(meant), nodes=", ".join(map(str, meant))))
    (node,) = meant
    if wrong := [name for name in node.differs_in(given) if name in ("GISC_NAME", "GISC_JOURNAL_DIR", *_OUTSIDE)]:
        # Of the node's value alone is known that it has no password.
        sentence = gettext(
            "{name} is not that of the node that runs in {folder} ({value}); set it as for the node, or set GISC_DATA_DIR to "
            "that of the node that is meant"
        )
        value = (node.variables | node.outside).get(wrong[0]) or gettext("none")
        raise ImproperlyConfigured(sentence.format(name=wrong[0], folder=node.variables["GISC_DATA_DIR"], value=value))
    if missing := [name for name in node.outside if name not in given]:
        sentence = gettext(
            "the node {node} runs with {name}, which is not set here; set it as for the node, or set GISC_DATA_DIR to "
            "another directory"
        )
        raise ImproperlyConfigured(sentence.format(node=node, name=missing[0]))
    for name, value in node.variables.items():
        os.environ.setdefault(name, value)


def _running(folder: Path) -> list[RunningNode]:
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
            variables = {name: str(told["variables"][name]) for name in _SHARED}
            node = RunningNode(
                variables, {name: str(told["outside"][name]) for name in _OUTSIDE if name in told["outside"]}
            )
        except (OSError, ValueError, LookupError, TypeError):
            continue  # the node has just ended, or another version wrote it
        if _is_locked(Path(variables["GISC_DATA_DIR"]) / LOCK):
            found.append(node)
    return found


def _is_locked(file: Path) -> bool:
    if not file.exists():
        return False
    lock = file_locks.FileLock(file)
    try:
        lock.acquire(shared=True)
    except file_locks.LockTaken:
        return True
    except OSError:
        return False
    lock.release()
    return False


def _normal(name: str, value: str) -> str:
    return str(Path(value).resolve()) if name in _PATHS else value.rstrip("/") if name == "GISC_BASE_URL" else value


def _place(url: str) -> str:
    """What a URL names, without user, password and options: `host:port/name`."""
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or parse_qs(parts.query).get("host", [""])[0]
        return f"{host}:{parts.port or ''}{parts.path}"
    except ValueError:
        return ""


def _as_text(value: object) -> str:
    return "" if value is None else str(value)
