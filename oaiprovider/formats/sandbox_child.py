"""The helper process that runs uploaded stylesheets: a script that `sandbox.py` starts. Only lxml, nothing of ours.

Before the first request `_confine` sets limits that the kernel enforces for the rest of its life: it can open no file
and no socket, start no process, write only to its pipes, and use only so much memory. For each request a timer of
processor time ends the process (the default action of SIGPROF), since libxslt cannot be interrupted from Python.

First the helper sends READY. A request is three lengths and the bytes: a stylesheet with its namespace and schema as
JSON (empty: the same as before), an identifier, a payload. An answer is a letter (transformed, record failed, libxslt
failed, stylesheet failed), the seconds of processor time, a length and the bytes: an element, or why there is none, as JSON: a code
and facts, of which `sandbox.py` makes the sentence. What libxslt says is a fact.
"""

import json
import resource
import signal
import struct
import sys
import time
from typing import BinaryIO

from lxml import etree

READY = b"!"
TRANSFORMED, RECORD_FAILED, LIBRARY_FAILED, STYLESHEET_FAILED = b"M", b"R", b"L", b"S"
REQUEST = struct.Struct(">III")
ANSWER = struct.Struct(">cdI")
MAX_OUTPUT = 10 * 1024 * 1024  # chosen: as large as a record may be

_XSI_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
_NOTHING = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]  # missing in lxml-stubs
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, recover=False)
_EMPTY_MESSAGES = ("", "unknown error")
_ONE_ELEMENT = etree.XPath("count(/*) = 1 and not(/text()[normalize-space()])")


class _Failed(Exception):
    """The record cannot be transformed; a code with facts says why."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(code)
        self.code, self.facts = code, facts


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
        begun_s = time.process_time()
        etree.clear_error_log()  # or this request would report errors of an earlier one
        try:
            if stylesheet:
                transform = None
                fields = json.loads(stylesheet)
                namespace, schema = fields["namespace"], fields["schema"]
                transform = _compile(fields["text"].encode())
            if transform is None:
                kind, answer = STYLESHEET_FAILED, _reason("does-not-compile")
            else:
                kind, answer = TRANSFORMED, _transformed(transform, payload, identifier.decode(), namespace, schema)
        except _Failed as exc:
            kind, answer = RECORD_FAILED, _reason(exc.code, **exc.facts)
        except etree.XSLTParseError as exc:
            kind, answer = STYLESHEET_FAILED, _library_reason(exc)
        except (etree.LxmlError, ValueError) as exc:
            kind, answer = LIBRARY_FAILED, _library_reason(exc)
        except RecursionError:
            kind, answer = RECORD_FAILED, _reason("too-deep")
        signal.setitimer(signal.ITIMER_PROF, 0)
        _answer(answers, kind, time.process_time() - begun_s, answer)


def _warm_up() -> None:
    """Load everything that libraries load at first use: no file can be opened later."""
    identity = (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:s="http://exslt.org/strings">'
        "<xsl:template match=\"/\"><a xmlns='urn:a'><xsl:value-of select=\"s:tokenize('a b')\"/></a></xsl:template>"
        "</xsl:stylesheet>"
    )
    _transformed(_compile(identity.encode()), b"<b/>", "urn:a", "urn:a", "urn:a")
    try:
        _compile(b'<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><a')
    except etree.LxmlError as exc:
        _library_reason(exc)


def _confine(memory: int) -> None:
    """Set the limits of this process; `memory` in bytes."""
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),  # the pipes stay open; nothing else can be opened
    ):
        hard = resource.getrlimit(limit)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)  # the limit may be stricter already
        resource.setrlimit(limit, (bound, bound))


def _compile(text: bytes) -> etree.XSLT:
    return etree.XSLT(etree.fromstring(text, _PARSER), access_control=_NOTHING, regexp=False)


def _transformed(transform: etree.XSLT, payload: bytes, identifier: str, namespace: str, schema: str) -> bytes:
    """Transform the record into one element in its namespace that names its schema (P48, P65)."""
    result = transform(etree.fromstring(payload, _PARSER), identifier=etree.XSLT.strparam(identifier))
    root = result.getroot()
    if root is None:
        raise _Failed("no-element")
    if not _ONE_ELEMENT(result):
        raise _Failed("several-elements")
    name = etree.QName(root)
    if name.namespace != namespace:
        code = "other-namespace" if name.namespace else "no-namespace"
        raise _Failed(code, name=name.localname, namespace=name.namespace, expected=namespace)
    if root.get(_XSI_LOCATION) is None:
        root.set(_XSI_LOCATION, f"{namespace} {schema}")
    data: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=False, with_tail=False)
    if len(data) > MAX_OUTPUT:
        raise _Failed("too-long", bytes=len(data), limit=MAX_OUTPUT)
    try:
        etree.fromstring(data, _PARSER)  # unescaped output may have made it ill-formed
    except etree.XMLSyntaxError as exc:
        raise _Failed("not-well-formed", error=str(exc.msg)) from exc
    return data


def _reason(code: str, **facts: object) -> bytes:
    return json.dumps((code, facts)).encode()


def _library_reason(exc: Exception) -> bytes:
    """Join the first three messages of libxslt, those with a line number first."""
    log = sorted(
        ((entry.line, entry.message.partition("\n")[0]) for entry in getattr(exc, "error_log", ())),
        key=lambda entry: not entry[0],
    )
    messages = dict.fromkeys(
        f"line {line}: {text}" if line else text for line, text in log if text not in _EMPTY_MESSAGES
    )
    if not messages:
        return _reason("library-silent", error=str(exc))
    return _reason("library", text="; ".join(list(messages)[:3]))


def _answer(answers: BinaryIO, kind: bytes, took_s: float, answer: bytes) -> None:
    answers.write(ANSWER.pack(kind, took_s, len(answer)))
    answers.write(answer)
    answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
