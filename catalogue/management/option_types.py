"""Types of the options of commands: what a person or a script has typed, or a sentence that says what to write."""

from argparse import ArgumentTypeError
from collections.abc import Callable

from django.utils.translation import gettext


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return a function that reads a whole number from `low` to `high`. It raises ArgumentTypeError for anything else."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
            raise ArgumentTypeError(
                gettext("{text!r} is no whole number from {low} to {high}").format(text=text[:40], low=low, high=high)
            )
        return int(text)

    return read
