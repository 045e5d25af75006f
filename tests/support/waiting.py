"""Wait for a condition with a deadline, never for a fixed time."""

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")
_POLL_S = 0.05


def until(condition: Callable[[], Answer], timeout_s: float, what: str | Callable[[], str]) -> Answer:
    """Return the first true answer of `condition`. Fails the test after `timeout_s`, naming `what` was awaited.

    `what` as a function is asked when the time is over, for the state of things then.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() >= deadline:
            awaited = what if isinstance(what, str) else what()
            raise AssertionError(f"after {timeout_s} s it is still not true that {awaited}")
        time.sleep(_POLL_S)
