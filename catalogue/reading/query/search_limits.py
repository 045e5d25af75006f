"""How far searches count hits and look for them."""

from dataclasses import dataclass

from catalogue.limits import Replaceable


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How far hits are counted and looked for. All are chosen, with a million records."""

    exact: int = 10_000  # so many hits are always read, sorted and counted
    margin: int = 6_000  # so many more are read, as it is not known before how many there are, nor who may see them
    unsure: int = 2_500  # so many more are expected, and there are no more than `exact`: a word may have several stems
    of_hits: int = 2_000  # of which it is estimated what all are distributed over
    looked_for: int = 300  # where so many are expected, the newest records may have a page of them
    of_tier: int = 3_000  # where so many are of a tier, the newest records have some of them
    sample: int = 5_000  # records of which an estimate is made
    # To compare one term asked for with those of a hit costs so many ids read by an index. A quarter was measured (50,000 records of 80
    # terms); it is doubled, as PostgreSQL expects less than half of the hits of several conditions.
    ids_for_comparison: float = 0.5
    ids_for_estimate: int = 500  # so many are read while PostgreSQL is asked how many it expects
    newest: int = 1_000  # hits that the administration gets, where they are more than are counted
    # Records that are looked through, newest first, before the database sorts all hits.
    chunks: tuple[int, ...] = (400, 4_000)
    # Looked through as well where several times the hits of a page are expected among so many.
    large_chunk: int = 20_000
    timeout_ms: int = (
        4_000  # of a statement: below the limit of public pages, so that the page can say how to ask for less
    )

    @property
    def looked_through(self) -> int:
        """So many of the newest records are looked through at once, where the hits among the first of them say that a page needs so
        many. Chosen: of a million records 4,000 took 33 ms and 20,000 took 272 ms, and to read 12,000 hits of several conditions 336."""
        return 2 * self.chunks[-1]

    @property
    def read(self) -> int:
        """How many ids the index returns at most."""
        return self.exact + self.margin

    @property
    def surely_few(self) -> int:
        """Where PostgreSQL expects fewer of several conditions together, they are read without a sample before.

        It multiplies their shares, as if they had nothing to do with each other: of words in a box and a time, a million records had
        up to 4.2 times as many hits.
        """
        return self.exact * 3 // 10

    @property
    def likely(self) -> int:
        """Where so many hits are expected, they are not counted: it would take longer than to look through."""
        return 2 * (self.exact + 1_000)


LIMITS = Replaceable(SearchLimits())
