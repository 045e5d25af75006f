"""Read a query in CQL (SRU 1.2) into a condition of the query layer and an order.

The package `cql-parser` makes a tree of the text, in a time that grows with its length. A parser is for one thread. What of
the tree this node does not have is refused with the standard's diagnostic, so nothing that was asked for is passed over.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import local

from cql.lexer import CQLLexerError
from cql.parser import (
    CQLModifier,
    CQLParser12,
    CQLParserError,
    CQLPrefixable,
    CQLPrefixedName,
    CQLSearchClause,
    CQLSortSpec,
    CQLTriple,
)

from catalogue.discovery import boxes, instants
from catalogue.discovery.instants import Span
from catalogue.discovery.sru.diagnostics import Code, Diagnostic
from catalogue.discovery.sru.indexes import ALIASES, CONTEXT_SETS, INDEXES, Index
from catalogue.documents import search_terms
from catalogue.limits import Replaceable
from catalogue.reading.query import conditions
from catalogue.reading.query.conditions import Compare, Condition
from catalogue.reading.query.search import Order
from catalogue.reading.query.words import LEAST_BYTES_OF_BEGINNING


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """How long a query may be, and of how many clauses. Measured: the parser takes 0.03 s for the worst text within them."""

    characters: int = 4_000
    clauses: int = 100
    words: int = 100  # that are looked up: each costs a few short statements


LIMITS = Replaceable(QueryLimits())
_DEFAULT_SETS = ("cql", "dc", "rec", "wis")  # where an index without a prefix is looked for, in this order
_RELATIONS = ("=", "==", "exact", "scr", "adj", "all", "any", "within", "<>", "<", ">", "<=", ">=")
# What words are here anyway: other forms of a word are found, in any case and with any accents.
_PASSED_OVER = ("stem", "relevant", "word", "ignorecase", "ignoreaccents", "masked", "isodate")
_PARTIAL = "partial"
_MASK = re.compile(r"(?<!\\)(?:\\\\)*[*?]")
_ANCHOR = re.compile(r"\A\^|(?<!\\)(?:\\\\)*\^\Z")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?", re.ASCII)


class _Parser(local):
    def __init__(self) -> None:
        self.cql = CQLParser12()
        self.cql.build()


_parser = _Parser()


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query asks for. `order`: None where it names none."""

    condition: Condition
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class _Clause:
    """A search clause: its index, the relation without its prefix in lower case, the term, and its names as written."""

    index: Index
    relation: str
    term: str
    index_name: str
    is_partial: bool = False

    def unfit(self, advice: str) -> Diagnostic:
        return Diagnostic(Code.RELATION_AND_INDEX, f"{self.index_name} {self.relation}", advice)

    def invalid(self, advice: str) -> Diagnostic:
        return Diagnostic(Code.INVALID_TERM, self.term, advice)


def read(text: str) -> Asked:
    """Read a query. Raises Diagnostic."""
    root = _tree(text)
    if _count_clauses(root) > LIMITS.in_force.clauses:  # also bounds how deep they stand, and so the recursion
        raise Diagnostic(Code.TOO_MANY_BOOLEANS, str(LIMITS.in_force.clauses - 1))
    condition = _condition(root, {})
    if sum(map(_words_of, conditions.leaves(condition))) > LIMITS.in_force.words:
        most = LIMITS.in_force.words
        raise Diagnostic(Code.TOO_MANY_BOOLEANS, str(most), f"a query has at most {most} words and values")
    return Asked(condition, order_of_specs(root.sortSpecs))


def read_clause(text: str) -> tuple[str, Index, str]:
    """Read the scanClause of a scan: name of the index, the index, and the term. Raises Diagnostic."""
    root = _tree(text)
    if isinstance(root, CQLTriple) or root.sortSpecs:
        raise Diagnostic(Code.SYNTAX_ERROR, "", "a scanClause is one clause, such as dc.type = dataset")
    clause = _clause(root, _prefixes(root, {}), may_be_empty=True)
    return clause.index_name, clause.index, clause.term


def _tree(text: str) -> CQLTriple | CQLSearchClause:
    if len(text) > LIMITS.in_force.characters:
        raise Diagnostic(Code.TOO_MANY_CHARACTERS, str(LIMITS.in_force.characters))
    if "\0" in text:
        raise Diagnostic(Code.SYNTAX_ERROR, "", "the query has a character NUL")
    try:
        return _parser.cql.parse(text).root
    except (CQLParserError, CQLLexerError) as exc:
        said = exc.args[0] if exc.args and isinstance(exc.args[0], str) else ""
        raise Diagnostic(
            Code.SYNTAX_ERROR, said, 'words with space between them stand in quotes, as in dc.title all "sea ice"'
        ) from exc


def _count_clauses(root: CQLTriple | CQLSearchClause) -> int:
    """Return how many search clauses a tree has. Without recursion: a thousand may stand in one another."""
    waiting, number = [root], 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, CQLTriple):
            waiting += (node.left, node.right)
        else:
            number += 1
    return number


def _condition(node: CQLTriple | CQLSearchClause, prefixes: Mapping[str, str]) -> Condition:
    prefixes = _prefixes(node, prefixes)
    if isinstance(node, CQLSearchClause):
        clause = _clause(node, prefixes)
        return _READERS[clause.index.kind](clause)
    operator = node.operator.value.lower()
    if operator == "prox":
        raise Diagnostic(Code.PROXIMITY, "", "adj finds words next to one another")
    if node.operator.modifiers:
        raise Diagnostic(Code.BOOLEAN_MODIFIER, str(node.operator.modifiers[0].name))
    left, right = (_condition(part, prefixes) for part in (node.left, node.right))
    match operator:
        case "and":
            return conditions.All((left, right))
        case "or":
            return conditions.Any((left, right))
        case "not":
            return conditions.All((left, conditions.Not(right)))
    raise Diagnostic(Code.UNSUPPORTED_BOOLEAN, operator)


def _words_of(leaf: Condition) -> int:
    """Return how many words and values a condition looks up."""
    if isinstance(leaf, conditions.Phrase | conditions.WordsIn):
        return max(1, len(search_terms.pieces(leaf.text)))
    return 1


# --- Names ----------------------------------------------------------------------------------------------


def _prefixes(node: CQLPrefixable, outer: Mapping[str, str]) -> Mapping[str, str]:
    """Return the context sets by the prefixes that stand for them in this part. "": the default one."""
    own = {}
    for assigned in node.prefixes:
        found = next((name for name, uri in CONTEXT_SETS.items() if uri == assigned.uri), ALIASES.get(assigned.uri))
        if found is None:
            raise Diagnostic(Code.UNSUPPORTED_CONTEXT_SET, assigned.uri)
        own[(assigned.prefix or "").lower()] = found
    return {**outer, **own}


def _index(name: str, prefixes: Mapping[str, str]) -> Index:
    prefix, dot, base = name.lower().rpartition(".")
    if dot:
        known = prefixes.get(prefix, prefix)
        if known not in CONTEXT_SETS:
            raise Diagnostic(Code.UNSUPPORTED_CONTEXT_SET, prefix)
        found = INDEXES.get(f"{known}.{base}")
    else:
        sets = [prefixes[""]] if "" in prefixes else _DEFAULT_SETS
        found = next((INDEXES[full] for each in sets if (full := f"{each}.{base}") in INDEXES), None)
    if found is None:
        raise Diagnostic(Code.UNSUPPORTED_INDEX, name, "operation=explain lists the indexes")
    return found


def _without_prefix(name: CQLPrefixedName) -> str:
    text = str(name).lower()
    return text.removeprefix("cql.")


def _clause(node: CQLSearchClause, prefixes: Mapping[str, str], *, may_be_empty: bool = False) -> _Clause:
    name = str(node.index) if node.index is not None else "cql.serverChoice"
    index = _index(name, prefixes)
    relation = _without_prefix(node.relation.comparitor) if node.relation is not None else "="
    if relation not in _RELATIONS:
        raise Diagnostic(Code.UNSUPPORTED_RELATION, relation)
    modifiers = (node.relation.modifiers or []) if node.relation is not None else []
    is_whole, is_partial = _modified(modifiers)
    relation = {"exact": "==", "scr": "="}.get(relation, relation)
    term = node.term
    if not term.strip() and not may_be_empty:
        raise Diagnostic(Code.EMPTY_TERM)
    return _Clause(index, "==" if is_whole and relation == "=" else relation, term, name, is_partial)


def _modified(modifiers: Sequence[CQLModifier]) -> tuple[bool, bool]:
    """Return whether `/string` and `/partial` stand there. Raises Diagnostic for modifiers that are not had."""
    names = [_without_prefix(each.name) for each in modifiers]
    for each, name in zip(modifiers, names, strict=True):
        if name not in (*_PASSED_OVER, "string", _PARTIAL) or each.value is not None:
            raise Diagnostic(Code.UNSUPPORTED_MODIFIER, each.toCQL().removeprefix("/"))
    return "string" in names, _PARTIAL in names


# --- Terms ----------------------------------------------------------------------------------------------


def _plain(clause: _Clause, term: str) -> str:
    """Return a term without its backslashes. Raises Diagnostic for masks and anchors."""
    if _ANCHOR.search(term):
        raise Diagnostic(Code.ANCHORING, "^")
    masked = _MASK.search(term)
    if masked:
        raise Diagnostic(
            Code.MASKING,
            masked[0][-1],
            f"{clause.index_name} has no masks here; cql.anywhere has * at the end of words, identifiers have * and ? anywhere",
        )
    return _ESCAPED.sub(r"\1", term)


def _all(clause: _Clause) -> Condition:
    if clause.relation != "=" or clause.term != "1":
        raise clause.unfit("write cql.allRecords = 1")
    return conditions.All()


def _combined(clause: _Clause, parts: Sequence[Condition]) -> Condition:
    return conditions.Any(tuple(parts)) if clause.relation == "any" else conditions.All(tuple(parts))


def _anywhere(clause: _Clause) -> Condition:
    if clause.relation == "adj":
        return conditions.Phrase(_adjacent(clause))
    if clause.relation not in ("=", "all", "any"):
        raise clause.unfit("it has =, all, any and adj")
    words = _of_words(clause, lambda word: _word(clause, word))
    if _MASK.search(clause.term):
        return words
    return conditions.Any((conditions.Among((_plain(clause, clause.term),)), words))


def _words_of_field(clause: _Clause) -> Condition:
    name = clause.index.words_field
    if clause.relation == "adj":
        return conditions.WordsIn(name, _adjacent(clause), are_adjacent=True)
    if clause.relation == "==" and name in ("title", "abstract"):
        return _equal(clause)
    if clause.relation not in ("=", "all", "any"):
        raise clause.unfit("it has =, all, any and adj; titles and abstracts have == as well")
    return _of_words(clause, lambda word: [conditions.WordsIn(name, piece) for piece in _pieces(_plain(clause, word))])


def _of_words(clause: _Clause, read_word: Callable[[str], Sequence[Condition]]) -> Condition:
    """Return the condition of the words of a term, all or any of them. A word such as sea-ice has several parts.

    Raises Diagnostic if there is no word to be looked up.
    """
    parts = [found for word in clause.term.split() if (found := read_word(word))]
    if not parts:
        raise Diagnostic(Code.STOP_WORDS_ONLY, clause.term)
    return _combined(clause, [each[0] if len(each) == 1 else conditions.All(tuple(each)) for each in parts])


def _word(clause: _Clause, word: str) -> list[Condition]:
    """Return the conditions of one word; `typhoo*` finds what it begins."""
    is_begin = word.endswith("*") and not word.endswith("\\*")
    pieces = _pieces(_plain(clause, word[:-1] if is_begin else word))
    if is_begin and len(search_terms.fold(pieces[-1] if pieces else "").encode()) < LEAST_BYTES_OF_BEGINNING:
        raise Diagnostic(Code.MASKED_TOO_SHORT, str(LEAST_BYTES_OF_BEGINNING))
    begins = pieces.pop() if is_begin else ""
    return [*(conditions.Words(f'"{piece}"') for piece in pieces), *([conditions.Words(begins)] if begins else [])]


def _adjacent(clause: _Clause) -> str:
    text = _plain(clause, clause.term)
    if not _pieces(text):
        raise Diagnostic(Code.STOP_WORDS_ONLY, clause.term)
    return text


def _pieces(text: str) -> list[str]:
    """Return the words of a text that are looked up."""
    return [piece for piece in search_terms.pieces(text) if piece not in search_terms.STOP_WORDS]


def _equal(clause: _Clause) -> Condition:
    """Compare with a whole text; a mask stands for any characters (*) or one (?)."""
    if _ANCHOR.search(clause.term):
        raise Diagnostic(Code.ANCHORING, "^")
    found = clause.index.compare_field
    if _MASK.search(clause.term):
        return conditions.Like(found, _pattern(clause.term))
    return Compare(found, "=", _ESCAPED.sub(r"\1", clause.term))


def _pattern(term: str) -> str:
    """Return a masked term as a pattern of LIKE."""
    made, is_escaped = [], False
    for character in term:
        if is_escaped or character not in "\\*?":
            made.append(f"\\{character}" if character in "\\%_" else character)
            is_escaped = False
        elif character == "\\":
            is_escaped = True
        else:
            made.append("%" if character == "*" else "_")
    return "".join([*made, "\\\\"] if is_escaped else made)


def _identifier(clause: _Clause) -> Condition:
    if clause.relation in ("any", "all"):
        return _combined(clause, [conditions.Among((_plain(clause, each),)) for each in clause.term.split()])
    if clause.relation not in ("=", "==", "<>"):
        raise clause.unfit("it has =, <>, any and all")
    found = _equal(clause) if _MASK.search(clause.term) else conditions.Among((_plain(clause, clause.term),))
    return conditions.Not(found) if clause.relation == "<>" else found


def _value(clause: _Clause) -> Condition:
    return _of_values(clause, lambda text: conditions.Is(clause.index.value_field, (text,)))


def _set(clause: _Clause) -> Condition:
    return _of_values(clause, conditions.InSet)


def _of_values(clause: _Clause, make: Callable[[str], Condition]) -> Condition:
    """Return the condition of whole values: of the term, or of all or any of its parts."""
    if clause.relation not in ("=", "==", "any", "all", "<>"):
        raise clause.unfit("it has =, <>, any and all")
    texts = clause.term.split() if clause.relation in ("any", "all") else [clause.term]
    found = _combined(clause, [make(_plain(clause, text)) for text in texts])
    return conditions.Not(found) if clause.relation == "<>" else found


# --- Places and times -----------------------------------------------------------------------------------


def _box(clause: _Clause) -> Condition:
    if clause.relation != "=" and not (clause.relation == "within" and clause.is_partial):
        raise clause.unfit("it has = and within/partial, which find what has a point in common with the box")
    try:
        sides = [float(part) for part in clause.term.replace(",", " ").split() if part.isascii() and "_" not in part]
        return boxes.condition(sides)
    except ValueError as exc:
        raise clause.invalid('a box is west south east north in degrees, as in wis.box = "-10 35.5 30 60"') from exc


def _time(clause: _Clause) -> Condition:
    if clause.relation != "=" and not (clause.relation == "within" and clause.is_partial):
        raise clause.unfit("it has = and within/partial, which find what has an instant in common with the time")
    span = _span(clause)
    return conditions.During(span.begins, span.ends)


def _instant(clause: _Clause) -> Condition:
    name, span = clause.index.compare_field, _span(clause)
    begins, ends = span.begins or datetime.min.replace(tzinfo=UTC), span.ends or datetime.max.replace(tzinfo=UTC)
    within = conditions.All((Compare(name, ">=", begins), Compare(name, "<=", ends)))
    match clause.relation:
        case "=" | "==" | "within":
            return within
        case "<>":
            return conditions.All((conditions.Not(conditions.IsNull(name)), conditions.Not(within)))
        case "<":
            return Compare(name, "<", begins)
        case ">":
            return Compare(name, ">", ends)
        case "<=":
            return Compare(name, "<=", ends)
        case ">=":
            return Compare(name, ">=", begins)
    raise clause.unfit('it has =, <>, <, >, <=, >= and within "begin end"')


def _span(clause: _Clause) -> Span:
    """Read a date, a month, a year or an instant; or two of them, with a slash or, after `within`, a space between them."""
    term = clause.term.strip()
    begin, separator, end = term.partition("/") if "/" in term or clause.relation != "within" else term.partition(" ")
    try:
        if not separator:
            return _read_instant(term)
        span = Span(
            None if begin in instants.OPEN else _read_instant(begin).begins,
            None if end.strip() in instants.OPEN else _read_instant(end.strip()).ends,
        )
        if span.begins is not None and span.ends is not None and span.ends < span.begins:
            raise clause.invalid("the end is before the beginning")
    except ValueError as exc:
        raise clause.invalid(
            "a time is 2020, 2020-07, 2020-07-31, 2020-07-31T12:00:00Z, or begin/end of these"
        ) from exc
    return span


def _read_instant(text: str) -> Span:
    found = _MONTH.fullmatch(text)
    if found is None:
        return instants.read(text)
    year, month = int(found[1]), int(found[2] or 1)
    begins = datetime(year, month, 1, tzinfo=UTC)
    last = (year, month + 1) if found[2] and month < 12 else (year + 1, 1)
    after = datetime(*last, 1, tzinfo=UTC) if last[0] <= 9999 else datetime.max.replace(tzinfo=UTC)
    return Span(begins, after - timedelta(microseconds=1))


_READERS: dict[str, Callable[[_Clause], Condition]] = {
    "all": _all,
    "anywhere": _anywhere,
    "words": _words_of_field,
    "value": _value,
    "identifier": _identifier,
    "instant": _instant,
    "box": _box,
    "time": _time,
    "set": _set,
}


# --- Order ----------------------------------------------------------------------------------------------


def order_of_specs(specs: Sequence[CQLSortSpec]) -> Order | None:
    """Return the order that the sortBy of a query names; None without it. Raises Diagnostic."""
    if len(specs) > 1:
        raise Diagnostic(Code.TOO_MANY_SORT_KEYS, "1")
    for spec in specs:
        directions = [_without_prefix(each.name) for each in spec.modifiers or []]
        for name in directions:
            if name not in ("sort.ascending", "sort.descending"):
                raise Diagnostic(Code.SORT_DIRECTION, name)
        return order(str(spec.index), is_descending="sort.descending" in directions)
    return None


def order_of_keys(text: str) -> Order | None:
    """Return the order that sortKeys names (SRU 1.1): path,schema,ascending,... Raises Diagnostic."""
    keys = text.split()
    if len(keys) > 1:
        raise Diagnostic(Code.TOO_MANY_SORT_KEYS, "1")
    for key in keys:
        path, _schema, ascending = [*key.split(","), "", ""][:3]
        if ascending not in ("", "0", "1", "true", "false"):
            raise Diagnostic(Code.SORT_DIRECTION, ascending)
        return order(path, is_descending=ascending in ("0", "false"))
    return None


def order(name: str, *, is_descending: bool) -> Order:
    """Return the order by an index. Raises Diagnostic if this node does not sort by it."""
    try:
        found = _index(name, {}).order
    except Diagnostic:
        found = None
    if found is None:
        raise Diagnostic(Code.SORT_PATH, name, "records are sorted by rec.identifier or rec.lastModificationDate")
    if not is_descending:
        return found
    return "-id" if found == "id" else "-updated"
