"""Print tables of commands: as wide as a terminal, and as wide as their texts where a program or a file takes them."""

import shutil
from typing import Any

from rich.console import Console

_UNBOUNDED = 10_000  # columns; a table takes what it needs


def console(stdout: Any) -> Console:
    """Return a console that writes texts as they are: no brackets or colons of an address or identifier mean anything."""
    # Of no terminal: COLUMNS, if it is set.
    width = None if stdout.isatty() else shutil.get_terminal_size((_UNBOUNDED, 1)).columns
    return Console(file=stdout, width=width, markup=False, emoji=False, highlight=False)
