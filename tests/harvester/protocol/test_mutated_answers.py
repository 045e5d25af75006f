"""Whatever a provider makes of an answer, it is read or refused with a fault of the harvest; nothing outside of it is ever read.

Seeded: each number is one mutation of a good answer. MUTATIONS=5000 tries more.
"""

import os
import random
import re
from pathlib import Path

import pytest

from harvester.errors import HarvestError
from harvester.protocol import answers, names, repair
from tests.support.world import iso_record

MUTATIONS = int(os.environ.get("MUTATIONS", "400"))
RECORDS = 3
SECRET = "what stands in a file of this host"
_OAI = (
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-01-01T00:00:00Z</responseDate><request/>'
)
_TAG = re.compile(rb"<[^>]*>")


def _record(number: int) -> str:
    document = iso_record(f"urn:x:{number}").split(b"?>\n", 1)[1].strip().decode()
    header = f"<header><identifier>urn:x:{number}</identifier><datestamp>2026-01-01</datestamp><setSpec>A:B</setSpec></header>"
    return f"<record>{header}<metadata>{document}</metadata></record>"


def _answers() -> dict[str, bytes]:
    token = '<resumptionToken completeListSize="9" cursor="0">t</resumptionToken>'
    records = "".join(map(_record, range(RECORDS)))
    headers = "".join(re.findall("<header>.*?</header>", records))
    sets = "".join(f"<set><setSpec>A:{n}</setSpec><setName>n</setName></set>" for n in range(RECORDS))
    identity = "<repositoryName>r</repositoryName><baseURL>http://p/</baseURL><protocolVersion>2.0</protocolVersion>"
    identity += "<adminEmail>a@b.c</adminEmail><earliestDatestamp>2020-01-01</earliestDatestamp>"
    identity += "<deletedRecord>transient</deletedRecord><granularity>YYYY-MM-DD</granularity>"
    bodies = {
        "ListRecords": records + token, "ListIdentifiers": headers + token, "ListSets": sets + token, "Identify": identity,
    }  # fmt: skip
    return {
        verb: f"<?xml version='1.0'?>{_OAI}<{verb}>{body}</{verb}></OAI-PMH>".encode() for verb, body in bodies.items()
    }


GOOD = _answers()


def mutated(seed: int, secret: Path) -> tuple[str, bytes]:
    """A verb, and its answer after one to four mutations."""
    chance = random.Random(seed)
    verb = chance.choice(list(GOOD))
    body = GOOD[verb]
    for _ in range(chance.randint(1, 4)):
        body = chance.choice(_MUTATIONS)(chance, body, secret)
    return verb, body


def _place(chance: random.Random, body: bytes) -> int:
    return chance.randrange(len(body) + 1)


def _flip(chance: random.Random, body: bytes, _: Path) -> bytes:
    changed = bytearray(body or b"x")
    for _each in range(chance.choice((1, 3, 50))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(chance: random.Random, body: bytes, _: Path) -> bytes:
    return body[: _place(chance, body)]


def _drop(chance: random.Random, body: bytes, _: Path) -> bytes:
    start = _place(chance, body)
    return body[:start] + body[start + chance.choice((1, 40, 900)) :]


def _repeat(chance: random.Random, body: bytes, _: Path) -> bytes:
    start, size = _place(chance, body), chance.choice((1, 40, 900))
    return body[:start] + body[start : start + size] * chance.choice((2, 9)) + body[start:]


def _swap_tags(chance: random.Random, body: bytes, _: Path) -> bytes:
    tags = list(_TAG.finditer(body))
    if len(tags) < 2:
        return body
    first, second = sorted(chance.sample(tags, 2), key=lambda tag: tag.start())
    return b"".join((
        body[: first.start()], second[0], body[first.end() : second.start()], first[0], body[second.end() :],
    ))  # fmt: skip


def _splice(chance: random.Random, body: bytes, secret: Path) -> bytes:
    start = _place(chance, body)
    return body[:start] + chance.choice(_PIECES(secret)) + body[start:]


def _entity(chance: random.Random, body: bytes, secret: Path) -> bytes:
    """A DTD that names a file of this host, or repeats itself, and a reference where text stands."""
    declared = chance.choice((
        f'<!ENTITY e SYSTEM "{secret.as_uri()}">', f'<!ENTITY % p SYSTEM "{secret.as_uri()}"> %p;',
        "<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY e '&b;&b;&b;&b;&b;&b;&b;&b;'>",
    ))  # fmt: skip
    return body.replace(b"?>", f"?><!DOCTYPE OAI-PMH [{declared}]>".encode(), 1).replace(b"urn:x:0", b"&e;", 2)


def _reencode(chance: random.Random, body: bytes, _: Path) -> bytes:
    return body.decode("utf-8", "replace").encode(chance.choice(("utf-16", "utf-32", "utf-7", "latin-1")), "replace")


def _PIECES(secret: Path) -> tuple[bytes, ...]:
    return (
        b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"&", b"&#0;", b"&#x110000;", b"<", b"]]>", b"<![CDATA[", b"<!--", b"<?xml?>",
        b'<resumptionToken completeListSize="-1" cursor="999999999999999999999">', b"<error code='noRecordsMatch'/>",
        b"<datestamp>99999-99-99T99:99:99Z</datestamp>", b"<header status='deleted'>", b"<record/>" * 50,
        f'<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="{secret.as_uri()}" parse="text"/>'.encode(),
        b"<a:b:c/>", b" xmlns:a=''", b"<request verb='GetRecord'>", b"<responseDate>yesterday</responseDate>",
    )  # fmt: skip


_MUTATIONS = (_flip, _cut, _drop, _repeat, _swap_tags, _splice, _splice, _entity, _reencode)


def read(verb: str, body: bytes) -> str:
    """Read an answer as a harvest does; all that it says, as a text."""
    if verb == "ListSets":
        return str(answers.parse_sets(body))
    if verb == "Identify":
        return str(answers.parse_identify(body))
    page = repair.read_page(body, verb=verb, continued=False)
    return str([(names.identify(entry), entry) for entry in page.entries])


@pytest.mark.parametrize("verb", GOOD)
def test_the_answer_that_is_mutated_is_a_good_one(verb: str) -> None:
    assert ("urn:x:2" in read(verb, GOOD[verb])) == verb.startswith(("ListR", "ListI"))


def test_a_mutated_answer_is_read_or_refused_and_tells_nothing_of_this_host(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    outcomes = {"read": 0, "refused": 0}
    for seed in range(MUTATIONS):
        verb, body = mutated(seed, secret)
        try:
            said = read(verb, body)
        except HarvestError as exc:
            said = str(exc)
            outcomes["refused"] += 1
        except Exception as exc:
            raise AssertionError(f"mutation {seed} of {verb}: {type(exc).__name__}: {exc}") from exc
        else:
            outcomes["read"] += 1
        assert SECRET not in said, f"mutation {seed}"
        assert len(said) < 100 * len(body) + 100_000, f"mutation {seed}: something was expanded"
    assert min(outcomes.values()) > MUTATIONS // 10, outcomes
