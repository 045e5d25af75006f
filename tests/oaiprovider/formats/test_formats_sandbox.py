"""Uploaded stylesheets run where they can do no harm. Real helper processes; no database."""

import contextlib
import multiprocessing
import os
import re
import resource
import signal
import socket
import threading

import pytest
from lxml import etree

from catalogue.reasons import ActRefused
from oaiprovider.formats import sandbox, stylesheet
from oaiprovider.formats.stylesheet import Stylesheet
from tests.support import world
from tests.support.stylesheets import NAMESPACE, SCHEMA, brief, root, sheet

RECORD = world.iso_record("urn:a", title="T\u014dky\u014d & <more>")
LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"


def made(text: str, *, record: bytes = RECORD, identifier: str = "urn:a") -> bytes:
    return sandbox.transform(Stylesheet.of(text, NAMESPACE, SCHEMA), record, identifier)


def helpers() -> list[int]:
    return [helper.process.pid for helper in sandbox._idle]


@pytest.mark.spec("P48", "P65", "P66")
def test_a_record_becomes_one_element_that_says_where_its_schema_is() -> None:
    element = etree.fromstring(made(brief(), identifier="urn:a'\"\u00e9"))
    assert element.tag == f"{{{NAMESPACE}}}brief"
    assert element.get(LOCATION) == f"{NAMESPACE} {SCHEMA}"
    assert [child.text for child in element] == ["urn:a'\"\u00e9", "T\u014dky\u014d & <more>"]


def test_a_schema_location_of_its_own_stays() -> None:
    own = root(
        f'<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{NAMESPACE} http://x/y.xsd"/>'
    )
    assert etree.fromstring(made(sheet(own))).get(LOCATION) == f"{NAMESPACE} http://x/y.xsd"


def test_one_helper_serves_a_page_of_records_and_several_stylesheets_in_turn() -> None:
    first = [made(brief("first")), made(brief("second")), made(brief("first"))]
    assert [etree.fromstring(element).get("edition") for element in first] == ["first", "second", "first"]
    started = helpers()
    assert len(started) == sandbox.LIMITS.in_force.max_idle
    for number in range(100):
        made(brief("third"), identifier=f"urn:{number}")
    assert sorted(helpers()) == sorted(started)


def test_threads_have_a_helper_each_and_their_own_answers() -> None:
    answers: dict[int, list[bytes]] = {}

    def work(number: int) -> None:
        answers[number] = [made(brief(), identifier=f"urn:{number}:{n}") for n in range(30)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"urn:{n}:{i}<".encode() in answers[n][i] for n in range(4) for i in range(30))
    assert len(helpers()) <= sandbox.LIMITS.in_force.max_idle


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        ("", "makes no element"),
        ("<a/><b/>", "more than one element"),
        ("<a/>text", "or text beside it"),
        ("text<a/>", "or text beside it"),
        ('<a xmlns="urn:other"/>', "makes a in the namespace urn:other, not in"),
        ('<a xmlns=""/>', r"in the namespace \(none\)"),
        ('<a><xsl:value-of disable-output-escaping="yes" select="\'&lt;b>\'"/></a>', "not well-formed"),
        ('<xsl:message terminate="yes">not for us</xsl:message>', "not for us"),
        ('<a><xsl:value-of select="nowhere()"/></a>', "line 4"),
    ],
)
def test_what_is_not_one_element_in_the_namespace_is_no_record(inside: str, why: str) -> None:
    with pytest.raises(sandbox.TransformFailed, match=why):
        made(sheet(root(inside)))
    assert made(brief())


def test_a_stylesheet_that_does_not_compile_says_where() -> None:
    for _ in range(2):
        with pytest.raises(sandbox.StylesheetUnusable, match=r"^line 5.*apply-templates"):
            made(sheet("", root('<xsl:apply-templates select="]"/>')))
        with pytest.raises(
            sandbox.TransformFailed, match="^line 4[^;]*; Unregistered function"
        ):  # not what was wrong before
            made(sheet(root('<a><xsl:value-of select="nowhere()"/></a>')))


@pytest.mark.parametrize(
    "answer",
    [b"", b"\xff", b"null", b'["x"]', b'["no-such-code", {}]', b'[{}, {}]', b'["too-long", {}]', b'["library", "text"]',
     b'["too-long", {"bytes": "1", "limit": 1}]', b'["library", {"sentence": "x"}]', b"[" * 100_000],
)  # fmt: skip
def test_a_helper_that_answers_what_no_helper_says_is_taken_for_broken(answer: bytes) -> None:
    helper = sandbox._Helper(sandbox.LIMITS.in_force)
    failure = helper._failure(b"R", answer)
    helper.close()
    assert str(failure) == "needs more than 512 MB of memory, or breaks the process that it runs in"


LOOP = root('<a><xsl:for-each select="//node()"><xsl:call-template name="more"/></xsl:for-each></a>')
EACH, EACH_END = "<xsl:for-each select='//node()'>", "</xsl:for-each>"
NESTED = f'<xsl:template name="more">{EACH * 6}<xsl:if test="false()"/>{EACH_END * 6}</xsl:template>'
DOUBLING = (
    root('<xsl:call-template name="more"><xsl:with-param name="x">0123456789</xsl:with-param></xsl:call-template>')
    + '<xsl:template name="more"><xsl:param name="x"/><xsl:call-template name="more">'
    '<xsl:with-param name="x" select="concat($x, $x)"/></xsl:call-template></xsl:template>'
)
ENDLESS = root('<a><xsl:call-template name="more"/></a>') + (
    '<xsl:template name="more"><a><xsl:call-template name="more"/></a></xsl:template>'
)
HUGE = root(f"<a>{EACH * 4}<b>0123456789</b>{EACH_END * 4}</a>")  # gigabytes, if it could


@pytest.mark.spec("P66")
@pytest.mark.parametrize(
    ("templates", "cpu_s", "why"),
    [
        (LOOP + NESTED, 0.5, "longer than 0.5 s"),
        (DOUBLING, 30, "memory|evaluate"),  # libxslt says so where it gets no memory
        (ENDLESS, 30, "infinite|breaks"),
        (HUGE, 0.5, "."),  # whichever limit it meets first
    ],
    ids=["endless loop", "memory", "recursion", "output"],
)
def test_what_does_not_end_costs_one_record_and_the_helper(templates: str, cpu_s: float, why: str) -> None:
    for _ in range(2):
        with (
            sandbox.LIMITS.replaced(cpu_s=cpu_s, memory=256 * 1024 * 1024),
            pytest.raises(sandbox.TransformFailed, match=why),
        ):
            made(sheet(templates))
        assert made(brief())


@sandbox.LIMITS.replaced(cpu_s=0.3)
def test_the_limit_on_time_holds_without_anybody_watching() -> None:
    """Also a helper whose web process is gone does not run for ever: the kernel ends it."""
    with pytest.raises(sandbox.TransformFailed, match="0.3 s of processor time"):
        made(sheet(LOOP + NESTED))


def test_a_helper_that_is_killed_or_too_slow_says_nothing_of_the_record() -> None:
    made(brief())
    [pid] = helpers()
    os.kill(pid, signal.SIGSTOP)
    with sandbox.LIMITS.replaced(wall_s=0.2), pytest.raises(sandbox.SandboxBusy, match="did not answer"):
        made(brief())
    assert made(brief())
    [pid] = helpers()
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(0.1, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(sandbox.SandboxBusy, match="killed"):
        made(brief())
    assert made(brief())


def test_a_helper_that_died_while_it_was_idle_is_replaced() -> None:
    made(brief())
    [pid] = helpers()
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert made(brief())
    assert helpers() != [pid]


def test_a_failure_is_believed_of_a_new_helper_only() -> None:
    """What a helper has left of its memory must not decide which records harvesters get."""
    made(brief())
    [helper] = sandbox._idle
    resource.prlimit(helper.process.pid, resource.RLIMIT_AS, (1, 1))
    large = world.iso_record("urn:a", abstract="x" * 2_000_000)
    assert b"urn:a" in made(brief(), record=large)
    assert helpers() != [helper.process.pid]


def test_a_helper_that_cannot_start_says_nothing_of_the_record(monkeypatch) -> None:
    for program, why in (("/bin/false", "ended as it started"), ("/nowhere/python", "cannot be started")):
        monkeypatch.setattr(sandbox.sys, "executable", program)
        with pytest.raises(sandbox.SandboxBusy, match=why):
            made(brief())
    monkeypatch.undo()
    assert made(brief())


def test_an_answer_that_was_not_fetched_is_given_to_nobody_else(monkeypatch) -> None:
    """As when the web server ends a request that takes too long."""
    made(brief())

    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sandbox._Helper, "_read", interrupted)
        with pytest.raises(KeyboardInterrupt):
            made(brief(), identifier="urn:first")
    assert b"urn:second" in made(brief(), identifier="urn:second")


@sandbox.LIMITS.replaced(uses=3)
def test_a_helper_is_replaced_after_so_many_records() -> None:
    seen = []
    for _ in range(7):
        made(brief())
        seen += [pid for pid in helpers() if pid not in seen]
    assert len(seen) == 3


def test_helpers_end_with_the_process_that_started_them() -> None:
    made(brief())
    [helper] = sandbox._idle
    assert helper.process.stdin is not None
    helper.process.stdin.close()
    assert helper.process.wait(10) == 0
    sandbox._idle.clear()


def test_a_forked_process_leaves_its_parents_helpers_alone() -> None:
    made(brief())
    parents = helpers()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(made, (brief("second"),)) == made(brief("second"))
    assert set(parents) <= set(helpers())
    assert b"third" in made(brief("third"))


# --- What it cannot reach ------------------------------------------------------------------------------


def test_it_reads_no_file(tmp_path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text(f'<secret xmlns="{NAMESPACE}">do not tell</secret>')
    for select in (f"document('{secret}')", f"document('file://{secret}')"):
        with pytest.raises(sandbox.TransformFailed, match="denied"):
            made(sheet(root(f'<a><xsl:copy-of select="{select}"/></a>')))
    for name in ("import", "include"):
        with pytest.raises(sandbox.StylesheetUnusable, match="denied|Too many open files"):
            made(sheet(f'<xsl:{name} href="{secret}"/>', root("<a/>")))
    entity = f'<!DOCTYPE a [<!ENTITY e SYSTEM "{secret}">]>'
    assert b"do not tell" not in made(f"{entity}{sheet(root('<a>&e;</a>'))}")
    copying = sheet(root('<a><xsl:value-of select="/a"/></a>'))
    assert b"do not tell" not in made(copying, record=f"{entity}<a>&e;</a>".encode())
    assert b"tell me" in made(copying, record=b"<a>tell me</a>")


LAUGHS = "<!DOCTYPE a [<!ENTITY a0 'ha'>" + "".join(
    f"<!ENTITY a{number} '{f'&a{number - 1};' * 10}'>" for number in range(1, 10)
)
LAUGHS += "]>"


def test_entities_do_not_multiply_in_stylesheet_or_record() -> None:
    """Billion laughs: libxml2 stops counting long before the limit on memory is reached."""
    for inside in ("<a>&a9;</a>", '<a b="&a9;"/>'):
        assert any("DOCTYPE" in fault for fault in stylesheet.faults(f"{LAUGHS}{sheet(root(inside))}"))
        with pytest.raises(sandbox.TransformFailed, match="amplification"):
            made(f"{LAUGHS}{sheet(root(inside))}")
        with pytest.raises(sandbox.TransformFailed, match="amplification"):
            made(brief(), record=f"{LAUGHS}{inside}".encode())
    assert made(brief())


@pytest.mark.parametrize(
    ("namespace", "call", "is_there"),
    [
        ("http://php.net/xsl", "function('system', 'id')", False),
        ("http://icl.com/saxon", "evaluate('1')", True),
        ("http://exslt.org/dynamic", "evaluate('1')", True),
        ("http://exslt.org/functions", "f()", False),
        ("http://exslt.org/regular-expressions", f"test('{'a' * 40}!', '^(a+)+$')", False),
        ("http://exslt.org/math", "random()", True),
        ("http://exslt.org/dates-and-times", "date-time()", True),
        ("http://exslt.org/crypto", "md5('a')", False),
        ("urn:python", "f()", False),
    ],
)
def test_no_extension_function_can_be_called(namespace: str, call: str, is_there: bool) -> None:
    """No upload may name one. Where it runs those of Python, PHP and regular expressions are not there besides."""
    text = sheet(root(f'<a><xsl:value-of select="x:{call}"/></a>'), declared=f'xmlns:x="{namespace}"')
    assert any("cannot be used; of extension functions" in fault for fault in stylesheet.faults(text))
    if not is_there:
        with pytest.raises(sandbox.TransformFailed, match="Unregistered function"):
            made(text)


@pytest.mark.parametrize("select", ["str:padding(2000000000)", "str:replace(str:padding(90000000), ' ', 'aaaaaaaa')"])
def test_functions_that_make_much_of_little_are_bounded(select: str) -> None:
    with contextlib.suppress(sandbox.TransformFailed):
        assert len(made(sheet(root(f'<a><xsl:value-of select="{select}"/></a>')))) <= sandbox.sandbox_child.MAX_OUTPUT
    assert made(brief())


def test_it_writes_no_file(tmp_path) -> None:
    there = tmp_path / "there"
    for element, declared in (
        (f'<exsl:document href="{there}"><b/></exsl:document>', 'extension-element-prefixes="exsl"'),
        (f'<xsl:document href="{there}"><b/></xsl:document>', ""),
        (f'<s:output file="{there}"><b/></s:output>', 'xmlns:s="http://icl.com/saxon" extension-element-prefixes="s"'),
    ):
        with contextlib.suppress(sandbox.TransformFailed):  # or it is no element that does anything
            made(sheet(root(f"<a>{element}</a>"), declared=declared))
    assert not there.exists()


def test_it_reaches_no_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/a"
        with pytest.raises(sandbox.TransformFailed):
            made(sheet(root(f"<a><xsl:copy-of select=\"document('{address}')\"/></a>")))
        with pytest.raises(sandbox.StylesheetUnusable):
            made(sheet(f'<xsl:import href="{address}"/>', root("<a/>")))
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_helper_has_no_secret_no_open_file_of_ours_and_may_open_none() -> None:
    made(brief())
    [pid] = helpers()
    with open(f"/proc/{pid}/environ", "rb") as environ:
        assert b"SECRET" not in environ.read()
    with open(f"/proc/{pid}/limits", encoding="ascii") as limits:
        told = {line[:26].strip(): line[26:].split()[:2] for line in limits}
    assert told["Max open files"] == told["Max file size"] == told["Max processes"] == ["0", "0"]
    assert told["Max address space"] == [str(sandbox.LIMITS.in_force.memory)] * 2
    assert sorted(os.listdir(f"/proc/{pid}/fd")) == ["0", "1", "2"]


# --- What is refused before it runs ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Not XML|Line 1"),
        ("<a/>", "the root is a in the namespace"),
        ("<a>\n<b></a>", "Line 2: not well-formed"),
        ("<!DOCTYPE a><a/>", "DOCTYPE"),
        (sheet(version="2.0"), "only XSLT 1.0"),
        (sheet("", '<xsl:import href="a"/>'), "Line 5: xsl:import cannot be used"),
        (sheet('<xsl:include href="a"/>'), "Line 4: xsl:include cannot be used"),
        (sheet(root("\n<xsl:document/>")), "Line 5: xsl:document cannot be used"),
        (sheet(root("<xsl:for-each-group/>")), "no element of XSLT 1.0"),
        (sheet(declared='extension-element-prefixes="exsl"'), "extension-element-prefixes"),
        (sheet(root('<a xsl:extension-element-prefixes="exsl"/>')), "extension-element-prefixes"),
        (sheet(root("<xsl:value-of select=\"document('')\"/>")), r"Line 4: document\(\) cannot be used"),
        (sheet(root("<a b=\"{concat('}', document('x'))}\"/>")), r"document\(\) cannot be used"),
        (sheet(root('<a b="x{{y}}{document( /a )}"/>')), r"document\(\) cannot be used"),
        (sheet('<xsl:key name="k" match="a" use="document(.)"/>'), r"document\(\) cannot be used"),
        (
            sheet(root('<xsl:value-of select="d:evaluate(.)"/>'), declared='xmlns:d="http://exslt.org/dynamic"'),
            "d:evaluate",
        ),
        (sheet(root('<xsl:if test="d:date()"/>'), declared='xmlns:d="http://exslt.org/dates-and-times"'), "d:date"),
        (sheet(root('<xsl:value-of select="q:f()"/>')), "not declared"),
        ("<xsl:stylesheet" + " " * 600_000, "may have up to"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(text: str, why: str) -> None:
    found = stylesheet.faults(text)
    assert found
    assert any(re.search(why, fault) for fault in found), found


@pytest.mark.parametrize(
    "text",
    [
        brief(),
        sheet(root("<a b=\"document('x')\"><xsl:value-of select=\"'document(1)'\"/></a>")),
        sheet(root("<xsl:value-of select=\"str:tokenize(self::text(), ',')[exsl:object-type(.) = 1]\"/>")),
        sheet(root('<xsl:value-of select="child::gmd:x[position() = last()]/gmd:y | my-document"/>')),
    ],
)
def test_what_is_harmless_is_not_refused(text: str) -> None:
    assert stylesheet.faults(text) == []


def test_an_uploaded_file_may_be_in_any_encoding() -> None:
    text = sheet(root("<a>T\u014dky\u014d</a>"))
    for encoding in ("utf-8", "utf-16", "iso-2022-jp"):
        said = stylesheet.decode(
            f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding, "xmlcharrefreplace")
        )
        assert etree.fromstring(made(said)).text == "T\u014dky\u014d"
    with pytest.raises(ActRefused, match="The stylesheet is not UTF-8"):
        stylesheet.decode(b"<a>\xff</a>")
