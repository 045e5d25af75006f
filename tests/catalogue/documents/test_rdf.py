"""The three ways to write RDF give the same triples, whatever the texts are."""

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from rdflib.compare import isomorphic

from catalogue.documents import rdf
from catalogue.documents.rdf import Iri, Literal, Node, Value


def graphs(nodes: list[Node]) -> list[rdflib.Graph]:
    written = ((rdf.to_xml, "xml"), (rdf.to_turtle, "turtle"), (rdf.to_json_ld, "json-ld"))
    return [rdflib.Graph().parse(data=write(nodes), format=form) for write, form in written]


def is_same(one: rdflib.Graph, other: rdflib.Graph) -> bool:
    """Whether two graphs are the same; of many blank nodes that are alike rdflib would compare all orders, so these only by triples."""
    if len({term for triple in one for term in triple if isinstance(term, rdflib.BNode)}) <= _MOST_BLANK:
        return isomorphic(one, other)
    return _blanked(one) == _blanked(other)


def _blanked(found: rdflib.Graph) -> list[tuple[str, ...]]:
    return sorted(tuple("" if isinstance(term, rdflib.BNode) else term.n3() for term in triple) for triple in found)


_MOST_BLANK = 5
# What XML has no characters for is in no record, and so in no text here. A carriage return would have to be escaped.
texts = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), include_characters="\t\n", exclude_characters="\ufffe\uffff")
)
iris = texts.map(lambda text: rdf.iri_of(f"http://x.example/{text}")).filter(bool)
literals = st.builds(rdf.literal, texts, st.sampled_from(["", "en", "fr-CA", "und", "e n", "x'"])) | st.builds(
    Literal, texts.map(lambda _: "2020-01-01"), datatype=st.just("xsd:date")
)
names = st.sampled_from(["dct:title", "dct:subject", "foaf:page", "dcat:keyword"])
types = st.sampled_from([("dcat:Dataset",), ("foaf:Agent", "prov:Agent")])


def node_of(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Node]:
    properties = st.lists(st.tuples(names, values), max_size=4).map(tuple)
    return st.builds(Node, types, properties, st.just("") | iris)


nodes = node_of(st.recursive(literals | iris.map(Iri), node_of, max_leaves=6))


@given(st.lists(nodes, min_size=1, max_size=3))
def test_all_three_have_the_same_triples(made: list[Node]) -> None:
    first, *others = graphs(made)
    assert all(is_same(first, other) for other in others)
    assert {str(value) for value in first.objects() if isinstance(value, rdflib.Literal)} == {
        value.text for node in rdf.walk(made) for _, value in node.properties if isinstance(value, Literal)
    }


@pytest.mark.parametrize(
    ("text", "iri"),
    [
        ("urn:x-wmo:md:int.wmo.wis::A", "urn:x-wmo:md:int.wmo.wis::A"),
        (' http://x/a b"c<d>\n ', "http://x/a%20b%22c%3Cd%3E"),
        ("http://x/{a}|b\\c^d`", "http://x/%7Ba%7D%7Cb%5Cc%5Ed%60"),
        ("http://x/é氷", "http://x/é氷"),
        ("a/relative", ""),
        ("1x:a", ""),
        ("urn:", ""),
        ("", ""),
    ],
)
def test_what_may_be_in_no_address_is_percent_encoded_and_what_is_none_is_none(text: str, iri: str) -> None:
    assert rdf.iri_of(text) == iri


def test_the_xml_stands_by_itself_and_declares_only_what_it_uses() -> None:
    root = etree.fromstring(rdf.to_xml([Node(("dcat:Dataset",), (("dct:title", Literal("a <b> & c")),), "urn:a")]))
    assert set(root.nsmap) == {"rdf", "dcat", "dct"}
    assert root.findtext(".//{*}title") == "a <b> & c"


def test_what_is_described_in_several_nodes_is_written_once() -> None:
    theme = Node(("skos:Concept",), (("dct:subject", Node(("foaf:Agent",), ())),), "urn:theme")
    made = [Node(("dcat:Dataset",), (("dcat:theme", theme),), f"urn:{number}") for number in range(3)]
    assert rdf.to_turtle(made).count(b"<urn:theme> a") == 1
    assert rdf.to_xml(made).count(b"<skos:Concept") == 1
    assert rdf.to_json_ld(made).count(b"skos:Concept") == 1
    first, *others = graphs(made)
    assert all(isomorphic(first, other) for other in others)
