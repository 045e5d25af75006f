"""Write commands that change something into the audit log, with the user of the operating system."""

import getpass
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

logger = logging.getLogger(__name__)
# Commands by their first words; None: whatever follows.
_ACTS: dict[str, frozenset[str] | None] = {
    "administrator": None,
    "axes_reset": None,
    "axes_reset_username": None,
    "axes_reset_ip": None,
    "catalogue": frozenset({"restamp", "purge", "dictionary"}),
    "centres": frozenset({"import"}),
    "changepassword": None,
    "conflict": frozenset({"keep", "silence", "hand-over", "delete", "take-over", "undo"}),
    "createsuperuser": None,
    "harvest": None,
    "ingest": None,
    "journal": frozenset({"replay"}),
    "link": frozenset(
        {
            *(
                "add",
                "access",
                "schedule",
                "identifiers",
                "visible",
                "cancel",
                "alternative",
                "switch",
                "accept-move",
                "remove",
            ),
            *("enable", "disable", "reset", "import"),
        }
    ),
    "profile": None,
    "record": frozenset({"replace", "restore"}),
    "restore": None,
    "second_factor": frozenset({"reset"}),
    "secrets": frozenset({"rotate", "reseal", "forget"}),
    "set": frozenset(
        {"add", "change", "remove", "move", "stop-feeding", "include", "exclude", "search", "category", "visible"}
    ),
    "withdraw": None,
}
_ONLY_WITH_CHANGES = ("administrator",)  # each start of the containers runs it
_DONE = "done"
_SECRET_WORDS = ("password", "secret", "token", "key")


def is_act(argv: Sequence[str]) -> bool:
    """Whether a command is one that the audit log has."""
    if len(argv) < 2 or argv[1] not in _ACTS:
        return False
    below = _ACTS[argv[1]]
    return below is None or any(word in below for word in argv[2:])


@contextmanager
def audited(argv: Sequence[str]) -> Iterator[None]:
    """Write the command that the block runs into the log, also when it fails. Nothing is done for one that only reads."""
    from catalogue import acting
    from gisc.audit import collecting

    if not is_act(argv):
        with nullcontext():
            yield
        return
    with collecting.collecting() as collected, acting.acting(who=_user()):
        answer = _DONE
        try:
            yield
        except BaseException as exc:
            answer = f"ended with {type(exc).__name__}"
            raise
        finally:
            _write(argv, answer, collected.changes)


def _write(argv: Sequence[str], answer: str, changes: object) -> None:
    """Write the line. The command has been run by now: where the log cannot be written, that is in the node's log.

    Of a command that has failed as well, nothing was changed, and its own sentence says why.
    """
    from django.db import Error

    from catalogue import seams
    from gisc.audit.models import Act

    try:
        found = changes()  # type: ignore[operator]
        if not found and argv[1] in _ONLY_WITH_CHANGES:
            return
        first = found[0] if found else {}
        Act.objects.create(
            at=seams.now(),
            who=_user(),
            source=Act.Source.COMMAND_LINE,
            act=f"manage.py {' '.join(hide_secrets(argv[1:]))}"[:500],
            model=first.get("model", ""),
            object_id=first.get("pk", ""),
            object_name=first.get("name", ""),
            changes=found,
            answer=answer,
        )
    except Error as exc:
        level = logging.WARNING if answer == _DONE else logging.DEBUG
        logger.log(level, "the audit log could not be written", extra={"reason": " ".join(str(exc).split())})


def hide_secrets(words: Sequence[str]) -> list[str]:
    """The words of a command without the values of options that are secret, and without passwords in URLs."""
    shown: list[str] = []
    hides_next = False
    for word in words:
        name, has_value, _value = word.partition("=")
        is_secret = name.startswith("--") and any(each in name for each in _SECRET_WORDS)
        if hides_next and not word.startswith("--"):
            shown.append("***")
        elif is_secret and has_value:
            shown.append(f"{name}=***")
        else:
            shown.append(_without_password(word))
        hides_next = is_secret and not has_value
    return shown


def _without_password(word: str) -> str:
    scheme, separator, rest = word.partition("://")
    account, at, place = rest.partition("@")
    return f"{scheme}://***@{place}" if separator and at and "/" not in account else word


def _user() -> str:
    """The user of the operating system; whoever became root by sudo is named, too."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        name = str(os.getuid())
    behind = os.environ.get("SUDO_USER")
    return f"{name} (by sudo: {behind})"[:150] if behind else name[:150]
