"""Who changes records at the moment, and why: a person in the administration or on the command line. No Django.

`gisc` says who, for the length of a request or of a command; a worker that harvests says nothing. The threads that
`catalogue.seams` starts act for the same person.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Acting(NamedTuple):
    """`who`: the account, or the user of the operating system. `act`: of `models.RecordVersion.Act`. `reason`: as typed."""

    who: str = ""
    act: str = ""
    reason: str = ""


_NOBODY = Acting()
_current: ContextVar[Acting] = ContextVar("acting", default=_NOBODY)


def current() -> Acting:
    """Return who acts in this thread; all is empty while nobody does."""
    return _current.get()


@contextmanager
def acting(**fields: str) -> Iterator[None]:
    """Say who acts, what, or why, for the length of the block; what is not named stays as it is."""
    token = _current.set(_current.get()._replace(**fields))
    try:
        yield
    finally:
        _current.reset(token)
