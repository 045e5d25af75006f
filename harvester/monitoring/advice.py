"""What a provider can do about a cause of rejects: what the rule says, and how to check. By code, in plain words."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Advice(NamedTuple):
    """What the rule says, and how the provider sees that a record keeps it."""

    rule: str | Promise
    check: str | Promise


_XML = Advice(
    _("A record has to be well-formed XML in the encoding that it declares; a reader may not guess."),
    _("Save the record and read it with an XML parser, for example: xmllint --noout record.xml"),
)
_IDENTIFIER = Advice(
    _("The identifier in the header has to be a URI, which is short, and has no spaces."),
    _("Look at the identifier in the header, and at gmd:fileIdentifier of the record."),
)
_SAME = Advice(
    _(
        "The identifier in the header and gmd:fileIdentifier of the record have to be the same, so that all centres call it the same."
    ),
    _("Ask for the record with GetRecord, and compare the header with gmd:fileIdentifier."),
)
_ISO = Advice(
    _("Metadata of WIS are ISO 19139: the root element is gmd:MD_Metadata or gmi:MI_Metadata."),
    _("Ask for the record with GetRecord and the prefix that the link uses, and look at the root element."),
)
_HEADER = Advice(
    _("Each record has a header with an identifier, and metadata unless the header says that it is deleted."),
    _("Ask for the list again with ListRecords, and look at the record."),
)
_SIZE = Advice(
    _("A record describes one data set, and has far fewer elements and bytes than this one."),
    _("Look at its size, and for parts that are repeated."),
)
_FILE_IDENTIFIER = Advice(
    _("A record has exactly one gmd:fileIdentifier, which is not empty."),
    _("Look for gmd:fileIdentifier in the record: xmllint --xpath \"//*[local-name()='fileIdentifier']\" record.xml"),
)
_OTHER = Advice(
    _("The record could not be stored for the reason above."),
    _("Ask for the record with GetRecord, and compare it with the reason. If it is not clear, ask us."),
)
_BY_CODE = {
    **dict.fromkeys(
        ("ill-formed", "record-unreadable", "not-xml", "unknown-encoding", "wrong-encoding", "half-surrogate", "empty"),
        _XML,
    ),
    **dict.fromkeys(("no-element", "has-doctype", "text-before-xml-declaration"), _XML),
    **dict.fromkeys(("other-identifier", "called-otherwise", "two-names", "identifier-taken", "old-spelling"), _SAME),
    **dict.fromkeys(("not-iso19139", "oai-pmh-answer", "csw-answer", "answer-error"), _ISO),
    **dict.fromkeys(("header-without-identifier", "record-without-metadata"), _HEADER),
    **dict.fromkeys(("too-large", "too-complex", "too-costly"), _SIZE),
    **dict.fromkeys(("not-one-file-identifier", "empty-file-identifier", "file-identifier-no-uri"), _FILE_IDENTIFIER),
}


def advise(code: str) -> Advice:
    """Return what to do about a cause."""
    if code.startswith("identifier-") and code not in _BY_CODE:
        return _IDENTIFIER
    return _BY_CODE.get(code, _OTHER)
