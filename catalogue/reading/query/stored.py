"""Write conditions as JSON and read them back, and say which of them a set may be defined by.

Whether a record is in a set that is defined by a search has to hang on the record alone, and to change only when the record is
written: the writer looks at a record then, and at no other time.
"""

from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any as AnyValue

from django.utils.translation import gettext

from catalogue.reading.query import conditions
from catalogue.reading.query.conditions import Condition

_OF_PARTS = {kind.__name__: kind for kind in (conditions.All, conditions.Any)}
_LEAVES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        conditions.Words,
        conditions.Phrase,
        conditions.WordsIn,
        conditions.Meets,
        conditions.During,
        conditions.MetadataDate,
        conditions.Changed,
        conditions.InSet,
        conditions.Among,
        conditions.Is,
        conditions.Compare,
        conditions.Like,
        conditions.IsNull,
    )
}
Json = dict[str, AnyValue]


class ConditionUnreadable(ValueError):
    """Stored JSON is no condition that this version of the node knows."""


def to_json(condition: Condition) -> Json:
    """Return a condition as JSON: {"is": its kind, and its parts or its values}. Instants are {"instant": RFC 3339}."""
    kind = type(condition).__name__
    if isinstance(condition, conditions.All | conditions.Any):
        return {"is": kind, "parts": [to_json(part) for part in condition.parts]}
    if isinstance(condition, conditions.Not):
        return {"is": kind, "part": to_json(condition.part)}
    return {"is": kind, **{each.name: _value_to_json(getattr(condition, each.name)) for each in fields(condition)}}


def from_json(stored: AnyValue) -> Condition:
    """Return the condition that `to_json` has written. Raises ConditionUnreadable."""
    try:
        kind = stored["is"]
        if kind in _OF_PARTS:
            return _OF_PARTS[kind](tuple(from_json(part) for part in stored["parts"]))
        if kind == conditions.Not.__name__:
            return conditions.Not(from_json(stored["part"]))
        values = {name: _value_from_json(value) for name, value in stored.items() if name != "is"}
        made: Condition = _LEAVES[kind](**values)
    except (KeyError, TypeError, ValueError) as exc:
        raise ConditionUnreadable(f"no condition: {str(stored)[:200]}") from exc
    return made


def _value_to_json(value: AnyValue) -> AnyValue:
    if isinstance(value, datetime):
        return {"instant": value.isoformat()}
    return list(value) if isinstance(value, tuple) else value


def _value_from_json(value: AnyValue) -> AnyValue:
    if isinstance(value, dict):
        return datetime.fromisoformat(value["instant"])
    return tuple(value) if isinstance(value, list) else value


def unfit_for_sets(condition: Condition) -> Iterator[str]:
    """Say of each part by which no set can be defined why that is so; nothing of what is fit."""
    leaves = list(conditions.leaves(condition))
    for leaf in leaves:
        match leaf:
            case conditions.Changed():
                yield gettext(
                    "A set cannot hang on when records changed here: being put into it would be such a change."
                )
            case conditions.Compare("updated") | conditions.IsNull("updated") | conditions.Like("updated"):
                yield gettext(
                    "A set cannot hang on when records changed here: being put into it would be such a change."
                )
            case conditions.Is("label"):
                yield gettext("A set cannot hang on the label: records are checked some time after they are stored.")
    if not leaves or all(isinstance(leaf, conditions.Words) and not leaf.text.strip() for leaf in leaves):
        yield gettext("The search says nothing, so it finds every record: the set WIS-CATALOGUE is that already.")
