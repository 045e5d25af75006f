"""From the raw bytes of a query string or a form body to a checked `Request`, or to every fault found.

Pure: no Django, no database, no clock. Django's QueryDict is not used on purpose: it replaces bytes that are
not UTF-8 without saying so (S24) and hides repetition (S23).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote_to_bytes

from catalogue import datestamps, oai
from oaiprovider.protocol.errors import BadArgument, BadVerb, Fault, Refused

IDENTIFIER, PREFIX, SET, FROM, UNTIL, TOKEN = (
    "identifier",
    "metadataPrefix",
    "set",
    "from",
    "until",
    "resumptionToken",
)


@dataclass(frozen=True, slots=True)
class Rules:
    """One row of T1: which arguments a verb requires and which it allows besides."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    resumable: bool = False

    @property
    def legal(self) -> tuple[str, ...]:
        return self.required + self.optional + ((TOKEN,) if self.resumable else ())


# P13, table T1. The six names of P15, and nothing the network may call besides.
VERBS = {
    "Identify": Rules(),
    "ListMetadataFormats": Rules(optional=(IDENTIFIER,)),
    "ListSets": Rules(resumable=True),
    "GetRecord": Rules(required=(IDENTIFIER, PREFIX)),
    "ListIdentifiers": Rules(required=(PREFIX,), optional=(FROM, UNTIL, SET), resumable=True),
    "ListRecords": Rules(required=(PREFIX,), optional=(FROM, UNTIL, SET), resumable=True),
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One pair as received. `legal` is False when its bytes are not UTF-8 or hold what XML cannot carry (P7)."""

    name: str
    value: str
    legal: bool = True


@dataclass(frozen=True, slots=True)
class Request:
    """A request whose arguments are all in order.

    P20 refuses empty values, so an empty string means "not given"; a token alone may be empty, hence its None.
    `start` and `end` are the half-open range that `from` and `until` name. `given` is what `<request>` echoes.
    """

    verb: str
    given: tuple[tuple[str, str], ...]
    identifier: str = ""
    prefix: str = ""
    set_spec: str = ""
    start: datetime | None = None
    end: datetime | None = None
    token: str | None = None


def split(raw: bytes) -> list[Argument]:
    """The pairs of a query string or form body, in the order received, decoded once (P5, P6)."""
    pairs = []
    for pair in raw.split(b"&"):  # P5: `;` is data
        if not pair:
            continue  # P5: `&&` and a trailing `&`
        name, _, value = pair.partition(b"=")
        text, legal = _decode(value)
        pairs.append(Argument(_decode(name)[0], text, legal))
    return pairs


def _decode(raw: bytes) -> tuple[str, bool]:
    """The text that `raw` encodes, and whether it is text that a request may hold (P6, P7)."""
    data = unquote_to_bytes(raw.replace(b"+", b" "))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "backslashreplace"), False
    return text, not oai.NOT_XML.search(text)


def read(arguments: Sequence[Argument]) -> Request:
    """The request that `arguments` make. Raises Refused with every fault of P14 (3) to (7)."""
    verb = _verb([argument for argument in arguments if argument.name == "verb"])
    rules = VERBS[verb]
    values: dict[str, list[Argument]] = {}
    for argument in arguments:
        if argument.name != "verb":
            values.setdefault(argument.name, []).append(argument)
    faults = [*_names(verb, rules, values), *_presence(rules, values)]
    single = {name: found[0] for name, found in values.items() if name in rules.legal and len(found) == 1}
    bounds: dict[str, tuple[datetime, datestamps.Granularity]] = {}
    for name, argument in single.items():
        if not argument.legal:
            faults.append(
                BadArgument(f"Argument '{name}': {quote(argument.value)} is not UTF-8 text without control characters.")
            )
        elif TOKEN not in values and (
            problem := _SYNTAX[name](argument.value)
        ):  # T3.51: beside a token no value counts
            faults.append(BadArgument(f"Argument '{name}': {quote(argument.value)} {problem}."))
        elif name in (FROM, UNTIL) and TOKEN not in values:
            bounds[name] = datestamps.parse(argument.value)
    faults += _range(bounds)
    if faults:
        raise Refused(*faults)
    text = {name: argument.value for name, argument in single.items()}
    return Request(
        verb=verb,
        given=tuple((argument.name, argument.value) for argument in arguments),
        identifier=text.get(IDENTIFIER, ""),
        prefix=text.get(PREFIX, ""),
        set_spec=text.get(SET, ""),
        start=bounds[FROM][0] if FROM in bounds else None,
        end=datestamps.end_of(*bounds[UNTIL]) if UNTIL in bounds else None,  # P35
        token=text.get(TOKEN),
    )


def _verb(found: list[Argument]) -> str:
    """P15: exactly one, one of the six names exactly; when it is not, nothing else is looked at (P14, T3.6)."""
    if not found:
        raise Refused(BadVerb("The verb argument is missing."))
    if len(found) > 1:
        raise Refused(BadVerb("The verb argument is repeated."))
    verb = found[0].value
    if not verb:
        raise Refused(BadVerb("The verb argument is empty."))
    if not found[0].legal or verb not in VERBS:
        raise Refused(BadVerb(f"{quote(verb)} is not a verb of OAI-PMH 2.0; write one of {', '.join(VERBS)}."))
    return verb


def _names(verb: str, rules: Rules, values: dict[str, list[Argument]]) -> Iterator[Fault]:
    """P16, P17: one fault for each name that is not the verb's, or occurs more than once."""
    for name, found in values.items():
        if name not in rules.legal:
            case = "; argument names are case-sensitive" if name.lower() in map(str.lower, rules.legal) else ""
            yield BadArgument(f"Illegal argument {quote(name)} for {verb}{case}.")
        elif len(found) > 1:
            yield BadArgument(f"Argument '{name}' is repeated.")


def _presence(rules: Rules, values: dict[str, list[Argument]]) -> Iterator[Fault]:
    """P18, P19: what is missing; beside a token, what is too much."""
    if rules.resumable and TOKEN in values:
        for name in values:
            if name in rules.legal and name != TOKEN:
                yield BadArgument(f"Argument '{name}' is not allowed together with 'resumptionToken'.")
        return
    for name in rules.required:
        if name not in values:
            yield BadArgument(f"Required argument '{name}' is missing.")


def _range(bounds: dict[str, tuple[datetime, datestamps.Granularity]]) -> Iterator[Fault]:
    """P31, P33: the two bounds together."""
    if len(bounds) < 2:
        return
    (start, fine), (end, coarse) = bounds[FROM], bounds[UNTIL]
    if fine is not coarse:
        yield BadArgument("Arguments 'from' and 'until' must have the same granularity.")
    elif start > end:
        yield BadArgument("Argument 'from' is later than 'until'.")


def _date(value: str) -> str:
    """Say why `value` is no date (P29, P30); empty where it is one."""
    try:
        datestamps.parse(value)
    except ValueError:
        return "is not a date; write YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"
    return ""


# P14 (6): what is wrong with the value, as the end of a sentence; empty when nothing is. P20: no grammar takes an
# empty value, but any token is for `tokens` to judge.
_SYNTAX: dict[str, Callable[[str], str]] = {
    IDENTIFIER: lambda value: oai.identifier_fault(value) or "",  # P68
    PREFIX: lambda value: "" if oai.PREFIX.fullmatch(value) else "is not a metadataPrefix",  # P60
    SET: lambda value: "" if oai.is_set_spec(value) else "is not a setSpec",  # P72
    FROM: _date,
    UNTIL: _date,
    TOKEN: lambda _: "",
}


def quote(value: str) -> str:
    """A value in the text of an error: in quotes, control characters spelled out, not longer than it helps."""
    cut = value if len(value) <= 120 else f"{value[:120]}..."
    return "'" + oai.NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", cut) + "'"
