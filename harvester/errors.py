"""Errors of a harvest, sorted by what to do next.

HarvestError
 |- Retry               the same page again, after a while (H21, H26); the run fails after schedule.MAX_ATTEMPTS
 |   |- Unreachable       no answer, time-out, reset, 408, 425, 429, 5xx
 |   `- BrokenReply       cut short, or not an OAI-PMH document
 |- TokenLost           badResumptionToken, or any error in the middle of a list: the list again from its `from` (H22)
 |- Endless             a list that does not end (H23): the run fails, an operator must look at the provider
 `- RefusedByProvider   badArgument, cannotDisseminateFormat, 401, 403, 404: an operator must look at the link (H2, H28)
     `- TooLarge          a page above the limit: the list again by headers, and each record by GetRecord

The class says what to do next, the code what it was: one code may come in two classes.
"""

from collections.abc import Collection
from typing import Any

from catalogue.reasons import Facts
from harvester import messages
from harvester.messages import FaultCode

__all__ = [
    "BrokenReply",
    "Endless",
    "FaultCode",
    "HarvestError",
    "RefusedByProvider",
    "Retry",
    "TokenLost",
    "TooLarge",
    "Unreachable",
    "is_fault_of_page",
]


class HarvestError(Exception):
    """A harvest cannot go on; `code` and `facts` say why, and `str()` is the sentence of them for an operator.

    `codes`: the OAI-PMH error codes that the provider gave. `status`: the HTTP status, if it was not 200.
    `moved_to`: the base URL that a permanent redirect named on the way (H27).
    """

    def __init__(
        self,
        code: FaultCode,
        facts: Facts | None = None,
        *,
        codes: Collection[str] = (),
        status: int = 200,
        moved_to: str = "",
    ) -> None:
        self.code = code
        self.facts = messages.limit_facts(facts or {})
        super().__init__(code, self.facts)
        self.codes = frozenset(codes)
        self.status = status
        self.moved_to = moved_to

    def __str__(self) -> str:
        return messages.describe_fault(self.code, self.facts)

    def to_json(self) -> dict[str, Any]:
        """Return the fault as it is stored: its code and its facts."""
        return {"code": str(self.code), "facts": self.facts}


class Retry(HarvestError):
    """The same request may succeed later. `retry_after_s`: the provider's Retry-After in seconds, if it gave one."""

    def __init__(
        self, code: FaultCode, facts: Facts | None = None, *, retry_after_s: float | None = None, status: int = 200
    ) -> None:
        super().__init__(code, facts, status=status)
        self.retry_after_s = retry_after_s


class Unreachable(Retry):
    """The provider did not answer, or said that it cannot now."""


class BrokenReply(Retry):
    """The answer is not a complete OAI-PMH answer to the request."""


class TokenLost(HarvestError):
    """The list cannot be continued; it can be started again."""


class Endless(HarvestError):
    """The list repeats itself, or is much longer than announced."""


class RefusedByProvider(HarvestError):
    """The provider refused the request; repeating it would not help."""


class TooLarge(RefusedByProvider):
    """The answer is larger than a page may be; the records can still be fetched one by one."""


def is_fault_of_page(error: HarvestError, *, pages: int, is_identified: bool) -> bool:
    """Whether one page of whole records cannot be had, from a provider that answers other requests (F22, F89).

    `pages`: how many came before it. `is_identified`: Identify at least was answered.
    """
    has_failed = isinstance(error, Unreachable) and error.status in (500, 502, 504)
    breaks_off = error.code in (FaultCode.ANSWER_CUT_SHORT, FaultCode.ANSWER_INCOMPLETE)
    if pages == 0:
        return isinstance(error, TooLarge) or (is_identified and (has_failed or breaks_off))
    return isinstance(error, TooLarge | BrokenReply) or has_failed
