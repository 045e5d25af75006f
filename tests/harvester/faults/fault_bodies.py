"""F1 to F24: bodies and encodings."""

import gzip
import socket
import zlib

from werkzeug import Response

from catalogue.models import Record
from harvester.models import Reject
from harvester.net import client
from tests.harvester.faults.fault_cases import STAMP, Case, Outcome
from tests.support.misbehaving import World, first_page, first_time, later_page, listing, whole
from tests.support.provider import fill, identifier, xml
from tests.support.world import iso_record

DONE, RETRIED, FAILED = Outcome.DONE, Outcome.RETRIED, Outcome.FAILED
TITLE = b"Product 2"
ONLY_2 = frozenset({2})
WITHOUT_2 = frozenset({0, 1, 3, 4})


def retitled(new: bytes):
    """The title of record 2 is these bytes, in lists and when it is asked for by itself."""
    return lambda world: world.replace(TITLE, new)


def title_is(text: str):
    def check(world: World) -> None:
        title = Record.objects.get(identifier=identifier(2)).description.title
        assert title == text, title

    return check


def whole_page(change):
    """Every page of the list is changed so."""
    return lambda world: world.provider.edits.append(lambda a, body: change(body) if listing(a) else body)


def sent(**headers: str):
    """Pages are sent with a body and headers made from the sound body."""

    def arrange(make):
        def arranged(world: World) -> None:
            world.answer(listing, lambda a: xml(make(world.provider.say(a)), **headers))

        return arranged

    return arrange


def the_reject_has_identifier_and_raw_xml(world: World) -> None:
    reject = Reject.objects.get()
    assert reject.identifier == identifier(2)
    assert b"<record>" in bytes(reject.raw) and b"fileIdentifier" in bytes(reject.raw)
    assert {"verb": "GetRecord", "identifier": identifier(2), "metadataPrefix": "iso19139"} in world.provider.asked


def as_charset(world: World) -> None:
    world.answer(listing, lambda a: Response(world.provider.say(a), content_type="text/xml; charset=ISO-8859-1"))
    world.replace(TITLE, "Zürich".encode())


def declared_nowhere(world: World) -> None:
    """Latin-1, which only the HTTP header says."""

    def answer(arguments: dict[str, str]) -> Response:
        body = world.provider.say(arguments).split(b"?>", 1)[1].replace(TITLE, "Zürich".encode("latin-1"))
        return Response(body, content_type="text/xml; charset=ISO-8859-1")

    world.answer(listing, answer)


def plain_though_announced(world: World) -> None:
    def answer(connection: socket.socket, arguments: dict[str, str]) -> bool:
        if listing(arguments):
            connection.sendall(whole(world.provider.say(arguments), "Content-Encoding: gzip"))
        return listing(arguments)

    world.on_raw_server(answer)


def corrupt_unless_identity(world: World) -> None:
    def answer(arguments: dict[str, str]) -> Response:
        body = world.provider.say(arguments)
        if world.provider.requests[-1].headers["Accept-Encoding"] == "identity":
            return xml(body)
        packed = bytearray(gzip.compress(body))
        packed[len(packed) // 2] ^= 0xFF
        return xml(bytes(packed), **{"Content-Encoding": "gzip"})

    world.answer(listing, answer)


def external_entity(world: World) -> None:
    doctype = f'<!DOCTYPE OAI-PMH [<!ENTITY x SYSTEM "{world.provider.base_url}?verb=Stolen">]>'.encode()
    whole_page(lambda body: body.replace(b"?>", b"?>" + doctype, 1).replace(TITLE, b"&x;"))(world)


def nothing_was_stolen(world: World) -> None:
    assert not [a for a in world.provider.asked if a["verb"] == "Stolen"]


ENTITIES = ["<!ENTITY a0 'ha'>", *(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 9))]
BOMB = f"<!DOCTYPE b [{''.join(ENTITIES)}]>".encode()


def large_record(world: World) -> None:
    keywords = [f"{number:09d}" + "x" * 4000 for number in range(2700)]  # each far below what the parser refuses
    world.provider.entries[identifier(2)] = (STAMP, iso_record(identifier(2), keywords=keywords))


def record_of_attributes(world: World) -> None:
    attributes = b"".join(b' a%d=""' % number for number in range(60_000))
    bomb = iso_record(identifier(2)).replace(b" xmlns:", attributes + b" xmlns:", 1)
    world.provider.entries[identifier(2)] = (STAMP, bomb)


def gzip_bomb(world: World, when=later_page) -> None:
    squeezer = zlib.compressobj(9, wbits=31)
    bomb = b"".join([*(squeezer.compress(bytes(1024 * 1024)) for _ in range(client.MAX_REPLY_BYTES // 2**20 + 1))])
    bomb += squeezer.flush()
    world.answer(when, lambda a: xml(bomb, **{"Content-Encoding": "gzip"}))


def gzip_bomb_of_headers(world: World) -> None:
    gzip_bomb(world, lambda a: later_page(a) or a["verb"] == "ListIdentifiers")


def asked_one_by_one(world: World) -> None:
    assert {a["identifier"] for a in world.provider.asked_for("GetRecord")} >= {identifier(n) for n in (2, 3, 4)}


def everything_in_one_page(world: World) -> None:
    world.provider.page_size = 1000
    fill(world.provider, range(5, 300))


def prefixed(body: bytes) -> bytes:
    for name in (
        b"OAI-PMH responseDate request ListRecords record header identifier datestamp setSpec metadata resumptionToken"
    ).split():
        for before in (b"<", b"</"):
            for after in (b">", b" "):
                body = body.replace(before + name + after, before + b"oai:" + name + after)
    return body.replace(b"xmlns=", b"xmlns:oai=")


CASES = [
    Case(
        *(1, "bytes that are not the declared UTF-8", retitled("Zürich".encode("cp1252")), DONE, "was mended"),
        mended=ONLY_2,
        check=title_is("Zürich"),
    ),
    Case(2, "HTTP charset disagrees with the declaration", as_charset, DONE, check=title_is("Zürich")),
    Case(2, "the charset is in the HTTP header alone", declared_nowhere, DONE, check=title_is("Zürich")),
    Case(
        *(3, "raw control characters", retitled(b"Pro\x03duct\x1a"), DONE, "forbidden characters dropped"),
        mended=ONLY_2,
        check=title_is("Product"),
    ),
    Case(
        *(4, "references to forbidden code points", retitled(b"Pro&#3;duct&#xFFFE; &#65;"), DONE, "references"),
        mended=ONLY_2,
        check=title_is("Product A"),
    ),
    Case(5, "a NUL byte", retitled(b"Pro\0duct"), DONE, "A record was mended", mended=ONLY_2),
    Case(
        *(5, "a NUL in an identifier", lambda w: w.replace(b"R002</identifier>", b"R0\x0002</identifier>"), DONE),
        stored=WITHOUT_2,
        rejects=("cannot be read",),
    ),
    Case(
        *(6, "a bare ampersand", retitled(b"Wind & waves &amp; more"), DONE, "ampersands escaped"),
        mended=ONLY_2,
        check=title_is("Wind & waves & more"),
    ),
    Case(
        *(6, "a bare <", retitled(b"a < b"), DONE),
        stored=WITHOUT_2,
        rejects=("cannot be read",),
        check=the_reject_has_identifier_and_raw_xml,
    ),
    Case(
        *(7, "HTML entity names", retitled(b"Z&uuml;rich&nbsp;&lt;1"), DONE, "HTML entities"),
        mended=ONLY_2,
        check=title_is("Zürich <1"),
    ),
    Case(
        *(8, "an HTML page with status 200", lambda w: w.answer(listing, lambda a: b"<html>Log in</html>"), FAILED),
        says="<html>Log in",
        stored=frozenset(),
    ),
    Case(
        *(9, "an empty body", lambda w: w.answer(first_time(later_page), lambda a: b""), RETRIED, "is empty"),
    ),
    Case(
        *(
            10,
            "a truncated page",
            lambda w: w.answer(first_time(first_page), lambda a: w.provider.say(a)[:-700]),
            RETRIED,
        ),
        says="not well-formed",
    ),
    Case(
        *(
            10,
            "a page that is always truncated",
            lambda w: w.answer(later_page, lambda a: w.provider.say(a)[:-700]),
            RETRIED,
        ),
        says="not well-formed",
        check=asked_one_by_one,
    ),
    Case(
        *(11, "junk after the root", whole_page(lambda body: body + b"<br/>PHP Notice: x & y"), DONE, "after its end"),
    ),
    Case(12, "a blank before the XML declaration", whole_page(lambda body: b"\n  " + body), DONE, "white space"),
    Case(12, "a byte-order mark", whole_page(lambda body: b"\xef\xbb\xbf" + body), DONE),
    Case(
        13,
        "an XML declaration in each record",
        whole_page(lambda body: body.replace(b"<metadata>", b'<metadata><?xml version="1.0" encoding="UTF-8"?>')),
        DONE,
        "XML declarations dropped",
        mended=frozenset(range(5)),
    ),
    Case(
        *(
            14,
            "an undeclared namespace prefix",
            retitled(b"</gco:CharacterString><gmx:x/><nix:y/><gco:CharacterString>"),
        ),
        DONE,
        stored=WITHOUT_2,
        rejects=("nix",),
        check=the_reject_has_identifier_and_raw_xml,
    ),
    Case(15, "gzip sent unasked and unannounced", sent()(gzip.compress), DONE),
    Case(15, "gzip twice", sent(**{"Content-Encoding": "gzip"})(lambda b: gzip.compress(gzip.compress(b))), DONE),
    Case(15, "gzip announced but plain", plain_though_announced, DONE),
    Case(16, "a corrupt gzip stream", corrupt_unless_identity, DONE),
    Case(
        *(
            16,
            "a gzip stream that is always cut short",
            sent()(lambda b: gzip.compress(b)[:-20]),
            FAILED,
            "decompressed",
        ),
        stored=frozenset(),
    ),
    Case(
        17,
        "a wrong content type",
        lambda w: w.answer(listing, lambda a: Response(w.provider.say(a), content_type="text/html; charset=utf-8")),
        DONE,
    ),
    Case(
        18,
        "an XML bomb",
        whole_page(lambda body: body.replace(b"?>", b"?>" + BOMB, 1).replace(TITLE, b"&a8;")),
        FAILED,
        "DOCTYPE",
        stored=frozenset(),
    ),
    Case(19, "an external entity", external_entity, FAILED, "DOCTYPE", stored=frozenset(), check=nothing_was_stolen),
    Case(
        *(20, "very deep nesting", retitled(b"<a>" * 300 + b"</a>" * 300), DONE),
        stored=WITHOUT_2,
        rejects=("cannot be read",),
    ),
    Case(
        *(20, "a text of over 10 MB", retitled(b"x" * 10_100_000), DONE),
        stored=WITHOUT_2,
        rejects=("cannot be read",),
    ),
    Case(21, "a very large record", large_record, DONE, stored=WITHOUT_2, rejects=("a record may have up to",)),
    Case(
        *(21, "a record of 60,000 attributes", record_of_attributes, DONE),
        stored=WITHOUT_2,
        rejects=("attributes and namespace declarations in one element",),
    ),
    Case(22, "24 MB of white space before each page", whole_page(lambda body: b" " * 24_000_000 + body), DONE),
    Case(
        *(22, "a page that expands without end", gzip_bomb, Outcome.RESTARTED, "larger than 256 MiB"),
        check=asked_one_by_one,
    ),
    Case(
        *(22, "a page of headers that expands without end, too", gzip_bomb_of_headers, FAILED, "larger than 256 MiB"),
        stored=frozenset({0, 1}),
    ),
    Case(22, "the whole catalogue in one page", everything_in_one_page, DONE, stored=frozenset(range(300))),
    Case(
        23,
        "another OAI namespace",
        whole_page(lambda body: body.replace(b"openarchives.org/OAI/2.0/", b"openarchives.org/OAI/3.0/")),
        FAILED,
        "not OAI-PMH 2.0",
        stored=frozenset(),
    ),
    Case(24, "an extra prefix on everything", whole_page(prefixed), DONE),
]
