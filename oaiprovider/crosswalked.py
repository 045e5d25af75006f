"""Records in a format that not every one of them has: those on which the crosswalk fails are passed over (P66).

Both lists come from here, so both show the same records (P140, S39). A row keeps its place and gets, instead of the
stored payload, its element in the format.
"""

import time
from collections.abc import Callable

from catalogue.lists import Listed, Place
from oaiprovider.formats import Format
from oaiprovider.sandbox import Busy
from oaiprovider.shown import Shown

BUDGET_S = 30.0  # chosen: a quarter of what the web server gives a request


def given(row: Listed, known: Format) -> Shown | None:
    """The row in this format; None where the record is not available in it. Raises Busy."""
    if row.packed is None or known.withdrawn:
        return Shown(row)
    payload = row.payload
    if payload is None:
        return Shown(row, None, True)
    made = known.disseminate(payload, row.identifier)
    return None if made is None else Shown(row, made)


def page(
    known: Format, read: Callable[[Place | None, int], list[Listed]], *, after: Place | None, size: int
) -> tuple[list[Shown], bool]:
    """Up to `size` records behind `after` that are available in the format, and whether another one follows them.

    `read(after, number)` reads rows with their payloads. Where so many fail that the time is over, the page ends
    early, and Busy is raised where it holds nothing yet: what failed is remembered, so the next try comes further.
    """
    deadline = time.monotonic() + BUDGET_S
    found: list[Shown] = []
    while len(found) <= size:
        wanted = size + 1 - len(found)
        rows = read(after, wanted)
        for row in rows:
            if time.monotonic() > deadline:
                if not found:
                    raise Busy(f"no record of {known.prefix} could be made within {BUDGET_S:g} s")
                return found[:size], True
            shown = given(row, known)
            if shown is not None and not shown.damaged:
                found.append(shown)
        if len(rows) < wanted:
            break
        after = rows[-1].place
    return found[:size], len(found) > size
