"""Replace the limits of a noun for the length of a block, where no caller can pass them.

The limits of a noun are a frozen dataclass beside the code that obeys them, with the reason of each value. They reach
that code in one of two ways:

- A function takes them as its parameter `limits`, whose default is `DEFAULTS`; a single number is a keyword with its
  constant as the default.
- Behind a Celery task, a view or the admin no caller passes anything. Such a noun has `LIMITS = Replaceable(...)` and
  reads `LIMITS.in_force` when it needs a value; pure functions take them as a parameter all the same.

Limits that an operator may want to choose are settings instead.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LimitsOfNoun = TypeVar("LimitsOfNoun", bound="DataclassInstance")


class Replaceable(Generic[LimitsOfNoun]):
    """The limits of one noun that are in force in this process, in all its threads."""

    def __init__(self, defaults: LimitsOfNoun) -> None:
        self.in_force = defaults

    @contextmanager
    def replaced(self, **values: Any) -> Iterator[LimitsOfNoun]:
        """Put other values of these fields in force for the length of the block. Raises TypeError for an unknown field."""
        before = self.in_force
        self.in_force = dataclasses.replace(before, **values)
        try:
            yield self.in_force
        finally:
            self.in_force = before
