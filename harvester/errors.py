"""What went wrong, sorted by what to do next.

HarvestError
 |- Retry           the same page again, after a while (H21, H26); the run fails when the tries are spent
 |   |- Unreachable   no answer, time-out, reset, 408, 425, 429, 5xx
 |   `- BrokenReply   cut short, too large, or not an OAI-PMH document
 |- TokenLost       badResumptionToken, or any error in the middle of a list: the list again from its `from` (H22)
 |- Endless         a list that does not come to its end (H23): the run fails, a person must look at the provider
 `- Refused         badArgument, cannotDisseminateFormat, 401, 403, 404: a person must look at the link (H2, H28)
"""

from collections.abc import Collection


class HarvestError(Exception):
    """A harvest cannot go on as it is; the text tells an operator why. `codes`: the OAI-PMH error codes given."""

    def __init__(self, message: str, *, codes: Collection[str] = ()) -> None:
        super().__init__(message)
        self.codes = frozenset(codes)


class Retry(HarvestError):
    """The same request may succeed later. `retry_after_s` is the provider's own wish, in seconds, if it gave one."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Unreachable(Retry):
    """The provider did not answer, or said that it cannot now."""


class BrokenReply(Retry):
    """What came is not a whole OAI-PMH answer to the question."""


class TokenLost(HarvestError):
    """The list cannot be continued; it can be started again."""


class Endless(HarvestError):
    """The list repeats itself, or goes on beyond any sense."""


class Refused(HarvestError):
    """The provider understood and declined; asking again would not help."""
