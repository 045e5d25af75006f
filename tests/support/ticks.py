"""Ticks as if each kind had just come through."""

from catalogue import ticks


def begin_all() -> None:
    """Store that a tick of each app has come now."""
    for canary in ticks.canaries():
        ticks.begin(canary)
