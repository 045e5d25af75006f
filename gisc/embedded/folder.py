"""The data directory: create it, generate the secret key and a new one, find directories for the sockets."""

import hashlib
import logging
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from gisc.early_texts import gettext

# The path of a socket holds 107 bytes on Linux and 103 on macOS.
_SOCKET_BYTES = 100
logger = logging.getLogger(__name__)
KEY, FORMER_KEYS = "secret_key", "secret_key_fallbacks"
_SECRETS = (KEY, FORMER_KEYS, "admin_password")


class ServerFailed(Exception):
    """An embedded server does not start or stop; the message is one sentence that names its log."""


def prepare(data_dir: Path) -> None:
    """Create the data directory if it is missing. Raises ImproperlyConfigured if nothing can be written there."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=data_dir):
            pass
    except OSError as exc:
        sentence = gettext(
            "GISC_DATA_DIR is {folder}, where nothing can be written ({reason}); "
            "name a directory in which the node's account may create files"
        )
        raise ImproperlyConfigured(sentence.format(folder=repr(str(data_dir)), reason=exc.strerror)) from exc


def restrict(data_dir: Path, *, quiet: bool = False) -> None:
    """Take from other accounts what they may do in the data directory; unless `quiet`, the log says where they had rights.

    It has the node's key, the first password, what was uploaded, and the sockets of servers that ask for no password. Started as root, the
    embedded PostgreSQL runs under an account of its own, which must pass through: then others may, too, and see nothing.
    """
    passing = 0o011 if os.geteuid() == 0 else 0
    opened = [path for path in data_dir.iterdir() if not path.is_symlink() and _take_rights(path)]
    if _take_rights(data_dir, passing):
        opened.insert(0, data_dir)
    if opened and not quiet:
        logger.warning(
            "other accounts of this host had rights in the data directory; they have none any more",
            extra={"paths": ", ".join(map(str, opened))},
        )


def _take_rights(path: Path, but: int = 0) -> bool:
    """Take all rights of group and others from a path, `but` these; whether strangers had more, or the group in a secret."""
    try:
        mode = stat.S_IMODE(path.lstat().st_mode)
        wanted = mode & ~0o077 | but
        if mode == wanted:
            return False
        path.chmod(wanted)
    except OSError as exc:  # another account's, or it has just gone
        if path.exists():
            logger.warning(
                "other accounts have rights in the data directory, which cannot be taken away; give it to the account of the node",
                extra={"path": str(path), "reason": exc.strerror},
            )
        return False
    told = 0o077 if path.name in _SECRETS else 0o007
    return bool(mode & told & ~but)


def secret_key(data_dir: Path) -> str:
    """Return the node's SECRET_KEY: generated at the first call, then always the same. Safe against two first calls."""
    file = data_dir / KEY
    if not file.exists():
        prepare(data_dir)
        draft = _draft(data_dir, secrets.token_urlsafe(64))
        try:
            with suppress(FileExistsError):
                os.link(draft, file)  # which, unlike rename, never replaces a file
        finally:
            os.unlink(draft)
    return _read_keys(file)


def former_keys(data_dir: Path) -> list[str]:
    """Return the keys that the node had before, the newest first: they open what is sealed and signed with them."""
    file = data_dir / FORMER_KEYS
    return _read_keys(file).split() if file.exists() else []


def rotate_key(data_dir: Path) -> None:
    """Give the node a new key, and keep the present one among the former ones. Processes that run have the present one.

    The former keys are on disk before the new one is, so that no crash loses a key.
    """
    kept = dict.fromkeys([secret_key(data_dir), *former_keys(data_dir)])
    for name, text in ((FORMER_KEYS, "".join(f"{key}\n" for key in kept)), (KEY, secrets.token_urlsafe(64))):
        os.replace(_draft(data_dir, text), data_dir / name)
        _sync(data_dir)


def forget_former_keys(data_dir: Path) -> None:
    """Remove the keys that the node had before."""
    (data_dir / FORMER_KEYS).unlink(missing_ok=True)
    _sync(data_dir)


def _draft(data_dir: Path, text: str) -> str:
    """Write a secret into a new file, which its owner alone may read (mkstemp), and which is on disk then."""
    handle, draft = tempfile.mkstemp(dir=data_dir, prefix=".secret_key-")
    with os.fdopen(handle, "w", encoding="ascii") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    return draft


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_keys(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError as exc:
        sentence = gettext(
            "the node's secret key {file} cannot be read ({reason}); "
            "start the node under the account that owns its data directory, or set SECRET_KEY"
        )
        raise ImproperlyConfigured(sentence.format(file=repr(str(file)), reason=exc.strerror)) from exc


def socket_dir(home: Path, name: str) -> Path:
    """Return the directory of a server's socket: its home, or a short path in /tmp if the home's path is too long."""
    if len(os.fsencode(home / name)) <= _SOCKET_BYTES:
        return home
    # Not tempfile.gettempdir(): all processes of the node must agree, whatever their TMPDIR.
    # `make_socket_dir` refuses one that is another account's.
    return Path("/tmp") / f"gisc-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"  # nosec B108


def make_socket_dir(path: Path, owner: int) -> None:
    """Create a socket directory that only `owner` may enter, because the servers ask for no password."""
    path.mkdir(mode=0o700, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(path, owner, -1)
    if path.is_symlink() or path.stat().st_uid != owner or path.stat().st_mode & 0o077:
        raise ServerFailed(
            gettext("{path} is not a directory of the node's own; remove it and start again").format(path=path)
        )
