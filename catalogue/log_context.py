"""What the log lines of a thread are about, whoever writes them: a request, a run and its link. No Django.

The threads that `catalogue.seams` starts go on with what the thread is about that asked for them.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

# The fields that every log line of this thread has at the moment.
facts: ContextVar[Mapping[str, object]] = ContextVar("log facts", default=MappingProxyType({}))


@contextmanager
def about(**fields: object) -> Iterator[None]:
    """Add fields to all log lines of this thread, and of those that it starts, during the block."""
    token = facts.set({**facts.get(), **fields})
    try:
        yield
    finally:
        facts.reset(token)
