"""Read a filter of CSW into a condition of the query layer: Filter Encoding 1.1 (XML), or CQL (text).

pygeofilter makes a tree of the XML; the package `cql2`, which OGC API - Records has too, of the text. Their size and depth are
bounded before. What of the tree this node does not have is refused, so nothing that was asked for is passed over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from typing import Any, cast

import cql2
from lxml import etree
from pygeofilter import ast
from pygeofilter.parsers.fes.util import handle
from pygeofilter.parsers.fes.v11 import FES11Parser

from catalogue.discovery import boxes, instants
from catalogue.discovery.csw import queryables
from catalogue.discovery.csw.queryables import Queryable
from catalogue.discovery.csw.reports import INVALID, Refused
from catalogue.discovery.ogcapi.cql import nested_brackets
from catalogue.documents import search_terms
from catalogue.limits import Replaceable
from catalogue.reading.query import conditions
from catalogue.reading.query.conditions import Compare, Condition, Operator
from catalogue.reading.query.words import LEAST_BYTES_OF_BEGINNING


@dataclass(frozen=True, slots=True)
class FilterLimits:
    """How large a filter may be. All are chosen."""

    characters: int = 4_000  # of CQL
    brackets: int = 6  # of CQL, within one another: the parser tries each in several ways
    depth: int = 40  # of elements within one another
    comparisons: int = 100
    words: int = 100  # that are looked up: each costs a few short statements


LIMITS = Replaceable(FilterLimits())
OGC_NS, GML_NS = "http://www.opengis.net/ogc", "http://www.opengis.net/gml"
_WILD, _SINGLE = "\ue000", "\ue001"  # stand for wildcards, in the area of Unicode that is for private use
_OPERATORS: dict[type, Operator] = {
    ast.Equal: "=",
    ast.LessThan: "<",
    ast.GreaterThan: ">",
    ast.LessEqual: "<=",
    ast.GreaterEqual: ">=",
}
_OF_JSON = {"=": ast.Equal, "<>": ast.NotEqual, "<": ast.LessThan, ">": ast.GreaterThan, "<=": ast.LessEqual, ">=": ast.GreaterEqual}  # fmt: skip
_MIRRORED: dict[Operator, Operator] = {"=": "=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TICK = timedelta(microseconds=1)
_HAS_TIME = conditions.During(None, None)
Node = Any  # of a tree of pygeofilter, or a value in it


def of_element(element: etree._Element) -> Condition:
    """Read an `ogc:Filter`. Raises Refused."""
    if element.tag != f"{{{OGC_NS}}}Filter":
        raise _refused("a Filter is an element ogc:Filter of Filter Encoding 1.1")
    if _depth(element) > LIMITS.in_force.depth:
        raise _refused(f"the Filter has more than {LIMITS.in_force.depth} elements within one another")
    return _read(lambda: _Parser().parse(element), "the Filter is not of Filter Encoding 1.1")


def of_text(text: str) -> Condition:
    """Read CQL. Raises Refused."""
    limits = LIMITS.in_force
    if len(text) > limits.characters:
        raise _refused(f"the CQL is longer than {limits.characters} characters")
    if "\0" in text or nested_brackets(text) > limits.brackets:
        raise _refused(f"the CQL has a character NUL, or more than {limits.brackets} brackets within one another")
    return _read(lambda: _of_json(cql2.parse_text(text).to_json()), "an example of CQL: dc:title LIKE '%ice%'")


def _refused(sentence: str) -> Refused:
    return Refused(INVALID, "constraint", sentence)


def _read(parse: Callable[[], Node], advice: str) -> Condition:
    try:
        condition = _condition(parse())
    except Refused:
        raise
    except Exception as exc:  # whatever the parsers stumble over, and RecursionError
        detail = " ".join(str(exc).split())[:300]
        raise _refused(f"{advice} ({type(exc).__name__}: {detail})") from exc
    leaves, limits = list(conditions.leaves(condition)), LIMITS.in_force
    if len(leaves) > limits.comparisons or sum(map(_words_of, leaves)) > limits.words:
        raise _refused(f"a filter has at most {limits.comparisons} comparisons and {limits.words} words")
    return condition


def _words_of(leaf: Condition) -> int:
    """Return how many words and values a condition looks up."""
    if isinstance(leaf, conditions.Among):
        return len(leaf.identifiers)
    return max(1, len(search_terms.pieces(leaf.text))) if isinstance(leaf, conditions.WordsIn) else 1


def _depth(element: etree._Element) -> int:
    deepest = depth = 0
    for event, _each in etree.iterwalk(element, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


# --- Trees ----------------------------------------------------------------------------------------------


class _Parser(FES11Parser):
    """pygeofilter's parser, with what clients leave out, identifiers of features, and envelopes in the order of their axes."""

    @handle("Filter")
    def filter_(self, _node: etree._Element, *parts: Node) -> Node:
        if len(parts) == 1 or all(isinstance(part, ast.In) for part in parts):
            return reduce(ast.Or, parts)
        raise _refused("a Filter has one part")

    @handle("FeatureId", "GmlObjectId")
    def feature(self, node: etree._Element) -> Node:
        identifier = node.get("fid") or node.get(f"{{{GML_NS}}}id")
        return ast.In(ast.Attribute("dc:identifier"), [identifier], False)

    @handle("PropertyIsLike")
    def property_is_like(self, node: etree._Element, lhs: Node, rhs: Node) -> Node:
        escape = node.get("escapeChar") or node.get("escape") or "\\"
        is_any = node.get("matchCase") in ("false", "0")
        return ast.Like(lhs, rhs, is_any, node.get("wildCard") or "%", node.get("singleChar") or "_", escape, False)

    @handle("BBOX", "Intersects")
    def geometry_bbox(self, node: etree._Element, *parts: Node) -> Node:
        lhs = parts[0] if len(parts) == 2 else ast.Attribute("ows:BoundingBox")
        return ast.BBox(lhs, *_sides(node, parts[-1].geometry), None)


# Its metaclass passes on the handlers of the parent class, and not of those that it inherits from.
_Parser.tag_map = FES11Parser.tag_map | _Parser.tag_map
_Parser.namespace_map = FES11Parser.namespace_map


def _sides(node: etree._Element, geometry: dict[str, Any]) -> list[float]:
    """Return west, south, east, north of the place of a spatial operator: an Envelope, a Point, or a rectangle."""
    names = {str(each.get("srsName")) for each in node.iter() if each.get("srsName")}
    if any("4326" not in name and "CRS84" not in name for name in names):
        raise _refused("places are in EPSG:4326 or CRS84")
    if geometry["type"] == "Point":
        (longitude, latitude) = geometry["coordinates"]
        return [longitude, latitude, longitude, latitude]
    ring = [(float(x), float(y)) for x, y in geometry["coordinates"][0]] if geometry["type"] == "Polygon" else []
    xs, ys = {x for x, _y in ring}, {y for _x, y in ring}
    if node.find(f"{{{GML_NS}}}Envelope") is not None:
        # Its corners are where they are, as a box may cross the date line; pygml leaves them in the order of the axes.
        (west, south), (east, north) = ring[0], ring[2]
        is_latitude_first = any("4326" in name for name in names)
        return [south, west, north, east] if is_latitude_first else [west, south, east, north]
    turns = list(zip(ring, ring[1:], strict=False))
    along = all((a[0] == b[0]) != (a[1] == b[1]) for a, b in turns)
    if len(ring) != 5 or len(geometry["coordinates"]) != 1 or ring[0] != ring[-1] or len(xs) != 2 or not along:
        raise _refused(
            "a place is a gml:Envelope, a gml:Point, or a gml:Polygon that is a rectangle along the meridians"
        )
    return [min(xs), min(ys), max(xs), max(ys)]


def _of_json(node: Any) -> Node:
    """Return the tree of what `cql2` makes of a text."""
    if not isinstance(node, dict):
        return node
    if "property" in node:
        return ast.Attribute(node["property"])
    if "bbox" in node:
        name, *sides = node["bbox"]
        return ast.BBox(_of_json(name), *map(float, sides), None)
    operator, arguments = (
        node.get("op"),
        [_of_json(each) for each in node.get("args", ()) if not isinstance(each, list)],
    )
    if operator in ("and", "or"):
        return reduce(ast.And if operator == "and" else ast.Or, arguments)
    if operator in _OF_JSON:
        return _OF_JSON[operator](*arguments)
    match operator, arguments:
        case "not", [part]:
            return ast.Not(part)
        case "like", [one, str(pattern)]:
            return ast.Like(one, pattern, False, "%", "_", "\\", False)
        case "between", [one, low, high]:
            return ast.Between(one, low, high, False)
        case "isNull", [one]:
            return ast.IsNull(one, False)
        case "in", [one]:
            return ast.In(one, node["args"][1], False)
    raise _refused(f"CQL here has no {operator}")


# --- Conditions -----------------------------------------------------------------------------------------


def _condition(node: Node) -> Condition:
    match node:
        case ast.And(lhs=one, rhs=other):
            return conditions.All((_condition(one), _condition(other)))
        case ast.Or(lhs=one, rhs=other):
            return conditions.Any((_condition(one), _condition(other)))
        case ast.Not(sub_node=part):
            return conditions.Not(_condition(part))
        case ast.NotEqual(lhs=one, rhs=other):
            return conditions.Not(_compared(one, "=", other))
        case ast.Equal() | ast.LessThan() | ast.GreaterThan() | ast.LessEqual() | ast.GreaterEqual():
            return _compared(node.lhs, _OPERATORS[type(node)], node.rhs)
        case ast.Between(lhs=one, low=low, high=high):
            return conditions.All((_compared(one, ">=", low), _compared(one, "<=", high)))
        case ast.In(lhs=one, sub_nodes=values):
            return conditions.Any(tuple(_compared(one, "=", value) for value in values))
        case ast.Like(lhs=one, pattern=str(pattern)):
            return _like(_queryable(one), _marked(node, pattern), ignores_case=node.nocase)
        case ast.IsNull(lhs=one):
            return _is_null(_queryable(one))
        case ast.BBox(lhs=one):
            if _queryable(one).kind != "box":
                raise _refused("only ows:BoundingBox is a place")
            return boxes.condition([node.minx, node.miny, node.maxx, node.maxy])
    raise _refused(f"a filter here has no {type(node).__name__}; GetCapabilities lists the operators")


def _queryable(node: Node) -> Queryable:
    if isinstance(node, ast.Attribute) and node.name:
        return queryables.find(node.name)
    raise _refused("a comparison is of one property with one literal")


def _compared(one: Node, operator: Operator, other: Node) -> Condition:
    if isinstance(other, ast.Attribute) and not isinstance(one, ast.Attribute):
        one, operator, other = other, _MIRRORED[operator], one
    found = _queryable(one)
    text = f"{other:g}" if isinstance(other, float) else "" if other is None else other
    if not isinstance(text, str):
        raise _refused("a comparison is of one property with one literal")
    if found.kind in ("instant", "begin", "end"):
        return _of_instant(found, operator, text.strip())
    if found.kind in ("text", "value"):
        exact = Compare(found.compared, operator, text)
        if operator != "=" or not text:
            return exact
        if found.kind == "value":
            return conditions.Is(found.listed[0], (text,))  # by an index
        return conditions.All((conditions.Among((text,)), exact)) if found is queryables.IDENTIFIER else exact
    if operator == "=" and found.kind == "several":
        return conditions.Any(tuple(conditions.Is(field, (text,)) for field in found.listed))
    if operator == "=" and found.kind == "anywhere":
        return _anywhere(text)
    raise _refused(f"{found.names[0]} does not compare by {operator}")


def _of_instant(found: Queryable, operator: Operator, text: str) -> Condition:
    try:
        begins, ends = cast(tuple[datetime, datetime], instants.read(text))
    except ValueError as exc:
        raise _refused(f"{found.names[0]} is compared with a date, 2020-07-31, or 2020-07-31T12:00:00Z") from exc
    if operator == "=":
        return conditions.All((_of_instant(found, ">=", text), _of_instant(found, "<=", text)))
    limit = begins if operator in ("<", ">=") else ends
    if found.kind == "instant":
        return Compare(found.compared, operator, limit)
    # A time of the data that is open at one end has no begin, or no end, which is before, or after, every instant.
    if found.kind == "begin":
        before = conditions.During(None, limit if operator in ("<=", ">") else limit - _TICK)
        return before if operator in ("<", "<=") else conditions.All((_HAS_TIME, conditions.Not(before)))
    after = conditions.During(limit if operator in ("<", ">=") else limit + _TICK, None)
    return after if operator in (">", ">=") else conditions.All((_HAS_TIME, conditions.Not(after)))


def _is_null(found: Queryable) -> Condition:
    match found.kind:
        case "box":
            return conditions.Not(conditions.Meets(-180.0, -90.0, 180.0, 90.0))
        case "begin" | "end":
            return conditions.Not(_HAS_TIME)
        case "anywhere":
            return conditions.Any(())
    return conditions.All(tuple(conditions.IsNull(cast(Any, field)) for field in found.fields))


# --- Patterns and words ---------------------------------------------------------------------------------


def _marked(node: Node, pattern: str) -> str:
    """Return a pattern with marks of ours in the place of its wildcards, and without escapes."""
    marks = {node.wildcard: _WILD, node.singlechar: _SINGLE}
    if any(len(each) != 1 for each in (*marks, node.escapechar)) or _WILD in pattern or _SINGLE in pattern:
        raise _refused("wildCard, singleChar and escapeChar are one character each")
    made, is_escaped = [], False
    for character in pattern:
        if is_escaped or character != node.escapechar:
            made.append(character if is_escaped else marks.get(character, character))
            is_escaped = False
        else:
            is_escaped = True
    return "".join(made) + (node.escapechar if is_escaped else "")


def _like(found: Queryable, pattern: str, *, ignores_case: bool) -> Condition:
    if found.kind in ("text", "value"):
        escaped = "".join(f"\\{character}" if character in "\\%_" else character for character in pattern)
        return conditions.Like(found.compared, escaped.replace(_WILD, "%").replace(_SINGLE, "_"), ignores_case)
    if found.kind == "anywhere":
        return _anywhere(pattern)
    if found.kind == "several":
        words = _pieces(pattern.replace(_WILD, " ").replace(_SINGLE, " "))
        if not words:
            return conditions.Not(_is_null(found))
        return conditions.All(tuple(conditions.WordsIn(found.words_field, word) for word in words))
    raise _refused(f"{found.names[0]} is no text")


def _anywhere(pattern: str) -> Condition:
    """Return the condition of words of any text: with a wildcard behind it, a word finds what it begins as well."""
    parts = pattern.replace(_SINGLE, _WILD).split()
    if not "".join(parts).strip(_WILD):
        return conditions.All()
    found = [_word(word, ends_open=rest) for part in parts for word, rest in _cut(part)]
    words = [each for several in found for each in several]
    if not words:
        raise _refused("these words are in every record")
    plain = pattern.strip(_WILD)
    return conditions.Any((conditions.Among((plain,)), conditions.All(tuple(words))))


def _cut(part: str) -> Sequence[tuple[str, bool]]:
    """Return the texts between wildcards, and whether one follows."""
    texts = part.split(_WILD)
    return [(text, number + 1 < len(texts)) for number, text in enumerate(texts) if text]


def _word(text: str, *, ends_open: bool) -> list[Condition]:
    pieces = [piece for piece in search_terms.pieces(text) if piece not in search_terms.STOP_WORDS or ends_open]
    begin = pieces.pop() if ends_open and pieces and len(search_terms.fold(pieces[-1]).encode()) >= LEAST_BYTES_OF_BEGINNING else ""  # fmt: skip
    whole = [piece for piece in pieces if piece not in search_terms.STOP_WORDS]
    return [*(conditions.Words(f'"{piece}"') for piece in whole), *([conditions.Words(begin)] if begin else [])]


def _pieces(text: str) -> list[str]:
    found = [piece for piece in search_terms.pieces(text) if piece not in search_terms.STOP_WORDS]
    if not found and text.strip():
        raise _refused("these words are in every record")
    return found
