"""Where the code runs from: a checkout, with manage.py beside it, or an installed wheel; and what differs between the two.

A wheel has the templates inside the package `gisc`, and the command `gisc` in place of manage.py. Its folder belongs to pip, so that
data are not beside the code but with the account. Reads no setting.
"""

import os
import sys
from pathlib import Path

CODE = Path(__file__).resolve().parent.parent  # where the packages are
IS_CHECKOUT = (CODE / "manage.py").is_file()
_RESOURCES = CODE if IS_CHECKOUT else CODE / "gisc"
TEMPLATES = _RESOURCES / "templates"
LOCALE = _RESOURCES / "locale"


def data_home() -> Path:
    """Return the folder in which a node has its data unless a setting names another.

    The same from whatever folder a command is run, so that no command makes an empty database beside the one that is meant.
    """
    if IS_CHECKOUT:
        return CODE
    given = Path(
        os.environ.get("XDG_DATA_HOME", "")
    )  # a relative one is to be ignored: XDG Base Directory Specification
    try:
        return (given if given.is_absolute() else Path.home() / ".local" / "share") / "gisc"
    except RuntimeError:  # an account without a home
        return Path.cwd()


def command(*arguments: str) -> list[str]:
    """Return a command of the node as a program with its arguments; it works in any folder."""
    return [sys.executable, *([str(CODE / "manage.py")] if IS_CHECKOUT else ["-P", "-m", "gisc"]), *arguments]


def module(name: str, *arguments: str) -> list[str]:
    """Return a module, run as a program, with its arguments; it works in the folder CODE."""
    # -P: a file in the folder of installed packages must not hide a module of Python.
    return [sys.executable, *([] if IS_CHECKOUT else ["-P"]), "-m", name, *arguments]
