"""The helper process that runs uploaded stylesheets: a script that `sandbox.py` starts. Only lxml, nothing of ours.

Before it reads its first request it gives up what could do harm, for good and by the kernel's hand: after
`_confine` it can open no file and no socket, start no process, write no byte but to the pipes it has, and have no
more memory than it is told. Each request has a timer of processor time that ends the process (the default action of
SIGPROF), since libxslt cannot be interrupted from Python.

When it is ready it says so. A request is three lengths and the bytes: a stylesheet with its namespace and schema as JSON (empty: as before), an
identifier, a payload. An answer is a letter (made, record failed, stylesheet failed), a length and the bytes.
"""

import json
import resource
import signal
import struct
import sys
from typing import BinaryIO

from lxml import etree

READY = b"!"
MADE, RECORD_FAILED, STYLESHEET_FAILED = b"M", b"R", b"S"
REQUEST = struct.Struct(">III")
ANSWER = struct.Struct(">cI")
MAX_OUTPUT = 10 * 1024 * 1024  # chosen: as large as a record may be

_XSI_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
_NOTHING = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]  # missing in lxml-stubs
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, recover=False)
_SAYS_NOTHING = ("", "unknown error")
_ONE_ELEMENT = etree.XPath("count(/*) = 1 and not(/text()[normalize-space()])")


class _Failed(Exception):
    """The record cannot be given in this format; the text says why."""


def main(memory: int, cpu_s: float) -> None:
    """Answer requests until the pipe is closed."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    _warm_up()
    _confine(memory)
    answers.write(READY)
    answers.flush()
    transform: etree.XSLT | None = None
    namespace = schema = ""
    while header := requests.read(REQUEST.size):
        stylesheet, identifier, payload = (requests.read(length) for length in REQUEST.unpack(header))
        signal.setitimer(signal.ITIMER_PROF, cpu_s)
        etree.clear_error_log()  # or what an earlier request had wrong would be told of this one
        try:
            if stylesheet:
                transform = None
                said = json.loads(stylesheet)
                namespace, schema = said["namespace"], said["schema"]
                transform = _compile(said["text"].encode())
            if transform is None:
                kind, answer = STYLESHEET_FAILED, b"does not compile"
            else:
                kind, answer = MADE, _make(transform, payload, identifier.decode(), namespace, schema)
        except _Failed as exc:
            kind, answer = RECORD_FAILED, str(exc).encode()
        except etree.XSLTParseError as exc:
            kind, answer = STYLESHEET_FAILED, _told(exc).encode()
        except (etree.LxmlError, ValueError) as exc:
            kind, answer = RECORD_FAILED, _told(exc).encode()
        except RecursionError:
            kind, answer = RECORD_FAILED, b"is nested too deeply"
        signal.setitimer(signal.ITIMER_PROF, 0)
        _answer(answers, kind, answer)


def _warm_up() -> None:
    """Have everything loaded that is loaded when it is first needed: no file can be opened later."""
    identity = (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:s="http://exslt.org/strings">'
        "<xsl:template match=\"/\"><a xmlns='urn:a'><xsl:value-of select=\"s:tokenize('a b')\"/></a></xsl:template>"
        "</xsl:stylesheet>"
    )
    _make(_compile(identity.encode()), b"<b/>", "urn:a", "urn:a", "urn:a")
    try:
        _compile(b'<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><a')
    except etree.LxmlError as exc:
        _told(exc)


def _confine(memory: int) -> None:
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),  # those that are open stay so; there will be no others
    ):
        hard = resource.getrlimit(limit)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)  # it may be stricter already
        resource.setrlimit(limit, (bound, bound))


def _compile(text: bytes) -> etree.XSLT:
    return etree.XSLT(etree.fromstring(text, _PARSER), access_control=_NOTHING, regexp=False)


def _make(transform: etree.XSLT, payload: bytes, identifier: str, namespace: str, schema: str) -> bytes:
    """The record in the format: one element in its namespace that says where its schema is (P48, P65)."""
    made = transform(etree.fromstring(payload, _PARSER), identifier=etree.XSLT.strparam(identifier))
    root = made.getroot()
    if root is None:
        raise _Failed("makes no element")
    if not _ONE_ELEMENT(made):
        raise _Failed("makes more than one element, or text beside it")
    name = etree.QName(root)
    if name.namespace != namespace:
        raise _Failed(f"makes {name.localname} in the namespace {name.namespace or '(none)'}, not in {namespace}")
    if root.get(_XSI_LOCATION) is None:
        root.set(_XSI_LOCATION, f"{namespace} {schema}")
    data: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=False, with_tail=False)
    if len(data) > MAX_OUTPUT:
        raise _Failed(f"makes {len(data):,} bytes, more than {MAX_OUTPUT:,}")
    try:
        etree.fromstring(data, _PARSER)  # unescaped output and decoded characters may spoil it
    except etree.XMLSyntaxError as exc:
        raise _Failed(f"makes what is not well-formed XML: {exc.msg}") from exc
    return data


def _told(exc: Exception) -> str:
    """What libxslt said, first what has a line; only the first sentences of a long complaint."""
    log = sorted(
        ((entry.line, entry.message.partition("\n")[0]) for entry in getattr(exc, "error_log", ())),
        key=lambda entry: not entry[0],
    )
    told = dict.fromkeys(f"line {line}: {text}" if line else text for line, text in log if text not in _SAYS_NOTHING)
    return "; ".join(list(told)[:3]) or f"{exc}, and no reason is told, as when there is no more memory"


def _answer(answers: BinaryIO, kind: bytes, answer: bytes) -> None:
    answers.write(ANSWER.pack(kind, len(answer)))
    answers.write(answer)
    answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
