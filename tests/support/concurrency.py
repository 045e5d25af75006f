"""Threads and processes that a test counts, in place of the host's (`catalogue.seams`)."""

from concurrent.futures import Executor

from catalogue import seams


class CountedProcesses(seams.Concurrency):
    """Starts threads and processes as the host does, and notes the size of each pool of processes."""

    def __init__(self) -> None:
        self.pools: list[int] = []

    def process_pool(self, number: int) -> Executor:
        self.pools.append(number)
        return super().process_pool(number)
