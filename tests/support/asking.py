"""Ask `/oai` and read the answer, checking on the way what must be true of every answer."""

import gzip
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.test import Client
from lxml import etree

from tests.support import schemas

NS = {"o": "http://www.openarchives.org/OAI/2.0/"}
_OAI = f"{{{NS['o']}}}"
FORM = "application/x-www-form-urlencoded"
VERBS = ("Identify", "ListMetadataFormats", "ListSets", "GetRecord", "ListIdentifiers", "ListRecords")


@dataclass(frozen=True, slots=True)
class Header:
    identifier: str
    datestamp: str
    sets: tuple[str, ...]
    deleted: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """A response that is an OAI-PMH document."""

    response: Any
    content: bytes
    root: Any

    @property
    def codes(self) -> list[str]:
        return [error.get("code") for error in self.root.iterfind(f"{_OAI}error")]

    @property
    def texts(self) -> list[str]:
        return [error.text for error in self.root.iterfind(f"{_OAI}error")]

    @property
    def request(self) -> Any:
        return self.root.find(f"{_OAI}request")

    @property
    def date(self) -> str:
        return self.root.findtext(f"{_OAI}responseDate")

    @property
    def headers(self) -> list[Header]:
        return [
            Header(
                header.findtext(f"{_OAI}identifier"),
                header.findtext(f"{_OAI}datestamp"),
                tuple(spec.text for spec in header.iterfind(f"{_OAI}setSpec")),
                header.get("status") == "deleted",
            )
            for header in self.root.iter(f"{_OAI}header")
        ]

    @property
    def identifiers(self) -> list[str]:
        return [header.identifier for header in self.headers]

    @property
    def token_element(self) -> Any:
        """The resumptionToken element, or None."""
        return self.root.find(f"*/{_OAI}resumptionToken")

    @property
    def token(self) -> str:
        """The token to go on with; empty when the list is complete."""
        element = self.token_element
        return "" if element is None else element.text or ""

    def find(self, path: str) -> Any:
        """The elements at an XPath below the root; the prefix `o` is OAI-PMH's."""
        return self.root.xpath(path, namespaces=NS)


def get(client: Client, *, coding: str = "identity", **arguments: str) -> Answer:
    """GET with each argument once; `from` is written `from_`."""
    query = urlencode({name.rstrip("_"): value for name, value in arguments.items()}, quote_via=quote)
    return raw_get(client, query, coding=coding)


def raw_get(client: Client, query: str, *, coding: str = "identity") -> Answer:
    """GET with the query string as it stands."""
    return read(client.get("/oai", QUERY_STRING=query, headers={"accept-encoding": coding}))


def post(client: Client, **arguments: str) -> Answer:
    body = urlencode({name.rstrip("_"): value for name, value in arguments.items()})
    return read(client.post("/oai", body, content_type=FORM))


def read(response: Any) -> Answer:
    """The answer in a response of Django or of `requests`: HTTP 200 (P9), text/xml (P10), the envelope of P43 to P45,
    valid (P46).
    """
    assert response.status_code == 200, response.content[:300]
    assert response.headers["Content-Type"] == "text/xml; charset=UTF-8"
    content = response.content
    if content.startswith(b"\x1f\x8b"):  # as Django's client leaves it
        content = gzip.decompress(content)
    assert content.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    answer = Answer(response, content, etree.fromstring(content))
    assert answer.root.prefix is None
    children = [etree.QName(child).localname for child in answer.root]
    assert children[:2] == ["responseDate", "request"]
    assert set(children[2:]) == {"error"} or (len(children) == 3 and children[2] in VERBS), children
    assert schemas.envelope_faults(content) == []
    return answer


def walk(client: Client, *, coding: str = "identity", **arguments: str) -> list[Answer]:
    """Every page of a list, in order."""
    pages = [get(client, coding=coding, **arguments)]
    while pages[-1].token:
        pages.append(get(client, coding=coding, verb=arguments["verb"], resumptionToken=pages[-1].token))
    return pages


def headers_of(pages: list[Answer]) -> list[Header]:
    return [header for page in pages for header in page.headers]


def identifiers(document: bytes) -> list[str]:
    """The identifiers of a document's headers, in order."""
    return [header.findtext(f"{_OAI}identifier") for header in etree.fromstring(document).iter(f"{_OAI}header")]


def token(document: bytes) -> str:
    """The token to go on with; empty when the list is complete."""
    return etree.fromstring(document).findtext(f"*/{_OAI}resumptionToken") or ""
