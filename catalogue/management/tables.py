"""Print tables of commands: as wide as a terminal, and as wide as their texts where a program or a file takes them."""

import os
from typing import Any

from rich.console import Console

_UNBOUNDED = 10_000  # columns; a table takes what it needs


def console(stdout: Any) -> Console:
    """Return a console that writes texts as they are: no brackets or colons of an address or identifier mean anything."""
    is_bounded = stdout.isatty() or "COLUMNS" in os.environ
    return Console(file=stdout, width=None if is_bounded else _UNBOUNDED, markup=False, emoji=False, highlight=False)
