"""Count the ways in which a provider deviates from the protocol, for the row of the run. No network, no database."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalogue.reasons import Facts
from harvester import messages
from harvester.messages import WarningCode

__all__ = [
    "MAX_KINDS",
    "ProviderWarning",
    "WarningCode",
    "WarningCounts",
    "count_warning",
    "describe_warnings",
    "merge_warnings",
    "report_warnings",
]

MAX_KINDS = 20  # chosen: different warnings that a run stores
_MAX_CHARACTERS = 500  # of one text in the facts: some repeat what the provider sent

Kind = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ProviderWarning:
    """A deviation of a provider: its code and facts, and how often it was seen."""

    code: WarningCode
    facts: Facts = field(default_factory=dict)
    count: int = 1

    def __str__(self) -> str:
        return messages.describe_warning(self.code, self.facts, self.count)

    @property
    def kind(self) -> Kind:
        """What two warnings have in common that are counted as one."""
        return str(self.code), json.dumps(self.facts, sort_keys=True)


WarningCounts = dict[Kind, ProviderWarning]  # one warning of each kind, with how often it was seen


def count_warning(counts: WarningCounts, warning: ProviderWarning) -> bool:
    """Add a warning to those counted so far; whether it is the first of its kind."""
    before = counts.get(warning.kind)
    counts[warning.kind] = replace(warning, count=warning.count + before.count) if before else warning
    return before is None


def merge_warnings(stored: Sequence[Mapping[str, Any]], new: Iterable[ProviderWarning]) -> list[dict[str, Any]]:
    """Add warnings to those that a run stores (code, facts, count): each kind once, at most MAX_KINDS of them."""
    rows = {_kind_of(row): dict(row) for row in stored}
    for warning in new:
        row = {"code": str(warning.code), "facts": messages.limit_facts(warning.facts, _MAX_CHARACTERS), "count": 0}
        if _kind_of(row) not in rows and len(rows) >= MAX_KINDS:
            row = {"code": str(WarningCode.MORE), "facts": {}, "count": 0}
        rows.setdefault(_kind_of(row), row)["count"] += warning.count
    return list(rows.values())


def _kind_of(row: Mapping[str, Any]) -> Kind:
    """As `ProviderWarning.kind`, of a stored row; the text of a row of version 0.9.0 stands for its facts."""
    return row["code"], json.dumps(row.get("facts", row.get("text")), sort_keys=True)


def describe_warnings(stored: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the stored warnings of a run as sentences."""
    return [messages.add_count(_text_of(row), row["count"]) for row in stored]


def report_warnings(stored: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the stored warnings of a run for programs: each with its sentence as `text`."""
    return [
        {"code": row["code"], "text": _text_of(row), "facts": row.get("facts", {}), "count": row["count"]}
        for row in stored
    ]


def _text_of(row: Mapping[str, Any]) -> str:
    """Return the sentence of a stored warning; version 0.9.0 stored the sentence, and no facts."""
    return str(row["text"]) if "text" in row else messages.describe_warning(row["code"], row["facts"])
