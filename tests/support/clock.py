"""A clock that a test sets, in place of the host's (`catalogue.seams`)."""

from datetime import UTC, datetime, timedelta


class SetClock:
    """Stands still at `at` until the test moves it; sleeping moves it on and takes no time."""

    def __init__(self, at: datetime | float) -> None:
        self.at = at if isinstance(at, datetime) else datetime.fromtimestamp(at, UTC)
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.move(seconds)

    def move(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
