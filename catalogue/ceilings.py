"""How many records may go because they are missing where they came from, before a person has to look. Pure.

The comparisons of harvests and watched folders obey it: a provider, or a disk, that has lost its content is not followed.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The larger of the two counts."""

    records: int = 100
    percent: int = 1  # of all that there are

    def number(self, live: int) -> int:
        """Return how many may go of so many."""
        return max(self.records, live * self.percent // 100)


DEFAULTS = Ceiling()
