"""Parse the raw bytes of a query string or form body into a checked `Request`, or into every fault found.

Pure: no Django, no database, no clock. Django's QueryDict is not used, because it silently replaces bytes that are
not UTF-8 (S24) and hides repeated arguments (S23).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote_to_bytes

from catalogue import datestamps, oai
from oaiprovider.protocol.errors import BadArgument, BadVerb, OaiFault, Refused

IDENTIFIER, PREFIX, SET, FROM, UNTIL, TOKEN = (
    "identifier",
    "metadataPrefix",
    "set",
    "from",
    "until",
    "resumptionToken",
)
LONGEST_BODY = 65536  # P12, of a POST


@dataclass(frozen=True, slots=True)
class Rules:
    """One row of table T1: which arguments a verb requires and which others it allows."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    resumable: bool = False

    @property
    def legal(self) -> tuple[str, ...]:
        return self.required + self.optional + ((TOKEN,) if self.resumable else ())


# P13, P15: table T1, with the only six verbs.
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
    """One pair as received. `legal` is False if its bytes are not UTF-8 or hold characters that XML forbids (P7)."""

    name: str
    value: str
    legal: bool = True


@dataclass(frozen=True, slots=True)
class Request:
    """A request whose arguments are all valid.

    Empty values are refused (P20), so an empty string means "not given"; only a token may be empty, hence its None.
    `start` and `end` are the half-open range of `from` and `until`. `given` are the arguments that `<request>` echoes.
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
    """Split a query string or form body into its pairs, in the order received, decoded once (P5, P6)."""
    pairs = []
    for pair in raw.split(b"&"):  # P5: `;` is data
        if not pair:
            continue  # P5: `&&` and a trailing `&`
        name, _, value = pair.partition(b"=")
        text, legal = _decode(value)
        pairs.append(Argument(_decode(name)[0], text, legal))
    return pairs


def _decode(raw: bytes) -> tuple[str, bool]:
    """Decode percent-encoded bytes; also return whether the text is legal in a request (P6, P7)."""
    data = unquote_to_bytes(raw.replace(b"+", b" "))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "backslashreplace"), False
    return text, not oai.NOT_XML.search(text)


def read(arguments: Sequence[Argument]) -> Request:
    """Check `arguments` and return the request. Raises Refused with every fault of P14 (3) to (7)."""
    verb = _verb([argument for argument in arguments if argument.name == "verb"])
    rules = VERBS[verb]
    values: dict[str, list[Argument]] = {}
    for argument in arguments:
        if argument.name != "verb":
            values.setdefault(argument.name, []).append(argument)
    faults: list[OaiFault] = [*_names(verb, rules, values), *_presence(rules, values)]
    no_uris: list[OaiFault] = []
    single = {name: found[0] for name, found in values.items() if name in rules.legal and len(found) == 1}
    bounds: dict[str, tuple[datetime, datestamps.Granularity]] = {}
    for name, argument in single.items():
        if not argument.legal:
            faults.append(
                BadArgument(f"Argument '{name}': {quote(argument.value)} is not UTF-8 text without control characters.")
            )
        elif TOKEN not in values and (
            problem := _SYNTAX[name](argument.value)
        ):  # T3.51: with a token the other values are not checked
            faults.append(value_fault(name, argument.value, problem))
        elif name == IDENTIFIER and (fault := oai.identifier_fault(argument.value)):
            no_uris.append(value_fault(name, argument.value, str(fault)))  # a fault unless a record has it (P68)
        elif name in (FROM, UNTIL) and TOKEN not in values:
            bounds[name] = datestamps.parse(argument.value)
    faults += _range(bounds)
    if faults:
        raise Refused(*faults, *no_uris)
    text = {name: argument.value for name, argument in single.items()}
    return Request(
        verb=verb,
        given=tuple((argument.name, _echoed(argument)) for argument in arguments),
        identifier=text.get(IDENTIFIER, ""),
        prefix=text.get(PREFIX, ""),
        set_spec=text.get(SET, ""),
        start=bounds[FROM][0] if FROM in bounds else None,
        end=datestamps.end_of(*bounds[UNTIL]) if UNTIL in bounds else None,  # P35
        token=text.get(TOKEN),
    )


def _verb(found: list[Argument]) -> str:
    """P15: require exactly one of the six verbs; without it no other argument is checked (P14, T3.6)."""
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


def _names(verb: str, rules: Rules, values: dict[str, list[Argument]]) -> Iterator[OaiFault]:
    """P16, P17: one fault for each argument that the verb does not allow, or that is repeated."""
    for name, found in values.items():
        if name not in rules.legal:
            case = "; argument names are case-sensitive" if name.lower() in map(str.lower, rules.legal) else ""
            yield BadArgument(f"Illegal argument {quote(name)} for {verb}{case}.")
        elif len(found) > 1:
            yield BadArgument(f"Argument '{name}' is repeated.")


def _presence(rules: Rules, values: dict[str, list[Argument]]) -> Iterator[OaiFault]:
    """P18, P19: one fault for each missing argument; with a token, for each other one."""
    if rules.resumable and TOKEN in values:
        for name in values:
            if name in rules.legal and name != TOKEN:
                yield BadArgument(f"Argument '{name}' is not allowed together with 'resumptionToken'.")
        return
    for name in rules.required:
        if name not in values:
            yield BadArgument(f"Required argument '{name}' is missing.")


def _range(bounds: dict[str, tuple[datetime, datestamps.Granularity]]) -> Iterator[OaiFault]:
    """P31, P33: `from` and `until` need one granularity, in the right order."""
    if len(bounds) < 2:
        return
    (start, fine), (end, coarse) = bounds[FROM], bounds[UNTIL]
    if fine is not coarse:
        yield BadArgument("Arguments 'from' and 'until' must have the same granularity.")
    elif start > end:
        yield BadArgument("Argument 'from' is later than 'until'.")


def _date(value: str) -> str:
    """Return why `value` is no date (P29, P30); empty if it is one."""
    try:
        datestamps.parse(value)
    except ValueError:
        return "is not a date; write YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"
    return ""


# P14 (6): each function returns what is wrong with a value, as the end of a sentence; empty if nothing is. All refuse
# an empty value (P20), except for tokens, which `tokens` checks.
_SYNTAX: dict[str, Callable[[str], str]] = {
    IDENTIFIER: lambda value: str(oai.file_identifier_fault(value) or ""),  # P68: either form
    PREFIX: lambda value: "" if oai.PREFIX.fullmatch(value) else "is not a metadataPrefix",  # P60
    SET: lambda value: "" if oai.is_set_spec(value) else "is not a setSpec",  # P72
    FROM: _date,
    UNTIL: _date,
    TOKEN: lambda _: "",
}


def _echoed(argument: Argument) -> str:
    """Return the value as `<request>` echoes it: of an identifier the OAI identifier, which is a URI (P68)."""
    return oai.oai_identifier(argument.value) if argument.name == IDENTIFIER else argument.value


def value_fault(name: str, value: str, problem: str) -> OaiFault:
    """Return the fault of a value. `problem`: the end of the sentence."""
    return BadArgument(f"Argument '{name}': {quote(value)} {problem}.")


def quote(value: str) -> str:
    """Quote a value for the text of an error: control characters escaped, cut after 120 characters."""
    cut = value if len(value) <= 120 else f"{value[:120]}..."
    return "'" + oai.NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", cut) + "'"
