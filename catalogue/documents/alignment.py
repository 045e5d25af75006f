"""Align two sequences: which items of one stand for which of the other, within a bounded number of steps. No I/O.

First by the items that are in each once (as the patience difference of bazaar), then, between those, by the shortest edit
script (Myers 1986). `difflib` is not used because its worst case is cubic, and nothing bounds it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

MAX_EDITS = 300  # chosen: of one stretch without unique items; above it the whole stretch counts as replaced


@dataclass(slots=True)
class Budget:
    """How many steps may still be made; what is not aligned when they are used up counts as replaced."""

    steps: int


def align(before: Sequence[Hashable], after: Sequence[Hashable], budget: Budget) -> list[tuple[int, int]]:
    """Return the positions of the items that correspond, in order."""
    pairs: list[tuple[int, int]] = []
    stretches = [(0, len(before), 0, len(after))]
    while stretches:
        begin, end, other, other_end = stretches.pop()
        while begin < end and other < other_end and before[begin] == after[other]:
            pairs.append((begin, other))
            begin, other = begin + 1, other + 1
        while begin < end and other < other_end and before[end - 1] == after[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            pairs.append((end, other_end))
        budget.steps -= end - begin + other_end - other
        if begin == end or other == other_end or budget.steps < 0:
            continue
        left, right = before[begin:end], after[other:other_end]
        anchors = _common_unique(left, right)
        if not anchors:
            pairs += [(begin + at, other + there) for at, there in _shortest_edit(left, right, budget)]
            continue
        last, last_other = begin, other
        for at, there in anchors:
            pairs.append((begin + at, other + there))
            stretches.append((last, begin + at, last_other, other + there))
            last, last_other = begin + at + 1, other + there + 1
        stretches.append((last, end, last_other, other_end))
    pairs.sort()
    return pairs


def _common_unique(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the longest series, rising in both, of items that are in each sequence exactly once."""
    often, often_after = Counter(before), Counter(after)
    where = {item: at for at, item in enumerate(after) if often_after[item] == 1 and often.get(item) == 1}
    candidates = [(at, where[item]) for at, item in enumerate(before) if item in where]
    # Longest rising subsequence of the second positions, by patience sorting.
    tops: list[int] = []
    top_candidates: list[int] = []
    previous: list[int] = []
    for number, (_, there) in enumerate(candidates):
        pile = bisect_left(tops, there)
        previous.append(top_candidates[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(there)
            top_candidates.append(number)
        else:
            tops[pile], top_candidates[pile] = there, number
    series: list[tuple[int, int]] = []
    number = top_candidates[-1] if top_candidates else -1
    while number >= 0:
        series.append(candidates[number])
        number = previous[number]
    return series[::-1]


def _shortest_edit(before: Sequence[Hashable], after: Sequence[Hashable], budget: Budget) -> list[tuple[int, int]]:
    """Return the pairs that the shortest edit script leaves; none if it has more than MAX_EDITS edits."""
    if not set(before) & set(after):
        return []
    size, other_size = len(before), len(after)
    furthest = {1: 0}  # by diagonal: how far `before` is passed
    trace: list[dict[int, int]] = []
    for edits in range(min(size + other_size, MAX_EDITS) + 1):
        trace.append(furthest.copy())
        for diagonal in range(-edits, edits + 1, 2):
            at = _step(furthest, diagonal, edits)
            begun = at
            while at < size and 0 <= at - diagonal < other_size and before[at] == after[at - diagonal]:
                at += 1
            budget.steps -= 1 + at - begun
            furthest[diagonal] = at
            if at >= size and at - diagonal >= other_size:
                return _walk_back(trace, size, other_size)
        if budget.steps < 0:
            break
    return []


def _step(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    if diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return furthest[diagonal + 1]
    return furthest[diagonal - 1] + 1


def _walk_back(trace: list[dict[int, int]], at: int, there: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        furthest, diagonal = trace[edits], at - there
        if diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]):
            came_from = diagonal + 1
        else:
            came_from = diagonal - 1
        begun = furthest[came_from] if edits else 0
        begun_other = begun - came_from if edits else 0
        while at > begun and there > begun_other and at > 0 and there > 0:
            at, there = at - 1, there - 1
            pairs.append((at, there))
        at, there = begun, begun_other
    return pairs[::-1]
