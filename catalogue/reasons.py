"""Reasons: why an entry was not stored, or a source disagrees, as a code with facts; and the sentence for each code.

Programs look at the code, people read the sentence, and nothing reads a sentence back. No I/O. The codes
are listed in docs/codes.md.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

Facts = Mapping[str, Any]  # JSON values
Sentence = str | Callable[[Facts], str]  # a template of `str.format`, or a function


def gettext(text: str) -> str:
    """As Django's, which needs settings: a process without them, as that which reads one large document, has English."""
    # Here, because pure modules, which import this one, do without Django.
    from django.conf import settings
    from django.utils import translation

    return translation.gettext(text) if settings.configured else text


def _(text: str) -> str:
    """Mark a text for translation; it is translated when a sentence is written. Django's own mark needs the settings."""
    return text


class Code(StrEnum):
    """The base of all kinds of code. The values are stored in databases and read by programs: they are never changed."""

    def sentence(self, facts: Facts) -> str:
        """Return the sentence of this code with these facts."""
        raise NotImplementedError


class Reason(NamedTuple):
    """A code with its facts. Its text is the end of a sentence about the record: "is empty"."""

    code: Code
    facts: Facts = {}

    def __str__(self) -> str:
        return self.code.sentence(self.facts)

    def to_json(self) -> dict[str, Any]:
        """Return code and facts as plain values, for the facts of another reason."""
        return {"code": self.code.value, "facts": dict(self.facts)}

    def report(self) -> dict[str, Any]:
        """Return the sentence with code and facts, for reports in JSON."""
        return {"reason": str(self), **self.to_json()}


class ReasonError(Exception):
    """An error with a reason. Its text is that of the reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class ActRefused(ReasonError):
    """What a person asked for cannot be done, and nothing was changed."""


def write_sentence(sentences: Mapping[str, Sentence], code: str, facts: Facts) -> str:
    """Return the sentence of a code in the language in force; the code with its facts if there is none. Never raises.

    A row may come from another version of this node, which knows other codes and facts.
    """
    sentence = sentences.get(code)
    try:
        if isinstance(sentence, str):
            return gettext(sentence).format_map(facts) if sentence else ""
        if sentence is not None:
            return sentence(facts)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        pass  # a fact is missing, or is something else than this version knows
    if not facts:
        return str(code)
    return f"{code} ({', '.join(f'{name} {value}' for name, value in dict(facts).items())})"


def join_clauses(*clauses: str, by: str = "; ") -> Sentence:
    """Return a sentence of several clauses, each of which is translated by itself."""
    return lambda facts: by.join(gettext(clause) for clause in clauses).format_map(facts)


# What Python, Redis and zlib write before the words of an error.
_ERROR_NUMBERS = re.compile(r"\[Errno -?\d+\] |\bError -?\d+ (?=connecting to|while )")


def describe_error(error: BaseException | str) -> str:
    """Return the text of an error, or its class, for people: in one line, and without the numbers of the system."""
    text = _ERROR_NUMBERS.sub("", " ".join(str(error).split()))
    return text or type(error).__name__


class ReasonCode(Code):
    """Why a document or a deletion is not stored as it was offered, or what sources disagree about."""

    # Documents
    TOO_LARGE = "too-large"
    TOO_COMPLEX = "too-complex"
    TOO_COSTLY = "too-costly"
    EMPTY = "empty"
    NO_ELEMENT = "no-element"
    DOCTYPE = "has-doctype"
    BEFORE_DECLARATION = "text-before-xml-declaration"
    NOT_XML = "not-xml"
    UNKNOWN_ENCODING = "unknown-encoding"
    WRONG_ENCODING = "wrong-encoding"
    HALF_SURROGATE = "half-surrogate"
    NOT_WELL_FORMED = "ill-formed"
    NOT_ISO_19139 = "not-iso19139"
    OAI_PMH_ANSWER = "oai-pmh-answer"
    CSW_ANSWER = "csw-answer"
    ANSWER_ERROR = "answer-error"
    DELETED_HEADER = "deleted-header"
    FILE_IDENTIFIERS = "not-one-file-identifier"
    EMPTY_FILE_IDENTIFIER = "empty-file-identifier"
    FILE_IDENTIFIER_NO_URI = "file-identifier-no-uri"
    # Files
    NO_REGULAR_FILE = "no-regular-file"
    UNREADABLE_FILE = "unreadable-file"
    CANNOT_UNPACK = "cannot-unpack"
    ARCHIVE_DAMAGED = "archive-damaged"
    ARCHIVE_OVER_LIMIT = "archive-over-limit"
    # Identifiers (P68)
    IDENTIFIER = "identifier-no-uri"
    IDENTIFIER_EMPTY = "identifier-empty"
    IDENTIFIER_TOO_LONG = "identifier-too-long"
    IDENTIFIER_WHITE_SPACE = "identifier-white-space"
    IDENTIFIER_CHARACTERS = "identifier-characters"
    IDENTIFIER_CONTROL_CHARACTER = "identifier-control-character"
    IDENTIFIER_ESCAPE = "identifier-escape"
    IDENTIFIER_FRAGMENTS = "identifier-fragments"
    IDENTIFIER_SCHEME = "identifier-scheme"
    IDENTIFIER_HOST = "identifier-host"
    IDENTIFIER_TAKEN = "identifier-taken"
    SPELLING_STAYS = "spelling-stays"
    # Owners and other sources
    NOT_IN_CATALOGUE = "not-in-catalogue"
    WITHDRAWN = "withdrawn"
    BROUGHT_BACK = "brought-back"
    OLDER = "older-than-stored"
    REPEATED = "instead-of-other-document"
    EMPTIED = "emptied"
    OTHER_SET = "belongs-to-other-set"
    LIVE_ELSEWHERE = "deleted-by-owner-live-elsewhere"
    LIVE_AT_OWNER = "deleted-elsewhere-live-at-owner"
    DIFFERS = "differs-from-owner"
    DIFFERS_FROM_SOURCE = "differs-from-other-source"
    REPLACES_SOURCE = "replaces-other-source"
    CLAIMS_DAMAGED = "claims-damaged"
    FROM_LINK = "from-link"
    LINK_DECIDES = "link-decides"
    DELETED_BY_LINK = "deleted-by-link"
    HARVESTED_FROM_CO_OWNER = "harvested-from-co-owner"
    # Uploads
    NO_ROOM_FOR_UPLOAD = "no-room-for-upload"
    TOO_MANY_DOCUMENTS = "too-many-documents"
    UPLOAD_FILES_GONE = "upload-files-gone"
    UPLOAD_STALLED = "upload-stalled"
    UPLOAD_NOT_READY = "upload-not-ready"
    NOTHING_TO_STORE = "nothing-to-store"
    SET_GONE = "set-gone"
    FOLDER_WATCHED = "folder-watched"
    # What a person does to a record
    NO_SET_OF_THIS_NODE = "no-set-of-this-node"
    OTHER_RECORD = "document-of-other-record"
    CHANGED_SINCE = "changed-since"
    NO_SUCH_VERSION = "no-such-version"
    # Which of two versions counts (W33)
    BY_ORIGIN = "by-datestamp-at-origin"
    BY_METADATA_DATE = "by-metadata-date"
    BY_DIRECT_WAY = "by-direct-way"
    STORED_FIRST = "stored-first"
    GIVEN_SINCE = "given-since"
    # Why tombstones are not purged
    CLOCK_WRONG = "clock-wrong"
    CLOCK_DIFFERS = "clock-differs-from-providers"
    MOST_TOMBSTONES = "most-tombstones"
    # Events of the journal that are not replayed
    DELETED_IN_OTHER_SET = "deleted-in-other-set"
    MOVED_TO_OTHER_SET = "moved-to-other-set"
    CAME_BACK = "came-back"
    LEFT_AND_NOT_STORED = "left-set-not-stored"
    LEFT_AND_MEMBER = "left-set-member-again"

    def sentence(self, facts: Facts) -> str:
        return write_sentence(SENTENCES, self, facts)


def read_reason(stored: Mapping[str, Any] | None) -> Reason | None:
    """Return a reason as `Reason.to_json` wrote it; of a code that this version does not know, None."""
    if not stored:
        return None
    try:
        return Reason(ReasonCode(stored["code"]), dict(stored.get("facts") or {}))
    except ValueError:
        return None


def _too_large(facts: Facts) -> str:
    return gettext("is {bytes:.1f} MB; a record may have up to {limit:.1f} MB").format(
        bytes=facts["bytes"] / 1e6, limit=facts["limit"] / 1e6
    )


# What a document can have too much of (`catalogue.documents.complexity`).
EXCESSES: Mapping[str, str] = {
    "tags": _("tags"),
    "attributes": _("attributes"),
    "element-attributes": _("attributes and namespace declarations in one element"),
    "namespaces": _("namespace declarations in force at one element"),
    "namespaces-around": _("namespace declarations around its records"),
    "tag": _("bytes in one tag"),
    "name": _("bytes in the name of one element or attribute"),
    "outside": _("bytes of white space and comments before or after the root element"),
    "entries": _("records, headers, sets or errors"),
    "token": _("characters in its resumption token"),
}


def describe_excess(facts: Facts) -> str:
    """Return what a document or an answer has too much of, and the limit."""
    return gettext("has at least {number:,} {of}, and may have up to {limit:,}").format(
        number=facts["number"], of=gettext(EXCESSES.get(facts["of"], facts["of"])), limit=facts["limit"]
    )


def _too_complex(facts: Facts) -> str:
    return gettext("{excess}; no metadata needs more: look for a mistake of the program that wrote it").format(
        excess=describe_excess(facts)
    )


def _not_well_formed(facts: Facts) -> str:
    line = gettext(", line {line}").format_map(facts) if "line" in facts else ""
    return gettext("is not well-formed XML: {error}{line}").format(error=facts["error"], line=line)


def _archive_over_limit(facts: Facts) -> str:
    what = {
        "members": gettext("has more than {limit:,} members"),
        "bytes": gettext("unpacks to more than {limit:,} bytes, which no archive of records of its size does"),
        "header": gettext("has a header of more than {limit:,} bytes before one of its members"),
    }[facts["of"]].format_map(facts)
    return gettext(
        "{what}; nothing more was read of it: unpack it yourself, look at what is in it, and name the folder"
    ).format(what=what)


def _answer_error(facts: Facts) -> str:
    return gettext("is an answer with the error {error}").format(
        error=": ".join(filter(None, (facts["error"], facts["text"])))
    )


def _file_identifiers(facts: Facts) -> str:
    return gettext("has {number} gmd:fileIdentifier; a record needs exactly one").format(
        number=facts["number"] or gettext("no")
    )


def _file_identifier_no_uri(facts: Facts) -> str:
    return gettext("has the gmd:fileIdentifier {identifier!r}, which {why}; give it another one").format(
        identifier=facts["identifier"], why=_nested(facts, "fault")
    )


def _identifier(facts: Facts) -> str:
    return gettext("the identifier {identifier!r} {why}").format(
        identifier=facts["identifier"], why=_nested(facts, "fault")
    )


def _deleted_in_other_set(facts: Facts) -> str:
    return gettext("belongs to the set {owner} now; it was deleted in {sets}").format(
        owner=facts["owner"], sets=", ".join(facts["sets"])
    )


def _moved_to_other_set(facts: Facts) -> str:
    return gettext("belongs to the set {owner} now; it had moved to {sets}").format(
        owner=facts["owner"], sets=", ".join(facts["sets"])
    )


def _repeated(facts: Facts) -> str:
    text = (
        gettext("has the identifier of {other}, and takes its place: one record of the two is left")
        if facts.get("other")
        else gettext("has the identifier of an earlier document, and takes its place: one record of the two is left")
    )
    return text.format_map(facts)


def _differs_from_source(facts: Facts) -> str:
    source = (
        gettext("the link {source}").format_map(facts)
        if facts.get("source")
        else gettext("this node itself")
        if "source" in facts
        else ""
    )
    by = f" ({source})" if source else ""
    return gettext("differs from the version of another source of {owner}{by}, which counts {why}").format(
        owner=facts["owner"], by=by, why=_nested(facts, "why")
    )  # W33


def _replaces_source(facts: Facts) -> str:
    return gettext("replaces the version of another source, {why}").format(why=_nested(facts, "why"))  # W33


def _nested(facts: Facts, name: str) -> str:
    """Return the sentence of a reason that is a fact of another one."""
    reason = facts[name]
    return write_sentence(SENTENCES, reason["code"], reason["facts"])


_WRONG_ROOT = _("is not an ISO 19139 record: its root is {root} in the namespace {namespace}")

SENTENCES: Mapping[str, Sentence] = {
    ReasonCode.TOO_LARGE: _too_large,
    ReasonCode.TOO_COMPLEX: _too_complex,
    ReasonCode.TOO_COSTLY: _(
        "takes more than {cpu_s} s of CPU time or {memory_mib} MiB of memory to read; records of real "
        "services take a hundredth of it: look at what is in it"
    ),
    ReasonCode.EMPTY: _("is empty"),
    ReasonCode.NO_ELEMENT: _("holds no XML element"),
    ReasonCode.DOCTYPE: _("has a DOCTYPE, which is refused because it can hide entities; remove it"),
    ReasonCode.BEFORE_DECLARATION: (
        _("has something before its XML declaration, which may only stand at the very start; remove it")
    ),
    ReasonCode.NOT_XML: _("is not XML: it does not begin with an element"),
    ReasonCode.UNKNOWN_ENCODING: _("declares the encoding {encoding!r}, which is not known here; save it as UTF-8"),
    ReasonCode.WRONG_ENCODING: (
        _(
            "is not {encoding} as it says: byte {byte:#04x} at position {position} does not fit; save it again in one encoding"
        )
    ),
    ReasonCode.HALF_SURROGATE: _("holds half a surrogate pair, which is no character; save it as UTF-8"),
    ReasonCode.NOT_WELL_FORMED: _not_well_formed,
    ReasonCode.NOT_ISO_19139: join_clauses(_WRONG_ROOT, _("the catalogue stores gmd:MD_Metadata and gmi:MI_Metadata")),
    ReasonCode.OAI_PMH_ANSWER: join_clauses(
        _WRONG_ROOT, _("this is part of an OAI-PMH answer, and has no metadata: ask for ListRecords with iso19139")
    ),
    ReasonCode.CSW_ANSWER: join_clauses(
        _WRONG_ROOT,
        _(
            "this is part of an answer of a CSW server: ask it for the full records with the "
            "outputSchema http://www.isotc211.org/2005/gmd"
        ),
    ),
    ReasonCode.ANSWER_ERROR: _answer_error,
    ReasonCode.DELETED_HEADER: (
        _(
            "is a deletion of {identifier!r} in an OAI-PMH answer, which is not applied: withdraw the record, or harvest the "
            "provider"
        )
    ),
    ReasonCode.FILE_IDENTIFIERS: _file_identifiers,
    ReasonCode.EMPTY_FILE_IDENTIFIER: _("has an empty gmd:fileIdentifier; give the record an identifier"),
    ReasonCode.FILE_IDENTIFIER_NO_URI: _file_identifier_no_uri,
    ReasonCode.NO_REGULAR_FILE: _("is no regular file"),
    ReasonCode.UNREADABLE_FILE: _("cannot be read: {error}"),
    ReasonCode.CANNOT_UNPACK: _("cannot be unpacked: {error}"),
    ReasonCode.ARCHIVE_OVER_LIMIT: _archive_over_limit,
    ReasonCode.ARCHIVE_DAMAGED: _("is cut short or damaged after the last document taken from it: {error}"),
    ReasonCode.IDENTIFIER: _identifier,
    ReasonCode.IDENTIFIER_EMPTY: _("is empty"),
    ReasonCode.IDENTIFIER_TOO_LONG: _("is longer than {limit} bytes"),
    ReasonCode.IDENTIFIER_WHITE_SPACE: _("contains white space"),
    ReasonCode.IDENTIFIER_CHARACTERS: _("contains {characters}"),
    ReasonCode.IDENTIFIER_CONTROL_CHARACTER: _("contains a control character"),
    ReasonCode.IDENTIFIER_ESCAPE: _("contains a % that two hexadecimal digits do not follow"),
    ReasonCode.IDENTIFIER_FRAGMENTS: _("contains more than one #"),
    ReasonCode.IDENTIFIER_SCHEME: _("begins with {scheme!r}, which is no URI scheme, before its first colon"),
    ReasonCode.IDENTIFIER_HOST: _("has a host part that is not host or host:port"),
    ReasonCode.IDENTIFIER_TAKEN: (
        _(
            "has the OAI identifier {oai_identifier}, which belongs to the record {stored!r}: one of the two needs another "
            "gmd:fileIdentifier"
        )  # P68
    ),
    ReasonCode.SPELLING_STAYS: (
        _("is spelled {spelling} now, and stays {stored} here: its spelling has changed twice within a week")  # F74
    ),
    ReasonCode.NOT_IN_CATALOGUE: _("is not in the catalogue"),
    ReasonCode.WITHDRAWN: _("was deleted on {date}; to bring it back, offer it with --revive"),
    ReasonCode.BROUGHT_BACK: _("is brought back; it had been deleted on {date}"),
    ReasonCode.OLDER: _("has gmd:dateStamp {offered}, which is older than the replaced version's, {stored}"),
    ReasonCode.REPEATED: _repeated,
    ReasonCode.EMPTIED: _(
        "has no records any more, where it had some; what it had stays ({number}) until the file is deleted"
    ),
    ReasonCode.OTHER_SET: _("belongs to the set {owner}, so {set} cannot {act} it"),
    ReasonCode.LIVE_ELSEWHERE: _("is deleted in {set} and still live at another source"),
    ReasonCode.LIVE_AT_OWNER: _("is still live in {owner}"),
    ReasonCode.DIFFERS: _("differs from the version of {owner}, which counts"),
    ReasonCode.DIFFERS_FROM_SOURCE: _differs_from_source,
    ReasonCode.REPLACES_SOURCE: _replaces_source,
    ReasonCode.CLAIMS_DAMAGED: _("is deleted, because the versions of other sources are damaged"),
    ReasonCode.FROM_LINK: _("came by the link {link}, which decides where it belongs"),
    ReasonCode.LINK_DECIDES: _("came by the link {link}, whose provider decides about its content"),
    ReasonCode.DELETED_BY_LINK: _(
        "is deleted in a set that is harvested ({link}), whose provider decides whether it comes back"
    ),
    ReasonCode.HARVESTED_FROM_CO_OWNER: (
        _(
            "{set} is harvested from a co-owner (link {link}), and between co-owners nothing is harvested that one of them "
            "uploads: make it a link of the kind backup, which shows what differs and stores what you confirm, or remove it"
        )  # W42 to W44
    ),
    ReasonCode.NO_ROOM_FOR_UPLOAD: _(
        "the disk of GISC_UPLOAD_DIR has {left_mb:,} MB left, and {needed_mb:,} are needed; make room there, or send less"
    ),
    ReasonCode.TOO_MANY_DOCUMENTS: _(
        "the files have more than {limit:,} documents; send them in parts, or use `manage.py ingest`"
    ),
    ReasonCode.UPLOAD_FILES_GONE: _(
        "its files are not in GISC_UPLOAD_DIR, where the worker looks; if web server and worker run apart, both need the "
        "same folder"
    ),
    ReasonCode.UPLOAD_STALLED: _(
        "{tries} workers have ended before they came further than {number:,} documents; the log of the worker says why"
    ),
    ReasonCode.UPLOAD_NOT_READY: _("it does not wait for you now: somebody else has begun to store, or has closed it"),
    ReasonCode.NOTHING_TO_STORE: _("nothing is chosen that can be stored"),
    ReasonCode.SET_GONE: _("there is no set {set} any more"),
    ReasonCode.FOLDER_WATCHED: _(
        "another process of this node watches a folder of this path, perhaps on another host; two would withdraw each other's records:"
        " end one of the two, or give one another path"
    ),
    ReasonCode.NO_SET_OF_THIS_NODE: _(
        "{set} is no set of this node: records are moved into its own set, or into a shared one"
    ),
    ReasonCode.OTHER_RECORD: _(
        "has the gmd:fileIdentifier {identifier!r}; this is the record {stored!r}, whose identifier stays"
    ),
    ReasonCode.CHANGED_SINCE: _("has changed since you looked at it; look again"),
    ReasonCode.NO_SUCH_VERSION: _("has no version {number} whose content is kept"),
    ReasonCode.BY_ORIGIN: _("by their datestamps at the origin of both"),
    ReasonCode.BY_METADATA_DATE: _("by gmd:dateStamp"),
    ReasonCode.BY_DIRECT_WAY: _("because it came from its origin directly"),
    ReasonCode.STORED_FIRST: _("because it was stored first and nothing shows which one is newer"),
    ReasonCode.GIVEN_SINCE: _("because it replaced this one, which was here before"),
    ReasonCode.CLOCK_WRONG: _("the clock of this host is wrong by {offset_s:+.0f} s against NTP; set it"),
    ReasonCode.CLOCK_DIFFERS: (
        _(
            "the clocks of {links} providers differ from ours by {skew_s:+.0f} s in the middle; check the clock of this host"
        )
    ),
    ReasonCode.MOST_TOMBSTONES: (
        _(
            "{going} of all {all} deleted records would be forgotten at once; if that is right, run manage.py catalogue purge --even-if-many"
        )
    ),
    ReasonCode.DELETED_IN_OTHER_SET: _deleted_in_other_set,
    ReasonCode.MOVED_TO_OTHER_SET: _moved_to_other_set,
    ReasonCode.CAME_BACK: _("came back on {date}, after it had been deleted"),
    ReasonCode.LEFT_AND_NOT_STORED: (
        _("had left the set {set} and is not in the catalogue; replay again when it was ingested or harvested")
    ),
    ReasonCode.LEFT_AND_MEMBER: _("is in the set {set}, which it had left on {date}"),
}


class JournalCode(Code):
    """What is wrong with the journal's files, or with the database beside them."""

    DATABASE_BEHIND = "database-behind"
    RESTORE_NOT_ENDED = "restore-not-ended"
    FILES_BEHIND = "files-behind"
    FILES_NOT_READ = "files-not-read"
    IN_DATA_DIRECTORY = "in-data-directory"
    ON_DISK_OF_DATA = "on-disk-of-data"

    def sentence(self, facts: Facts) -> str:
        return write_sentence(JOURNAL, self, facts)


_COMMANDS = (
    "manage.py restore --in-place [--journal the journal folder of each other host] [--records your records] "
    "(docs/deployment.md, Restore)"
)


def _database_behind(facts: Facts) -> str:
    who = (
        gettext("{directory} has events up to {end}").format_map(facts)
        if facts["end"]
        else gettext("another host's journal has events")
    )
    return gettext(
        "{who} that the database has not: the database, or the data directory, was put back from an "
        "older copy. The node is not ready, harvests nothing and writes nothing to the journal until "
        "you have stopped it and run: {commands}"
    ).format(who=who, commands=_COMMANDS.format_map(facts))


JOURNAL: Mapping[str, Sentence] = {
    JournalCode.DATABASE_BEHIND: _database_behind,
    JournalCode.RESTORE_NOT_ENDED: join_clauses(
        _("a restore was begun and has not ended. The node is not ready and harvests nothing until you have run"),
        _COMMANDS,
        by=": ",
    ),
    JournalCode.FILES_BEHIND: (
        _(
            "{directory} lacks events of the writer {writer} (host {host}) after {here}, up to {written}: put its files back "
            "from a copy; without them a rebuilt database forgets these deletions"
        )
    ),
    JournalCode.FILES_NOT_READ: _("{folder} has files of the journal that are not read; move them to {directory}"),
    JournalCode.IN_DATA_DIRECTORY: (
        _(
            "the journal {directory} is inside the data directory {data_directory}: whatever loses or puts back the one does "
            "it to the other. Stop the node, move the folder to another disk, and name it in GISC_JOURNAL_DIR"
        )
    ),
    JournalCode.ON_DISK_OF_DATA: (
        _(
            "the journal {directory} is on the disk of the data directory {data_directory}: one fault may take both. Name a "
            "folder on another disk in GISC_JOURNAL_DIR"
        )
    ),
}
