"""What an operator should know of how a provider answers: kinds of remark, and how those of a run are added up. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MAX_KINDS = 20  # chosen: different remarks that are kept of a run
_MAX_CHARACTERS = 500  # of one: some repeat what the provider said


class WarningCode(StrEnum):
    """What was not as it should be, for programs."""

    VERSION = "protocol-version"
    IDENTIFY = "identify-unusable"
    METHOD = "get-not-understood"
    EMPTY_PAGE = "empty-page"
    END = "list-ended-oddly"
    TOKEN = "token-needs-prefix"
    TOKENS = "several-tokens"
    GRANULARITY = "granularity-refused"
    STATUS = "http-status"
    CONTENT_TYPE = "content-type"
    MOVED = "moved"
    CONTRADICTION = "records-and-error"
    MENDED = "record-mended"
    SURROUNDINGS = "page-mended"
    OTHER_SET = "other-set"
    TOO_OLD = "older-than-asked"
    DATESTAMP = "datestamp"
    LIVE_AND_DELETED = "live-and-deleted"
    ABOUT = "about-left-out"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class ProviderWarning:
    """A sentence about a provider, its code, and how often it was true."""

    code: WarningCode
    text: str
    count: int = 1

    def __str__(self) -> str:
        return f"{self.text[:-1]} ({self.count} times)." if self.count > 1 else self.text


def add_up(kept: Sequence[dict[str, Any]], more: Iterable[ProviderWarning]) -> list[dict[str, Any]]:
    """Remarks as a run keeps them (code, text, count), with more of them: each kind once, MAX_KINDS at most."""
    found = {(each["code"], each["text"]): int(each["count"]) for each in kept}
    for remark in more:
        kind = (str(remark.code), remark.text[:_MAX_CHARACTERS])
        if kind not in found and len(found) >= MAX_KINDS:
            kind = (str(WarningCode.MORE), "There are more kinds of remark in the log.")
        found[kind] = found.get(kind, 0) + remark.count
    return [{"code": code, "text": text, "count": count} for (code, text), count in found.items()]


def sentences(kept: Iterable[dict[str, Any]]) -> list[str]:
    """The remarks of a run as they are read."""
    return [str(ProviderWarning(WarningCode(each["code"]), each["text"], each["count"])) for each in kept]
