"""From a file to the UTF-8 bytes of its root element."""

import codecs
import encodings
import pkgutil
from encodings import aliases

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue.documents import iso19139, xml_tree
from tests.support import world

TITLE = "Température – 気温"
PLAIN = '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"><gmd:x>{}</gmd:x></gmd:MD_Metadata>'
BOMBS = (
    '<!DOCTYPE gmd:MD_Metadata [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
    '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>',
    "<!DOCTYPE x>",
    "<!doctype html>",
)


def unusable(document: bytes) -> str:
    with pytest.raises(xml_tree.Unusable) as caught:
        xml_tree.root_element(document)
    return str(caught.value)


def assert_is_a_sentence(reason: xml_tree.Unusable) -> None:
    assert len(str(reason)) > len("is empty") - 1


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("é".join(["<?xml version='1.0'?><a>", "</a>"]).encode(), "é"),
        ('<?xml version="1.0" encoding="UTF-8"?><a>é日</a>'.encode(), "é日"),
        (codecs.BOM_UTF8 + '<?xml version="1.0" encoding="UTF-8"?><a>é</a>'.encode(), "é"),
        (codecs.BOM_UTF8 + "<a>é</a>".encode(), "é"),
        ('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1"), "é"),
        ("<?xml version='1.0' encoding = 'iso-8859-15' standalone='yes'?><a>€</a>".encode("iso-8859-15"), "€"),
        ('<?xml version="1.0" encoding="windows-1252"?><a>“é”–€</a>'.encode("cp1252"), "“é”–€"),
        ('<?xml version="1.0" encoding="Shift_JIS"?><a>気温</a>'.encode("shift_jis"), "気温"),
        ('<?xml version="1.0" encoding="EUC-JP"?><a>気温</a>'.encode("euc-jp"), "気温"),
        ('<?xml version="1.0" encoding="GB18030"?><a>气温</a>'.encode("gb18030"), "气温"),
        ('<?xml version="1.0" encoding="KOI8-R"?><a>ветер</a>'.encode("koi8-r"), "ветер"),
        ('<?xml version="1.0" encoding="US-ASCII"?><a>e</a>'.encode("ascii"), "e"),
        ('<?xml version="1.0" encoding="UTF-16"?><a>é日</a>'.encode("utf-16"), "é日"),
        (codecs.BOM_UTF16_LE + '<?xml version="1.0" encoding="UTF-16"?><a>é</a>'.encode("utf-16-le"), "é"),
        (codecs.BOM_UTF16_BE + '<?xml version="1.0" encoding="UTF-16"?><a>é</a>'.encode("utf-16-be"), "é"),
        ('<?xml version="1.0" encoding="UTF-16LE"?><a>é</a>'.encode("utf-16-le"), "é"),
        ('<?xml version="1.0" encoding="UTF-16BE"?><a>é</a>'.encode("utf-16-be"), "é"),
        ("<a>😀</a>".encode("utf-16-le"), "😀"),
    ],
)
def test_every_declared_encoding_becomes_UTF_8(document: bytes, text: str) -> None:
    assert xml_tree.root_element(document) == f"<a>{text}</a>".encode()


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (codecs.BOM_UTF8 + '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode(), "é"),
        (codecs.BOM_UTF16_LE + '<?xml version="1.0" encoding="UTF-8"?><a>é</a>'.encode("utf-16-le"), "é"),
        (codecs.BOM_UTF16_BE + '<?xml version="1.0" encoding="UTF-8"?><a>é</a>'.encode("utf-16-be"), "é"),
    ],
)
def test_a_byte_order_mark_decides_against_the_declaration(document: bytes, text: str) -> None:
    assert xml_tree.root_element(document) == f"<a>{text}</a>".encode()


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("<a>é</a>".encode("latin-1"), "is not UTF-8 as it says: byte 0xe9 at position 3"),
        ('<?xml version="1.0" encoding="UTF-8"?><a>é</a>'.encode("latin-1"), "is not UTF-8 as it says"),
        ('<?xml version="1.0" encoding="ASCII"?><a>é</a>'.encode(), "is not ASCII as it says"),
        (
            '<?xml version="1.0" encoding="Shift_JIS"?><a>é</a>'.encode("latin-1") + b"\xff",
            "is not SHIFT_JIS as it says",
        ),
        (
            '<?xml version="1.0" encoding="windows-1252"?><a>\x81</a>'.encode("latin-1"),
            "is not WINDOWS-1252 as it says",
        ),
        (codecs.BOM_UTF16_LE + b"<\x00a\x00>", "is not UTF-16 as it says"),
        (codecs.BOM_UTF16_LE + b"<\x00\x00\xd8>\x00", "is not UTF-16 as it says"),
        (b'<?xml version="1.0" encoding="x-no-such"?><a/>', "declares the encoding 'x-no-such', which is not known"),
        (b'<?xml version="1.0" encoding="ebcdic"?><a/>', "is not known"),
        (b"\xed\xa0\x80<a/>", "is not UTF-8"),
    ],
)
def test_bytes_that_are_not_of_the_declared_encoding_are_refused_with_a_sentence(
    document: bytes, sentence: str
) -> None:
    assert sentence in unusable(document)


CODECS = sorted({*aliases.aliases, *(module.name for module in pkgutil.iter_modules(encodings.__path__))})


@pytest.mark.parametrize("name", CODECS)
def test_no_codec_of_python_makes_anything_but_an_element_or_a_sentence(name: str) -> None:
    """A declaration may name `zlib`, `idna` or `undefined`: that costs the record, never the page (promise 7)."""
    for content in (b"x", b"\xff\xfe\x00-", b"%41+AGE-\\x41&"):
        try:
            assert isinstance(
                xml_tree.root_element(b'<?xml version="1.0" encoding="%s"?><a>%s</a>' % (name.encode(), content)), bytes
            )
        except xml_tree.Unusable as exc:
            assert_is_a_sentence(exc)


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("before", ["", '<?xml version="1.0"?>\n', "<!-- x -->\n", "<?p x?>"])
def test_a_DOCTYPE_is_refused_wherever_it_stands(before: str, bomb: str) -> None:
    assert "DOCTYPE" in unusable(f"{before}{bomb}\n{PLAIN.format('&b;')}".encode())
    assert "DOCTYPE" in unusable(f"{before}{bomb}\n{PLAIN.format('')}".encode("utf-16"))


def test_a_DOCTYPE_in_a_comment_or_in_text_is_none() -> None:
    element = PLAIN.format("<![CDATA[<!DOCTYPE html>]]>").encode()
    assert xml_tree.root_element(b"<!-- <!DOCTYPE x> -->" + element) == element


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (b"", "is empty"),
        (b" \n\t\r\n", "is empty"),
        (codecs.BOM_UTF8, "is empty"),
        (codecs.BOM_UTF16_LE, "is empty"),
        (b'<?xml version="1.0"?>', "is empty"),
        (b"<!-- only a comment -->", "holds no XML element"),
        (b"hello", "does not begin with an element"),
        (b"hello <a/>", "does not begin with an element"),
        (b"PK\x03\x04", "does not begin with an element"),
        (b"\x00<a/>", "is not UTF-16-BE as it says"),
        (b"\x00a<a/>", "does not begin with an element"),
        (b'{"type": "Feature"}', "does not begin with an element"),
        (b'\n<?xml version="1.0" encoding="UTF-8"?><a/>', "before its XML declaration"),
        (b'<!-- x --><?xml version="1.0"?><a/>', "before its XML declaration"),
        (b'<?xml version="1.0"?><?xml version="1.0"?><a/>', "before its XML declaration"),
        (b"<a/>text", "is not well-formed"),
        (b"<a></a>text", "is not well-formed"),
        (b"<a></a><b></b>\x00", "is not well-formed"),
        (b"<a></a><!-- x", "is not well-formed"),
        (b"<a><!-- </a> -->", "is not well-formed"),
        (b"<a>", "is not well-formed"),
        (b"<a", "is not well-formed"),
    ],
)
def test_what_is_no_document_is_refused_with_a_sentence(document: bytes, sentence: str) -> None:
    assert sentence in unusable(document)


@pytest.mark.parametrize(
    "document", [b"<a/><b/>", b"<a></a><a></a>", b"text</a>", b"<a>&x;</a>", b"<a><b></a>", b"<a b=1/>"]
)
def test_what_gets_past_the_ends_is_stopped_by_the_parser(document: bytes) -> None:
    with pytest.raises(xml_tree.Unusable, match="not well-formed|does not begin"):
        iso19139.read(xml_tree.root_element(document))


def test_a_document_over_the_limit_is_refused_and_one_at_the_limit_is_not() -> None:
    element = b"<a>" + b"x" * (xml_tree.MAX_RECORD_BYTES - 7) + b"</a>"
    assert xml_tree.root_element(element) == element
    assert "MB; a record may have up to" in unusable(element + b"\n")


@pytest.mark.parametrize(
    "document",
    [
        b" " * 5_000_000 + b"<a/>",
        b"<!-- x -->" * 500_000 + b"<a/>",
        b"<!-- x " * 500_000,
        b"<?x " * 500_000,
        b"<a>" + b"<!-- x " * 500_000 + b"</a>",
        b"<a" + b" " * 5_000_000 + b"/>",
        b"<a></a" + b" " * 5_000_000 + b">",
        b"<" * 500_000,
        b'<?xml version="1.0" encoding="punycode"?>-' + b"a" * 2_000_000,
        b'<?xml version="1.0" encoding="idna"?>-' + b"a" * 2_000_000,
    ],
    ids=range(10),
)
def test_no_prologue_makes_the_reader_run_away(document: bytes) -> None:
    """Each would take minutes if reading were quadratic."""
    try:
        xml_tree.root_element(document)
    except xml_tree.Unusable as exc:
        assert_is_a_sentence(exc)


SPACE = st.text(" \t\r\n", max_size=4)
COMMENT = st.sampled_from(
    ["<!-- x -->", "<!---->", "<!-- </gmd:MD_Metadata> -->", "<!-- <a/> -->", "<!-- <?xml ?> <!DOCTYPE -->"]
)
PI = st.sampled_from(["<?x?>", "<?xml-stylesheet href='a.xsl'?>", "<?x </gmd:MD_Metadata>?>", "<?x <a/>?>"])
MISC = st.lists(SPACE | COMMENT | PI, max_size=5).map("".join)
ENCODINGS = st.sampled_from(["UTF-8", "utf-8", "UTF-16", "UTF-16LE", "UTF-16BE", "Shift_JIS", None])
ROOTS = st.sampled_from(
    [
        PLAIN.format("気温"),
        PLAIN.format("<![CDATA[<?xml version='1.0'?><a/></gmd:MD_Metadata>]]>"),
        PLAIN.format("<!-- </gmd:MD_Metadata> --><gmd:MD_Metadata/>"),
        PLAIN.format("<?xml-x ?>\r\n").replace("</gmd:MD_Metadata>", "</gmd:MD_Metadata \n>"),
        "<a/>",
        "<a b='>' />",
        "<a><b/></a>",
        "<a><a/></a>",
    ]
)


@settings(max_examples=600, deadline=None)
@given(encoding=ENCODINGS, bom=st.booleans(), before=MISC, root=ROOTS, after=MISC)
def test_the_root_comes_out_unchanged_whatever_stands_around_it(
    encoding: str | None, bom: bool, before: str, root: str, after: str
) -> None:
    if encoding is None:
        document = (before + root + after).encode()
    else:
        codec = {"UTF-16": "UTF-16LE"}.get(encoding, encoding)
        document = f'<?xml version="1.0" encoding="{encoding}"?>{before}{root}{after}'.encode(codec)
        if encoding == "UTF-16":
            document = codecs.BOM_UTF16_LE + document
    if bom and encoding in (None, "UTF-8", "utf-8"):
        document = codecs.BOM_UTF8 + document
    assert xml_tree.root_element(document) == root.encode()


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet="<>/!-?xml a='\"&;[]CDATA\n", max_size=60).map(str.encode))
def test_any_bytes_give_an_element_or_a_sentence(document: bytes) -> None:
    try:
        iso19139.read(xml_tree.root_element(document))
    except xml_tree.Unusable as exc:
        assert_is_a_sentence(exc)


@settings(max_examples=300, deadline=None)
@given(place=st.integers(0, 1500), old=st.integers(0, 30), new=st.binary(max_size=10))
def test_a_damaged_record_is_read_or_refused_with_a_sentence(place: int, old: int, new: bytes) -> None:
    record = world.iso_record("urn:x-wmo:md:int.wmo.wis::A", title=TITLE, box=(-10, 40, 10, 50), keywords=["a"])
    try:
        iso19139.read(xml_tree.root_element(record[:place] + new + record[place + old :]))
    except xml_tree.Unusable as exc:
        assert_is_a_sentence(exc)
