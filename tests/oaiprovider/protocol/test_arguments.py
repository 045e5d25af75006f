"""Raw bytes to a checked request, or to every fault found. No database, no Django."""

from datetime import UTC, datetime
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue import oai
from oaiprovider.protocol import arguments
from oaiprovider.protocol.arguments import Argument, Request
from oaiprovider.protocol.errors import BadArgument, BadVerb, OaiFault, Refused

XML_TEXT = st.text(
    st.characters(
        exclude_categories=["Cs"],
        exclude_characters=oai.NOT_XML.findall("".join(map(chr, range(32)))) + ["\ufffe", "\uffff"],
    )
)


def faults(query: str) -> tuple[OaiFault, ...]:
    with pytest.raises(Refused) as refused:
        arguments.read(arguments.split(query.encode()))
    return refused.value.faults


def request(query: str) -> Request:
    return arguments.read(arguments.split(query.encode()))


@pytest.mark.spec("P5")
def test_pairs_are_separated_by_ampersands_only_and_empty_ones_are_ignored() -> None:
    assert arguments.split(b"&&a=1;b=2&c&d=&") == [
        Argument("a", "1;b=2"),
        Argument("c", ""),
        Argument("d", ""),
    ]


@pytest.mark.spec("P5")
def test_a_value_may_hold_an_equals_sign() -> None:
    assert arguments.split(b"a=b=c") == [Argument("a", "b=c")]


@pytest.mark.spec("P6", "S40")
@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"x=a+b", "a b"),
        (b"x=a%20b", "a b"),
        (b"x=%2B", "+"),
        (b"x=oai%3Aa.org%3Ax%253Cy", "oai:a.org:x%3Cy"),
        (b"x=%C3%A9", "\u00e9"),
        (b"x=\xc3\xa9", "\u00e9"),
        (b"x=100%zz", "100%zz"),
    ],
)
def test_values_are_decoded_exactly_once(raw: bytes, value: str) -> None:
    assert arguments.split(raw) == [Argument("x", value)]


@pytest.mark.spec("P7", "S24")
@pytest.mark.parametrize(
    "raw", [b"%FF", b"%C3", b"%ED%A0%80", b"%C0%80", b"%00", b"%0B", b"%1F", b"%EF%BF%BE", b"%EF%BF%BF", b"a%08b"]
)
def test_what_is_not_utf8_or_not_xml_makes_the_argument_illegal(raw: bytes) -> None:
    query = b"verb=GetRecord&metadataPrefix=oai_dc&identifier=" + raw
    with pytest.raises(Refused) as refused:
        arguments.read(arguments.split(query))
    assert [type(fault) for fault in refused.value.faults] == [BadArgument]
    assert "identifier" in refused.value.faults[0].text


@pytest.mark.spec("P7")
@pytest.mark.parametrize("verb", ["%FF", "Identify%00", "%EF%BF%BF"])
def test_a_verb_that_is_not_text_is_a_bad_verb(verb: str) -> None:
    assert [type(fault) for fault in faults(f"verb={verb}")] == [BadVerb]


@pytest.mark.spec("P14", "P15")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("", "missing"),
        ("metadataPrefix=oai_dc", "missing"),
        ("Verb=Identify", "missing"),
        ("verb=", "empty"),
        ("verb=identify", "identify"),
        ("verb=Identify%20", "'Identify '"),
        ("verb=GetRecords", "GetRecords"),
        ("verb=Identify&verb=Identify", "repeated"),
        ("verb=Identify&verb=ListSets&junk=1", "repeated"),
        ("verb=x&foo=1&from=bad", "'x'"),
    ],
)
def test_a_bad_verb_is_the_only_fault_reported(query: str, text: str) -> None:
    (fault,) = faults(query)
    assert isinstance(fault, BadVerb)
    assert text in fault.text


@pytest.mark.spec("P14", "P21", "E12")
def test_every_fault_is_reported_in_the_order_of_the_checks() -> None:
    found = faults("verb=ListRecords&foo=1&metadataprefix=oai_dc&from=2025-02-30&set=a&set=a")
    assert all(isinstance(fault, BadArgument) for fault in found)
    assert [fault.text.split("; write")[0].rstrip(".") for fault in found] == [
        "Illegal argument 'foo' for ListRecords",
        "Illegal argument 'metadataprefix' for ListRecords; argument names are case-sensitive",
        "Argument 'set' is repeated",
        "Required argument 'metadataPrefix' is missing",
        "Argument 'from': '2025-02-30' is not a date",
    ]


@pytest.mark.spec("P13", "P16")
@pytest.mark.parametrize("verb", arguments.VERBS)
@pytest.mark.parametrize(
    "name", ["identifier", "metadataPrefix", "from", "until", "set", "resumptionToken", "setSpec", ""]
)
def test_a_name_that_t1_does_not_give_the_verb_is_illegal(verb: str, name: str) -> None:
    rules = arguments.VERBS[verb]
    values = {"identifier": "urn:a", "metadataPrefix": "oai_dc", "from": "2025-01-01", "until": "2025-01-01"}
    wanted = {n: values[n] for n in rules.required}
    query = "&".join(
        f"{key}={value}" for key, value in ({"verb": verb} | wanted | {name: values.get(name, "x")}).items()
    )
    if name in rules.legal and name != "resumptionToken":
        assert request(query).verb == verb
    elif name not in rules.legal:
        (fault,) = faults(query)
        assert fault == BadArgument(f"Illegal argument '{name}' for {verb}.")


@pytest.mark.spec("P17", "S23")
def test_a_repeated_name_is_one_fault_whatever_its_values() -> None:
    (fault,) = faults("verb=ListRecords&metadataPrefix=a&from=2025-01-01&from=junk&from=2025-01-01")
    assert fault.text == "Argument 'from' is repeated."


@pytest.mark.spec("P18")
def test_each_missing_argument_is_a_fault() -> None:
    assert [fault.text for fault in faults("verb=GetRecord")] == [
        "Required argument 'identifier' is missing.",
        "Required argument 'metadataPrefix' is missing.",
    ]


@pytest.mark.spec("P19")
def test_beside_a_token_every_other_argument_is_a_fault() -> None:
    """E14. Their values are not looked at, nor is the token."""
    found = faults("verb=ListRecords&metadataPrefix=iso19139&resumptionToken=abc&until=junk")
    assert [fault.text for fault in found] == [
        "Argument 'metadataPrefix' is not allowed together with 'resumptionToken'.",
        "Argument 'until' is not allowed together with 'resumptionToken'.",
    ]


@pytest.mark.spec("P20")
@pytest.mark.parametrize("name", ["metadataPrefix", "from", "until", "set"])
def test_an_empty_value_is_not_an_absent_argument(name: str) -> None:
    given = {"metadataPrefix": "oai_dc"} | {name: ""}
    (fault,) = faults("verb=ListRecords&" + "&".join(f"{key}={value}" for key, value in given.items()))
    assert isinstance(fault, BadArgument)
    assert name in fault.text


@pytest.mark.spec("P20")
def test_an_empty_token_is_left_for_the_tokens_to_judge() -> None:
    assert request("verb=ListSets&resumptionToken=").token == ""


@pytest.mark.spec("P8")
@pytest.mark.parametrize("prefix", ["%20iso19139", "iso19139%20", "iso19139%0A"])
def test_values_are_not_trimmed(prefix: str) -> None:
    (fault,) = faults(f"verb=ListRecords&metadataPrefix={prefix}")
    assert isinstance(fault, BadArgument)


@pytest.mark.spec("P29", "P30", "S25", "S26")
@pytest.mark.parametrize(
    "date",
    [
        "2011",
        "2011-07",
        "2011-7-1",
        "2023-02-29",
        "2023-13-01",
        "0000-01-01",
        "12011-01-01",
        "-2011-01-01",
        "2011-01-01T00:00:00",
        "2011-01-01t00:00:00Z",
        "2011-01-01T00:00:00z",
        "2011-01-01T00:00:00.0Z",
        "2011-01-01T00:00:60Z",
        "2011-01-01T24:00:00Z",
        "2011-01-01T00:00Z",
        "2011-01-01T00:00:00+00:00",
        " 2011-01-01",
        "2011-01-01\n",
        "٢٠١١-٠١-٠١",
        "2011-01-01Z",
    ],
)
@pytest.mark.parametrize("name", ["from", "until"])
def test_only_the_two_forms_of_existing_dates_are_dates(name: str, date: str) -> None:
    for written in (quote(date), date.replace("+", "%2B") if "\n" not in date else quote(date)):
        (fault,) = faults(f"verb=ListRecords&metadataPrefix=oai_dc&{name}={written}")
        assert isinstance(fault, BadArgument)
        assert f"'{name}'" in fault.text


@pytest.mark.spec("P35")
@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2025-03-01", "2025-03-01", (datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 3, 2, tzinfo=UTC))),
        (
            "2025-03-01T00:00:00Z",
            "2025-03-01T23:59:59Z",
            (datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 3, 2, tzinfo=UTC)),
        ),
        ("2024-02-29", "2024-12-31", (datetime(2024, 2, 29, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC))),
    ],
)
def test_until_is_inclusive_at_the_granularity_it_is_written_in(start, end, expected) -> None:
    asked = request(f"verb=ListRecords&metadataPrefix=oai_dc&from={start}&until={end}")
    assert (asked.start, asked.end) == expected


@pytest.mark.spec("P30")
def test_the_first_and_last_dates_of_the_calendar_are_dates() -> None:
    asked = request("verb=ListRecords&metadataPrefix=oai_dc&from=0001-01-01&until=9999-12-31")
    assert asked.start == datetime(1, 1, 1, tzinfo=UTC)
    assert asked.end is not None
    assert asked.end > datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


@pytest.mark.spec("P31", "E13")
def test_bounds_of_different_granularity_are_refused() -> None:
    query = "verb=ListIdentifiers&metadataPrefix=iso19139&from=2025-03-01&until=2025-03-02T00:00:00Z"
    assert faults(query) == (BadArgument("Arguments 'from' and 'until' must have the same granularity."),)


@pytest.mark.spec("P33", "P34")
def test_from_may_equal_until_but_not_be_later() -> None:
    query = "verb=ListIdentifiers&metadataPrefix=iso19139&from=2025-03-02&until="
    assert request(query + "2025-03-02").prefix == "iso19139"
    assert faults(query + "2025-03-01") == (BadArgument("Argument 'from' is later than 'until'."),)


@pytest.mark.spec("P60", "P72")
@pytest.mark.parametrize(
    ("name", "value", "legal"),
    [
        ("set", "a:b:c", True),
        ("set", "WIS-GISC-TOKYO", True),
        ("set", "-_.!~*'()", True),
        ("set", "a:", False),
        ("set", ":a", False),
        ("set", "a::b", False),
        ("set", "a b", False),
        ("set", "a/b", False),
        ("set", "\u00e9", False),
        ("metadataPrefix", "-_.!~*'()", True),
        ("metadataPrefix", "a:b", False),
        ("metadataPrefix", "a b", False),
    ],
)
def test_sets_and_prefixes_have_a_grammar(name: str, value: str, legal: bool) -> None:
    given = {"metadataPrefix": "oai_dc"} | {name: value}
    query = "verb=ListRecords&" + "&".join(f"{key}={quote(text)}" for key, text in given.items())
    if legal:
        assert request(query).verb == "ListRecords"
    else:
        assert [type(fault) for fault in faults(query)] == [BadArgument]


@pytest.mark.spec("P68")
@pytest.mark.parametrize(
    ("identifier", "legal"),
    [
        ("urn:x-wmo:md:int.wmo.wis::FCUK31EGRR", True),
        ("9b0d4f0e-6f7a-4c1e-8f0e-2d1f9a7b3c55", True),
        ("oai:a.org:x%3Cy", True),
        ("http://user@host:80/a?b#c", True),
        ("donn\u00e9es", True),
        ('a"b', True),  # a record may have this gmd:fileIdentifier
        ("a b", True),
        ("a[b]", True),
        ("a\ufffe", False),
        ("{" * 700, False),
        ("", False),
    ],
)
def test_an_identifier_is_one_that_a_record_may_have(identifier: str, legal: bool) -> None:
    query = f"verb=GetRecord&metadataPrefix=oai_dc&identifier={quote(identifier, safe='')}"
    if legal:
        assert request(query).identifier == identifier
    else:
        assert [type(fault) for fault in faults(query)] == [BadArgument]


@pytest.mark.spec("P68", "P14")
def test_with_another_fault_an_identifier_that_is_no_uri_is_a_fault_as_well() -> None:
    assert len(faults("verb=GetRecord&identifier=a%20b")) == 2


@pytest.mark.spec("P68", "P25")
def test_the_request_echoes_the_encoded_identifier() -> None:
    asked = request("verb=GetRecord&metadataPrefix=oai_dc&identifier=%7Ba%20b%7D")
    assert asked.identifier == "{a b}"
    assert ("identifier", "%7Ba%20b%7D") in asked.given


@pytest.mark.spec("P21")
def test_the_text_of_a_fault_is_not_longer_than_it_helps() -> None:
    (fault,) = faults("verb=ListRecords&metadataPrefix=" + "a%20" * 5000)
    assert len(fault.text) < 250


@pytest.mark.spec("P6")
@given(st.lists(st.tuples(XML_TEXT, XML_TEXT)))
def test_what_a_client_encodes_is_what_is_read(pairs: list[tuple[str, str]]) -> None:
    for encode in (quote, quote_plus):
        query = "&".join(f"{encode(name, safe='')}={encode(value, safe='')}" for name, value in pairs)
        assert arguments.split(query.encode()) == [Argument(name, value) for name, value in pairs]


PIECES = st.sampled_from(
    ["verb", *arguments.VERBS, *(name for rules in arguments.VERBS.values() for name in rules.legal)]
    + ["=", "&", "%", "%00", "%FF", "+", "2025-01-01", "2025-01-01T00:00:00Z", "oai_dc", "a:b", "urn:x", ";", "\u00e9"]
)


@pytest.mark.spec("P14")
@given(st.one_of(st.binary(), st.lists(PIECES).map(lambda pieces: "".join(pieces).encode())))
def test_whatever_is_sent_is_a_request_or_faults_never_a_crash(raw: bytes) -> None:
    found: tuple[OaiFault, ...] = ()
    try:
        asked = arguments.read(arguments.split(raw))
    except Refused as refused:
        found = refused.faults
    else:
        assert asked.verb in arguments.VERBS
        assert asked.given
        return
    assert len({type(fault) for fault in found}) == 1
