"""Name and count the ways in which a provider deviates from the protocol. No network, no database."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MAX_KINDS = 20  # chosen: different warnings that a run stores
_MAX_CHARACTERS = 500  # of one text: some repeat what the provider sent


class WarningCode(StrEnum):
    """What was not as it should be, for programs. The values are stored in runs and shown in status.json."""

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
    REPAIRED = "record-mended"
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


def merge_warnings(stored: Sequence[dict[str, Any]], new: Iterable[ProviderWarning]) -> list[dict[str, Any]]:
    """Add warnings to those that a run stores (code, text, count): each kind once, at most MAX_KINDS of them."""
    counts = {(each["code"], each["text"]): int(each["count"]) for each in stored}
    for warning in new:
        kind = (str(warning.code), warning.text[:_MAX_CHARACTERS])
        if kind not in counts and len(counts) >= MAX_KINDS:
            kind = (str(WarningCode.MORE), "There are more kinds of warning in the log.")
        counts[kind] = counts.get(kind, 0) + warning.count
    return [{"code": code, "text": text, "count": count} for (code, text), count in counts.items()]


def describe_warnings(stored: Iterable[dict[str, Any]]) -> list[str]:
    """Return the stored warnings of a run as sentences."""
    return [str(ProviderWarning(WarningCode(each["code"]), each["text"], each["count"])) for each in stored]
