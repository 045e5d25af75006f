"""Read a filter in CQL2 (OGC 21-065r2), as text or JSON, into a condition of the query layer.

The parser of the package `cql2` makes JSON of the text. It tries each opening bracket in several ways, so that an error behind
n nested brackets takes 2**n times as long, and it recurses: length and depth of a filter are bounded before. Its validation
against a schema is not used: it takes 0.1 s even for the shortest filter and minutes for some. Each part that is not understood
here is refused instead, so what is left is valid.

A comparison with a value that a record does not have is neither true nor false, and so is its negation: NOT is carried down to
the comparisons.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

import cql2
from django.utils.translation import gettext_noop as _

from catalogue.discovery import boxes, instants
from catalogue.discovery.instants import Span
from catalogue.discovery.ogcapi.problems import Problem, bad_request
from catalogue.discovery.ogcapi.properties import QUERYABLES, Property
from catalogue.documents.languages import language_tag
from catalogue.limits import Replaceable
from catalogue.reading.query import conditions
from catalogue.reading.query.conditions import Compare, Condition, Operator

TEXT, JSON = "cql2-text", "cql2-json"
LANGUAGES = (TEXT, JSON)


@dataclass(frozen=True, slots=True)
class FilterLimits:
    """How long and deep a filter may be. Measured: the worst text within them takes the parser 0.15 s."""

    characters: int = 4_000
    brackets: int = 6  # within one another, in a text
    depth: int = 12  # of operators within one another
    comparisons: int = 100


LIMITS = Replaceable(FilterLimits())
_EVERYWHERE = conditions.Meets(-180.0, -90.0, 180.0, 90.0)
_ANY_TIME = conditions.During(None, None)
_NEVER = conditions.Any(())
_INVERSE: dict[Operator, Operator] = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED: dict[Operator, Operator] = {"=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OF_LISTS = ("keyword", "category", "organisation")
Json = Any  # a value of JSON


def read(text: str, language: str) -> Condition:
    """Read a filter. Raises Problem, which says what to write."""
    limits = LIMITS.in_force
    if len(text) > limits.characters:
        raise bad_request(
            _("The filter is longer than {most} characters: write a shorter one."), most=limits.characters
        )
    if "\0" in text:
        raise bad_request(_("The filter has a character NUL: leave it out."))
    condition = _condition(_json_of_text(text) if language == TEXT else _json(text), 1)
    if sum(1 for leaf in conditions.leaves(condition)) > limits.comparisons:
        raise bad_request(_("The filter has more than {most} comparisons: use fewer."), most=limits.comparisons)
    return condition


def _json_of_text(text: str) -> Json:
    if nested_brackets(text) > LIMITS.in_force.brackets:
        raise bad_request(
            _("The filter has more than {most} brackets within one another: use fewer, or write it as cql2-json."),
            most=LIMITS.in_force.brackets,
        )
    try:
        return cql2.parse_text(text).to_json()
    except cql2.ParseError as exc:
        place = str(exc).partition("-->")[2].split("\n", 1)[0].strip() or "?"
        raise bad_request(
            _("The filter is no CQL2 text; the error is at {place} (line:column). An example: title LIKE 'Sea%'"),
            place=place,
        ) from exc
    except Exception as exc:  # the package says no more
        raise bad_request(_("The filter is no CQL2 text: {detail}"), detail=" ".join(str(exc).split())) from exc


def nested_brackets(text: str) -> int:
    """Return how deep brackets lie within one another, outside of quoted texts and names."""
    depth = deepest = 0
    quote = ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif character == ")":
            depth -= 1
    return deepest


def _json(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise bad_request(
            _('The filter is no JSON. An example: {{"op": "like", "args": [{{"property": "title"}}, "Sea%"]}}')
        ) from exc


def _condition(node: Json, depth: int, *, is_true: bool = True) -> Condition:
    """Return what a node is true of, or false of. NOT is carried down: what is unknown is neither."""
    if depth > LIMITS.in_force.depth:
        raise bad_request(
            _("The filter has more than {most} operators within one another: use fewer."), most=LIMITS.in_force.depth
        )
    if isinstance(node, bool):
        return conditions.All() if node == is_true else _NEVER
    operator, arguments = _operation(node)
    if operator in ("and", "or"):
        parts = tuple(_condition(part, depth + 1, is_true=is_true) for part in arguments)
        if len(parts) < 2:
            raise bad_request(_("The filter has “{operator}” with fewer than two parts."), operator=operator)
        return conditions.All(parts) if (operator == "and") == is_true else conditions.Any(parts)
    if operator == "not" and len(arguments) == 1:
        return _condition(arguments[0], depth + 1, is_true=not is_true)
    if operator == "<>":
        operator, is_true = "=", not is_true
    read_part = _READERS.get(operator)
    if read_part is None:
        raise bad_request(
            _("The filter has the operator “{operator}”, which this catalogue does not have. It has {known}."),
            operator=operator,
            known=", ".join(sorted((*_READERS, "and", "or", "not", "<>"))),
        )
    condition = read_part(operator, arguments)
    return condition if is_true else _negated(condition)


def _negated(condition: Condition) -> Condition:
    """Return what a comparison is false of; not what has no value to be compared. Not for what is negated already."""
    match condition:
        case conditions.All(parts):
            return conditions.Any(tuple(map(_negated, parts)))
        case conditions.Any(parts):
            return conditions.All(tuple(map(_negated, parts)))
        case conditions.Not(part):
            return part
        case Compare(_field, operator, _value):
            return replace(condition, operator=_INVERSE[operator])
        case conditions.Like(field) | conditions.Is(field) if field not in _OF_LISTS:
            given = conditions.Not(conditions.IsNull(cast(Any, "language" if field == "language_code" else field)))
            return conditions.All((given, conditions.Not(condition)))
        case conditions.Meets():
            return conditions.All((_EVERYWHERE, conditions.Not(condition)))
        case conditions.During():
            return conditions.All((_ANY_TIME, conditions.Not(condition)))
        case _:
            return conditions.Not(condition)


def _operation(node: Json) -> tuple[str, list[Json]]:
    if isinstance(node, dict) and isinstance(node.get("op"), str) and isinstance(node.get("args"), list):
        return node["op"], node["args"]
    raise bad_request(_("The filter has {part} where a condition has to be."), part=json.dumps(node))


# --- Comparisons ----------------------------------------------------------------------------------------


def _compare(operator: str, arguments: Sequence[Json]) -> Condition:
    one, other = _two(operator, arguments)
    if _name(one) is None and _name(other) is not None:
        return _compare(_MIRRORED[cast(Operator, operator)], (other, one))
    found, ignores_case = _property(one)
    if ignores_case:
        if operator != "=":
            raise bad_request(
                _("The filter has CASEI with {operator}: it goes with =, <>, LIKE and IN."), operator=operator
            )
        return _equal_ignoring_case(found, _folded(other))
    return _compared(found, cast(Operator, operator), other)


def _compared(found: Property, operator: Operator, value: Json) -> Condition:
    """Compare a property with a literal."""
    if found.kind == "text":
        text = _text(value)
        return _equal(found, text) if operator == "=" else Compare(found.compared, operator, text)
    if found.kind == "instant":
        span = _span(value, is_instant=True)
        if operator == "=":
            return _within(found, span)
        return Compare(found.compared, operator, cast(datetime, span.begins if operator in ("<", ">=") else span.ends))
    if found.kind == "list":
        raise bad_request(
            _("The filter compares {name}, which has several values, with one: write A_CONTAINS({name}, ('value'))."),
            name=_name_of(found),
        )
    raise bad_request(
        _("The filter compares {name} by {operator}: use S_INTERSECTS for places, T_INTERSECTS for times."),
        name=_name_of(found),
        operator=operator,
    )


def _equal(found: Property, text: str) -> Condition:
    exact = Compare(found.compared, "=", text)
    if text and found.field == "language":
        return conditions.Is("language_code", (text,))
    if text and found.field in ("type", "policy", "centre"):
        return conditions.Is(found.listed, (text,))  # by an index
    return conditions.All((conditions.Among((text,)), exact)) if found.field == "id" else exact


def _equal_ignoring_case(found: Property, text: str) -> Condition:
    if found.field == "language" and language_tag(text) != "und":
        return conditions.Is("language_code", (text,))
    return conditions.Like(found.compared, _without_wildcards(text), ignores_case=True) if text else _NEVER


def _within(found: Property, span: Span) -> Condition:
    parts = []
    if span.begins is not None:
        parts.append(Compare(found.compared, ">=", span.begins))
    if span.ends is not None:
        parts.append(Compare(found.compared, "<=", span.ends))
    return conditions.All(tuple(parts)) if parts else conditions.Not(conditions.IsNull(found.compared))


def _between(operator: str, arguments: Sequence[Json]) -> Condition:
    if len(arguments) == 2 and isinstance(arguments[1], list):  # as some write it
        arguments = [arguments[0], *arguments[1]]
    if len(arguments) != 3:
        raise _wrong_arguments(operator)
    found, _ignores_case = _property(arguments[0])
    return conditions.All((_compared(found, ">=", arguments[1]), _compared(found, "<=", arguments[2])))


def _in(operator: str, arguments: Sequence[Json]) -> Condition:
    one, values = _two(operator, arguments)
    found, ignores_case = _property(one)
    if not isinstance(values, list) or not values:
        raise _wrong_arguments(operator)
    if ignores_case:
        return conditions.Any(tuple(_equal_ignoring_case(found, _folded(value)) for value in values))
    return conditions.Any(tuple(_compared(found, "=", value) for value in values))


def _like(operator: str, arguments: Sequence[Json]) -> Condition:
    one, other = _two(operator, arguments)
    found, ignores_case = _property(one)
    pattern = _folded(other) if ignores_case else _text(other)
    if found.kind != "text":
        raise bad_request(_("The filter has LIKE with {name}, which is no text."), name=_name_of(found))
    if (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        raise bad_request(_("The filter has a pattern that ends with a backslash: write two for the character itself."))
    return conditions.Like(found.compared, pattern, ignores_case)


def _is_null(operator: str, arguments: Sequence[Json]) -> Condition:
    if len(arguments) != 1:
        raise _wrong_arguments(operator)
    found, _ignores_case = _property(arguments[0])
    match found.kind:
        case "geometry":
            return conditions.Not(_EVERYWHERE)
        case "interval":
            return conditions.Not(_ANY_TIME)
        case "list":
            return conditions.IsNull(cast(conditions.ListField, found.field))
    return conditions.IsNull(found.compared)


# --- Lists ----------------------------------------------------------------------------------------------


def _of_list(operator: str, arguments: Sequence[Json]) -> Condition:
    one, values = _two(operator, arguments)
    found, _ignores_case = _property(one)
    if found.kind != "list":
        raise bad_request(
            _("The filter has {operator} with {name}, which is no list."), operator=operator, name=_name_of(found)
        )
    if not isinstance(values, list) or not values:
        raise _wrong_arguments(operator)
    texts = tuple(map(_text, values))
    if operator == "a_overlaps":
        return conditions.Is(found.listed, texts)
    return conditions.All(tuple(conditions.Is(found.listed, (text,)) for text in texts))


# --- Places and times -----------------------------------------------------------------------------------


def _intersects(operator: str, arguments: Sequence[Json]) -> Condition:
    one, other = _two(operator, arguments)
    if _name(one) is None:
        one, other = other, one
    found, _ignores_case = _property(one)
    if found.kind != "geometry":
        raise bad_request(_("The filter has S_INTERSECTS with {name}: only geometry is a place."), name=_name_of(found))
    return _box(other)


def _box(literal: Json) -> Condition:
    """Read a place: BBOX, POINT, or a POLYGON that is a rectangle along the meridians."""
    literal = literal if isinstance(literal, dict) else {}
    corners = literal.get("coordinates")
    try:
        if "bbox" in literal:
            sides = [float(side) for side in literal["bbox"]]
            return boxes.condition(sides if len(sides) == 4 else [*sides[:2], *sides[3:5]] if len(sides) == 6 else [])
        if literal.get("type") == "Point":
            longitude, latitude = float(corners[0]), float(corners[1])
            return boxes.condition([longitude, latitude, longitude, latitude])
        if literal.get("type") == "Polygon" and len(corners) == 1:
            points = [(float(x), float(y)) for x, y, *_z in corners[0]]
            xs, ys = sorted({x for x, _y in points}), sorted({y for _x, y in points})
            turns = list(zip(points, points[1:], strict=False))
            along = all((a[0] == b[0]) != (a[1] == b[1]) for a, b in turns)
            if len(points) == 5 and points[0] == points[-1] and len(xs) == len(ys) == 2 and along:
                return boxes.condition([xs[0], ys[0], xs[1], ys[1]])
    except (TypeError, ValueError, KeyError, IndexError, OverflowError):
        pass
    raise bad_request(
        _("The filter has a place that is none of these: BBOX(west, south, east, north), POINT(longitude latitude), or a"
          " POLYGON of four corners that is a rectangle along the meridians.")
    )  # fmt: skip


def _temporal(operator: str, arguments: Sequence[Json]) -> Condition:
    one, other = _two(operator, arguments)
    if _name(one) is None and operator == "t_intersects":
        one, other = other, one
    found, _ignores_case = _property(one)
    span = _span(other)
    if found.kind == "interval" and operator == "t_intersects":
        return conditions.During(span.begins, span.ends)
    if found.kind != "instant":
        raise bad_request(
            _("The filter has {operator} with {name}: T_INTERSECTS goes with time, created and updated, the others with created"
              " and updated."), operator=operator, name=_name_of(found)
        )  # fmt: skip
    if operator == "t_intersects":
        return _within(found, span)
    parts = []
    if operator in ("t_after", "t_during"):
        limit = span.ends if operator == "t_after" else span.begins
        if limit is not None or operator == "t_after":
            parts.append(_NEVER if limit is None else Compare(found.compared, ">", limit))
    if operator in ("t_before", "t_during"):
        limit = span.begins if operator == "t_before" else span.ends
        if limit is not None or operator == "t_before":
            parts.append(_NEVER if limit is None else Compare(found.compared, "<", limit))
    return conditions.All(tuple(parts)) if parts else _within(found, span)


_Read = Callable[[str, Sequence[Json]], Condition]
_READERS: dict[str, _Read] = {
    **dict.fromkeys(("=", "<", ">", "<=", ">="), _compare),
    "between": _between,
    "in": _in,
    "like": _like,
    "isNull": _is_null,
    "a_contains": _of_list,
    "a_overlaps": _of_list,
    "s_intersects": _intersects,
    **dict.fromkeys(("t_intersects", "t_after", "t_before", "t_during"), _temporal),
}


# --- Properties and literals ----------------------------------------------------------------------------


def _two(operator: str, arguments: Sequence[Json]) -> tuple[Json, Json]:
    if len(arguments) != 2:
        raise _wrong_arguments(operator)
    return arguments[0], arguments[1]


def _wrong_arguments(operator: str) -> Problem:
    return bad_request(_("The filter has “{operator}” with other parts than it needs."), operator=operator)


def _name(node: Json) -> str | None:
    """Return the name of a property, also within CASEI; None if this is none."""
    if isinstance(node, dict) and node.get("op") == "casei" and isinstance(node.get("args"), list) and node["args"]:
        node = node["args"][0]
    name = node.get("property") if isinstance(node, dict) else None
    return name if isinstance(name, str) else None


def _property(node: Json) -> tuple[Property, bool]:
    """Return a property, and whether its case does not count."""
    name = _name(node)
    if name is None:
        raise bad_request(_("The filter compares {part}, which is no property of records."), part=json.dumps(node))
    if name not in QUERYABLES:
        raise bad_request(
            _("The filter has the property “{name}”, which is none of records. These are: {known}."),
            name=name,
            known=", ".join(QUERYABLES),
        )
    found, ignores_case = QUERYABLES[name], "op" in node
    if ignores_case and found.kind != "text":
        raise bad_request(_("The filter has CASEI with {name}, which is no text."), name=name)
    return found, ignores_case


def _name_of(found: Property) -> str:
    return next(name for name, other in QUERYABLES.items() if other is found)


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise bad_request(_("The filter has {part} where a text in quotes has to be."), part=json.dumps(value))
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise bad_request(_("The filter has half a character (a lone surrogate): write the whole one.")) from exc
    if "\0" in value:
        raise bad_request(_("The filter has a character NUL: leave it out."))
    return value


def _folded(value: Json) -> str:
    """Return the text of CASEI('text')."""
    if isinstance(value, dict) and value.get("op") == "casei":
        arguments = value.get("args")
        if isinstance(arguments, list) and len(arguments) == 1:
            return _text(arguments[0])
    raise bad_request(_("The filter has CASEI on one side alone: write CASEI(title) = CASEI('text')."))


def _without_wildcards(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _span(value: Json, *, is_instant: bool = False) -> Span:
    """Read an instant or an interval; only an instant, which has no open end, if it has to be one."""
    try:
        if not is_instant and isinstance(value, dict) and isinstance(value.get("interval"), list):
            begin, end = value["interval"]
            return instants.read_interval(_instant_text(begin), _instant_text(end))
        return instants.read(_instant_text(value))
    except (ValueError, TypeError) as exc:
        raise bad_request(
            _("The filter has {part} where a time has to be: DATE('2020-07-31'), TIMESTAMP('2020-07-31T12:00:00Z') or"
              " INTERVAL('2020-07-31', '..')."), part=json.dumps(value)
        ) from exc  # fmt: skip


def _instant_text(value: Json) -> str:
    if isinstance(value, dict) and len(value) == 1:
        value = value.get("date", value.get("timestamp"))
    if not isinstance(value, str):
        raise TypeError("no instant")
    return value
