"""Wait for a condition with a deadline, never for a fixed time."""

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")
_POLL_S = 0.05
_PATIENCE = 3  # the machine may do other things


def until(condition: Callable[[], Answer], timeout_s: float, what: str | Callable[[], str]) -> Answer:
    """Return the first true answer of `condition`. Fails the test in the end, naming `what` was awaited.

    `timeout_s` is what it may take on a machine of two cores that runs nothing but the tests, and is multiplied for others.
    `what` as a function is asked when the time is over, for the state of things then.
    """
    deadline = time.monotonic() + timeout_s * _PATIENCE
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() >= deadline:
            awaited = what if isinstance(what, str) else what()
            raise AssertionError(f"after {timeout_s * _PATIENCE} s it is still not true that {awaited}")
        time.sleep(_POLL_S)
