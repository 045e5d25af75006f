"""Every sentence that an operator reads about a run, its faults and its provider, made from a code and its facts. No I/O.

Why entries were not stored, and how conflicts were settled: `harvester.reasons`.

A code is a member of an enum below; programs, alerts and filters go by it (`docs/codes.md`). Its facts are JSON values. To
add a sentence: add the code to its enum, the sentence to the table under it, and a row to `docs/codes.md`. A sentence is a
format of the facts, or a function of them.

Nothing reads a sentence back. A row may come from another version of this node: a code without a sentence, or without a
fact that its sentence needs, is shown as the code with its facts, and never raises.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_noop as _

from catalogue.reasons import Code, Facts, Sentence, describe_error, describe_excess, join_clauses, write_sentence
from harvester.reason_names import REASON_NAMES

MAX_CHARACTERS = 2000  # chosen: of a text in the facts; some repeat what the provider sent
_MAX_ITEMS = 20  # chosen: of a list in the facts


def limit_facts(facts: Facts, max_characters: int = MAX_CHARACTERS) -> dict[str, Any]:
    """Return facts as a JSON column can store them: long texts and lists cut, no characters that PostgreSQL refuses."""
    return {str(name): _limit(value, max_characters) for name, value in facts.items()}


def _limit(value: Any, max_characters: int) -> Any:
    if isinstance(value, str):
        return value[:max_characters].replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return limit_facts(value, max_characters)
    if isinstance(value, list | tuple):
        return [_limit(item, max_characters) for item in value[:_MAX_ITEMS]]
    return value


def as_sentence(text: str) -> str:
    """Return a clause as a sentence: it begins large and has a full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


# --- Faults -----------------------------------------------------------------------------------------


class FaultCode(Code):
    """Why a request, a page or a run failed. The codes of `harvester.errors.HarvestError`."""

    # No answer, or none that is complete
    NO_ANSWER = "no-answer"
    ANSWER_TOO_SLOW = "answer-too-slow"
    ANSWER_CUT_SHORT = "answer-cut-short"
    ANSWER_INCOMPLETE = "answer-incomplete"
    ANSWER_TOO_LARGE = "answer-too-large"
    ANSWER_TOO_COMPLEX = "answer-too-complex"
    NOT_DECOMPRESSIBLE = "not-decompressible"
    PROXY_UNREACHABLE = "proxy-unreachable"
    ADDRESS_UNUSABLE = "address-unusable"
    CERTIFICATE_UNTRUSTED = "certificate-untrusted"
    PASSWORD_UNREADABLE = "password-unreadable"
    # Status and redirects
    HTTP_ERROR = "http-error"
    HTTP_REFUSED = "http-refused"
    BROWSER_CHALLENGE = "browser-challenge"
    REDIRECT_NO_ANSWER = "redirect-no-answer"
    REDIRECT_CIRCLE = "redirect-circle"
    REDIRECTS_TOO_MANY = "redirects-too-many"
    REDIRECT_WITHOUT_TARGET = "redirect-without-target"
    REDIRECT_NO_WEB_ADDRESS = "redirect-no-web-address"
    REDIRECT_PRIVATE = "redirect-private"
    REDIRECT_DROPS_ARGUMENTS = "redirect-drops-arguments"
    # Answers that are not OAI-PMH
    ANSWER_EMPTY = "answer-empty"
    ENCODING_UNREADABLE = "encoding-unreadable"
    DOCTYPE = "doctype"
    NOT_WELL_FORMED = "not-well-formed"
    XML_SYNTAX = "xml-syntax"
    NOT_OAI_PMH = "not-oai-pmh"
    STATIC_REPOSITORY = "static-repository"
    VERB_MISSING = "verb-missing"
    RESPONSE_DATE = "response-date"
    RECORDS_MISPLACED = "records-misplaced"
    PLACEHOLDERS_MISPLACED = "placeholders-misplaced"
    NOT_ONE_RECORD = "not-one-record"
    # Errors of OAI-PMH
    REQUEST_REFUSED = "request-refused"
    LIST_BROKEN_OFF = "list-broken-off"
    OAI_ERROR_UNKNOWN = "oai-error-unknown"
    PREFIX_NOT_ISO = "prefix-not-iso19139"
    # Lists and records
    EMPTY_PAGES = "empty-pages"
    ONE_IDENTIFIER = "one-identifier"
    SETS_ENDLESS = "sets-endless"
    TOKEN_REPEATED = "token-repeated"
    PAGE_REPEATED = "page-repeated"
    LIST_TOO_LONG = "list-too-long"
    MORE_THAN_ANNOUNCED = "more-than-announced"
    MORE_THAN_DIFFERENT = "more-than-different"
    GETRECORD_COUNT = "getrecord-count"
    OTHER_RECORD = "other-record"
    OTHER_SET = "other-set-answered"
    SET_MISSING = "set-missing"
    NOTHING_TAKEN = "nothing-taken"
    RECORD_UNAVAILABLE = "record-unavailable"
    # This node
    DATABASE_LOST = "database-lost"
    DISK_FULL = "disk-full"
    DATABASE_DAMAGED = "database-damaged"
    NODE_ERROR = "node-error"
    NODE_CRASHED = "node-crashed"

    @property
    def is_of_this_node(self) -> bool:
        """Whether the fault says nothing about the provider."""
        return self in _OF_THIS_NODE

    def sentence(self, facts: Facts) -> str:
        return describe_fault(self, facts)


_OF_THIS_NODE = frozenset(
    (
        FaultCode.DATABASE_LOST,
        FaultCode.DISK_FULL,
        FaultCode.DATABASE_DAMAGED,
        FaultCode.NODE_ERROR,
        FaultCode.NODE_CRASHED,
    )
)


def describe_fault(code: str, facts: Facts) -> str:
    """Return a fault as a part of a sentence: it begins small and has no full stop."""
    return write_sentence(FAULTS, code, facts)


def describe_cause(cause: Facts) -> str:
    """As `describe_fault`, of a fault as JSON: `code` and `facts`."""
    return describe_fault(cause["code"], cause["facts"])


_DEFAULT_ADVICE = _("look at the link's base URL and at the provider")
_ASK_FOR_ACCESS = _("ask the provider to let this node's requests through (User-Agent, address)")
_ADVICE = {
    400: _("it does not understand requests of OAI-PMH; look at the link's base URL"),
    401: _(
        "it asks for a user name and password; WIS metadata are public, so ask the provider, or set them in the link"
    ),
    403: _ASK_FOR_ACCESS,
    404: _("there is nothing at this address; look at the link's base URL"),
    405: _("it takes neither GET nor POST; look at the link's base URL"),
    407: _("the proxy asks for a user name and password; set them in the link"),
    410: _("the provider has gone from this address; ask where it is now"),
    501: _("it takes neither GET nor POST; look at the link's base URL"),
}


def _http_error(facts: Facts) -> str:
    return gettext("the provider answered HTTP {status} {reason}").format_map(facts).rstrip()


def _http_refused(facts: Facts) -> str:
    return f"{_http_error(facts)}; {gettext(_ADVICE.get(facts['status'], _DEFAULT_ADVICE))}"


def _doctype(facts: Facts) -> str:
    text = gettext("the answer has a DOCTYPE, which no OAI-PMH answer has")
    return (
        gettext("{text}; it begins {beginning!r}").format(text=text, beginning=facts["beginning"])
        if "beginning" in facts
        else text
    )


def _verb_missing(facts: Facts) -> str:
    return gettext("the answer has no {verb} element; it has: {found}").format(
        verb=facts["verb"], found=", ".join(facts["found"]) or gettext("nothing")
    )


def _oai_errors(facts: Facts) -> str:
    return "; ".join(f"{each['code'] or gettext('(no code)')}: {each['text']}".rstrip(": ") for each in facts["errors"])


def _request_refused(facts: Facts) -> str:
    text = gettext("the provider refused the request: {errors}").format(errors=_oai_errors(facts))
    prefixes = facts.get("iso_prefixes")
    return (
        gettext("{text}; ISO 19139 is called {prefixes} there: correct the link's prefix").format(
            text=text, prefixes=", ".join(prefixes)
        )
        if prefixes
        else text
    )


def _prefix_not_iso(facts: Facts) -> str:
    text = gettext("the prefix {prefix} brings {namespace}, and only ISO 19139 can be stored").format_map(facts)
    if facts["iso_prefixes"]:
        return gettext("{text}; ISO 19139 is called {iso_prefixes} there: correct the link's prefix").format(
            text=text, iso_prefixes=", ".join(facts["iso_prefixes"])
        )
    return gettext(
        "{text}; “retrieve info” says what else the provider offers: correct the link's prefix, or ask it for ISO 19139"
    ).format(text=text)


def _node_crashed(facts: Facts) -> str:
    text = gettext(
        "{crashes} times in a row this node could not go on with the run: its worker died, or made an error"
    ).format_map(facts)
    last = (
        gettext("; the last error it could note: {cause}").format(cause=describe_cause(facts["cause"]))
        if facts.get("cause")
        else ""
    )
    return gettext("{text} (its log, and the system's, have more: is memory short?){last}").format(text=text, last=last)


class ConnectionCode(StrEnum):
    """Why a connection failed (the fact `detail` of faults without an answer)."""

    REFUSED = "connection-refused"
    CUT = "connection-cut"
    TIMED_OUT = "timed-out"
    HOST_UNKNOWN = "host-unknown"
    NAMES_AWAY = "names-away"
    UNREACHABLE = "network-unreachable"
    NO_HTTPS = "no-https"


CONNECTIONS: Mapping[str, Sentence] = {
    ConnectionCode.REFUSED: _("connection refused"),
    ConnectionCode.CUT: _("the connection was cut"),
    ConnectionCode.TIMED_OUT: _("timed out"),
    ConnectionCode.HOST_UNKNOWN: _("no such host"),
    ConnectionCode.NAMES_AWAY: _("the name of the host could not be looked up"),
    ConnectionCode.UNREACHABLE: _("its network cannot be reached from here"),
    ConnectionCode.NO_HTTPS: _("what answers there does not speak https"),
}


def _with_cause(template: str) -> Sentence:
    """Return the sentence of a fault whose `detail` is a `ConnectionCode`, or the words of an error."""

    def sentence(facts: Facts) -> str:
        detail = facts["detail"]
        words = write_sentence(CONNECTIONS, detail, {}) if detail in CONNECTIONS else describe_error(detail)
        return gettext(template).format_map({**facts, "detail": words})

    return sentence


FAULTS: Mapping[str, Sentence] = {
    FaultCode.NO_ANSWER: _with_cause(_("no answer from {url}: {detail}")),
    FaultCode.ANSWER_TOO_SLOW: _("the answer of {url} was not complete after {limit_s:g} s"),
    FaultCode.ANSWER_CUT_SHORT: _with_cause(_("the answer of {url} broke off: {detail}")),
    FaultCode.ANSWER_INCOMPLETE: _("the answer broke off after {bytes} of {announced} bytes"),
    FaultCode.ANSWER_TOO_LARGE: _(
        "the answer is larger than {limit_mib} MiB; ask the provider for smaller pages, or harvest its sets one by one"
    ),
    FaultCode.ANSWER_TOO_COMPLEX: lambda facts: gettext(
        "the answer {excess}; ask the provider for smaller pages, or what has made it so"
    ).format(excess=describe_excess(facts)),
    FaultCode.NOT_DECOMPRESSIBLE: _("the answer of {url} cannot be decompressed: {detail}"),
    FaultCode.PROXY_UNREACHABLE: _with_cause(_("no way to {url} through the proxy: {detail}")),
    FaultCode.ADDRESS_UNUSABLE: _with_cause(_("no provider can be asked at {url}: {detail}")),
    FaultCode.CERTIFICATE_UNTRUSTED: _with_cause(
        _(
            "the certificate of {url} cannot be trusted: {detail}; tell the provider, or, if it has a certificate authority of "
            "its own, put that authority's certificate into the link"
        )
    ),
    FaultCode.PASSWORD_UNREADABLE: _(
        "the {password} of {link} cannot be read: it was stored under another SECRET_KEY. Enter "
        "it again in the link, in the administration or by `manage.py link access`, or bring the former SECRET_KEY back"
    ),
    FaultCode.HTTP_ERROR: _http_error,
    FaultCode.HTTP_REFUSED: _http_refused,
    FaultCode.BROWSER_CHALLENGE: join_clauses(
        _("the provider answered HTTP {status} with a challenge for browsers"), _ASK_FOR_ACCESS
    ),
    FaultCode.REDIRECT_NO_ANSWER: _("the provider redirects to {target}, which gives no answer"),
    FaultCode.REDIRECT_CIRCLE: _("the redirects of {url} go round in a circle; look at the link's base URL"),
    FaultCode.REDIRECTS_TOO_MANY: _("more than {limit} redirects from {url}; correct the link's base URL"),
    FaultCode.REDIRECT_WITHOUT_TARGET: join_clauses(_("HTTP {status} without a Location"), _DEFAULT_ADVICE),
    FaultCode.REDIRECT_NO_WEB_ADDRESS: _(
        "a redirect leads to {target!r}, which is no web address; look at the link's base URL"
    ),
    FaultCode.REDIRECT_PRIVATE: _(
        "a redirect leads to {host}, which is not on the public network, and was not followed; if "
        "it is right, make it the link's base URL"
    ),
    FaultCode.REDIRECT_DROPS_ARGUMENTS: _(
        "a redirect from {url} to {target} drops the arguments; make {target} the link's base URL"
    ),
    FaultCode.ANSWER_EMPTY: _("the answer is empty"),
    FaultCode.ENCODING_UNREADABLE: _("the answer {detail}"),
    FaultCode.DOCTYPE: _doctype,
    FaultCode.NOT_WELL_FORMED: _("the answer is not well-formed XML: {detail}; it begins {beginning!r}"),
    FaultCode.XML_SYNTAX: _("{detail}"),
    FaultCode.NOT_OAI_PMH: _("the answer is not OAI-PMH 2.0; it begins {beginning!r}"),
    FaultCode.STATIC_REPOSITORY: _(
        "this is a static repository, one file; harvest the base URL of the gateway that serves it"
    ),
    FaultCode.VERB_MISSING: _verb_missing,
    FaultCode.RESPONSE_DATE: _("the answer has the responseDate {text!r}, which is no date"),
    FaultCode.RECORDS_MISPLACED: _("the answer has records in places where no record belongs"),
    FaultCode.PLACEHOLDERS_MISPLACED: _("records of the page are not where they seemed to be"),
    FaultCode.NOT_ONE_RECORD: _("it does not hold exactly one record"),
    FaultCode.REQUEST_REFUSED: _request_refused,
    FaultCode.LIST_BROKEN_OFF: lambda facts: gettext("the provider broke off the list: {errors}").format(
        errors=_oai_errors(facts)
    ),
    FaultCode.OAI_ERROR_UNKNOWN: lambda facts: gettext("the provider answered an unknown error: {errors}").format(
        errors=_oai_errors(facts)
    ),
    FaultCode.PREFIX_NOT_ISO: _prefix_not_iso,
    FaultCode.EMPTY_PAGES: _("{pages} pages in a row without records that ask to go on"),
    FaultCode.ONE_IDENTIFIER: _("all {records} records of a page have the identifier {identifier!r}"),
    FaultCode.SETS_ENDLESS: _("ListSets did not end after {pages} pages"),
    FaultCode.TOKEN_REPEATED: _("page {page} gives a resumption token that was given before"),
    FaultCode.PAGE_REPEATED: _("page {page} is a page that came before"),
    FaultCode.LIST_TOO_LONG: _("the list did not end after {pages} pages"),
    FaultCode.MORE_THAN_ANNOUNCED: _("{listed} entries came of a list that is said to have {announced}"),
    FaultCode.MORE_THAN_DIFFERENT: _(
        "{listed} entries came, and only {different} records are known: the list has no end"
    ),
    FaultCode.GETRECORD_COUNT: _("GetRecord brought {records} records"),
    FaultCode.OTHER_RECORD: _("the answer to GetRecord was of {identifier!r}"),
    FaultCode.OTHER_SET: _("the answer was to a request for the set {set!r}, which this link did not ask for"),
    FaultCode.SET_MISSING: lambda facts: _set_missing(facts).removesuffix(".").replace("The", "the", 1),
    FaultCode.NOTHING_TAKEN: lambda facts: gettext(
        "of the entries of the list, {rejected}, none could be stored (mostly: {reason}): look at the "
        "rejects, and by “retrieve info” whether prefix and identifiers of the link are right"
    ).format(rejected=facts["rejected"], reason=name_reason(facts["reason"])),
    FaultCode.RECORD_UNAVAILABLE: lambda facts: gettext("it cannot be had: {cause}").format(
        cause=describe_cause(facts["cause"])
    ),
    FaultCode.DATABASE_LOST: _("our own database was lost ({detail})"),
    FaultCode.DISK_FULL: _("the disk of this node is full ({detail}); make room on it, and the run goes on by itself"),
    FaultCode.DATABASE_DAMAGED: _(
        "our own database cannot read what it has stored ({detail}), as its files are damaged; look at the disk, and restore "
        "the node from a backup"
    ),
    FaultCode.NODE_ERROR: _("this node made an error ({error}: {detail}); its log has more"),
    FaultCode.NODE_CRASHED: _node_crashed,
}


def name_reason(code: str) -> str:
    """Return the name of a reason, for filters and sums: its sentence needs facts. The rest are faults of requests."""
    if code in REASON_NAMES:
        return gettext(REASON_NAMES[code])
    return gettext("cannot be had from the provider") if code in FAULTS else code


# --- Outcomes of runs -------------------------------------------------------------------------------


class OutcomeCode(StrEnum):
    """What happened last to a run, and what happens next (`Run.outcome`)."""

    RUNNING = "running"
    POSTPONED = "postponed"
    POSTPONED_BY_NODE = "postponed-by-node"
    LIST_RESTARTED = "list-restarted"
    RESTARTED_BY_HEADERS = "restarted-by-headers"
    LINK_CHANGED = "link-changed"
    DONE = "done"
    NOTHING_TAKEN = "nothing-taken"
    COMPARED = "compared"
    REHARVESTED = "reharvested"
    FAILED = "failed"
    CANCELLED = "cancelled"
    RESTORED = "restored"
    AS_WRITTEN = "as-written"


class Outcome(NamedTuple):
    """An outcome of a run, with its facts (`Run.outcome_data`).

    `cause`, a fault, and each of `remarks` have a `code` and `facts` of their own.
    """

    code: OutcomeCode
    data: Facts = {}


def describe_outcome(code: str, data: Facts) -> str:
    """Return what an operator reads of a run; empty while there is nothing to tell."""
    return write_sentence(OUTCOMES, code, data)


def _counted(text: Any) -> Sentence:
    """Return the sentence of a text of `ngettext_lazy`, which names the fact whose number decides between its two forms."""
    return lambda facts: str(text.format(**facts))


def _cause_of(data: Facts) -> str:
    return as_sentence(describe_cause(data["cause"]))


def _postponed(data: Facts) -> str:
    return ngettext(
        "{asked_again} ({attempt} of {max_attempts} tries has failed).",
        "{asked_again} ({attempt} of {max_attempts} tries have failed).",
        data["attempt"],
    ).format(asked_again=_asked_again(data), attempt=data["attempt"], max_attempts=data["max_attempts"])


def _postponed_by_node(data: Facts) -> str:
    return gettext(
        "{asked_again} ({crash} of {max_crashes} faults of this node; they do not count as tries of the provider)."
    ).format(asked_again=_asked_again(data), crash=data["crash"], max_crashes=data["max_crashes"])


def _asked_again(data: Facts) -> str:
    missing = (
        gettext("Page {page} is").format(page=data["page"])
        if "page" in data
        else gettext("The records that are missing are")
    )
    return gettext("{cause_of} {missing} asked for again in {wait_s:.0f} s").format(
        cause_of=_cause_of(data), missing=missing, wait_s=data["wait_s"]
    )


def _list_restarted(data: Facts) -> str:
    return gettext(
        "{cause_of} {stored}; the list is started again from the same `from` (restart {restart} of {max_restarts})."
    ).format(cause_of=_cause_of(data), stored=_stored(data), restart=data["restart"], max_restarts=data["max_restarts"])


def _restarted_by_headers(data: Facts) -> str:
    return gettext(
        "{cause_of} {stored}; the list is read again as headers, and what is missing is asked for record by record."
    ).format(cause_of=_cause_of(data), stored=_stored(data))


def _stored(data: Facts) -> str:
    """Say how many pages of the list stay stored, for a sentence."""
    if not data["pages"]:
        return gettext("No page was stored")
    text = ngettext("{pages} page stays stored", "{pages} pages stay stored", data["pages"])
    return text.format(pages=data["pages"])


def _done(data: Facts) -> str:
    return " ".join(describe_remark(remark["code"], remark["facts"]) for remark in data["remarks"])


def _nothing_taken(data: Facts) -> str:
    text = gettext("Of what came, {rejected}, nothing could be stored (mostly: {reason}): see the rejects.").format(
        rejected=data["rejected"], reason=name_reason(data["reason"])
    )
    return f"{text} {_done(data)}".rstrip()


def _compared(data: Facts) -> str:
    text = gettext("Compared: {missing} missing, {stale} stale, {extra} extra.").format(
        missing=data["missing"], stale=data["stale"], extra=data["extra"]
    )
    if number := data.get("not_served", 0):
        text += ngettext(
            " {number} of the listed is not served as the provider has it: see rejects and conflicts.",
            " {number} of the listed are not served as the provider has them: see rejects and conflicts.",
            number,
        ).format(number=number)
    if number := data["above_ceiling"]:
        text += ngettext(
            " {number} record that is stored here is not listed there, more than the ceiling of {ceiling}: it was not asked "
            "for and not deleted.",
            " {number} records that are stored here are not listed there, more than the ceiling of {ceiling}: none was asked "
            "for and none deleted.",
            number,
        ).format(number=number, ceiling=data["ceiling"])
        text += gettext(
            " If the provider is right, compare again beyond the ceiling; each is then asked for by GetRecord, and deleted "
            "only if the provider says that it is deleted."
        )
    return f"{text}{_vanished(data)}"


def _reharvested(data: Facts) -> str:
    text = gettext(
        "Harvested again with content: {changed} changed under the same datestamp, {missing} missing, "
        "{stale} stale, {extra} extra."
    ).format(changed=data["changed"], missing=data["missing"], stale=data["stale"], extra=data["extra"])
    return f"{text}{_vanished(data)}"


def _vanished(data: Facts) -> str:
    if not data["vanished"]:
        return ""
    return ngettext(
        " {vanished} is unknown there without a deletion; it is kept, and waits among the conflicts.",
        " {vanished} are unknown there without a deletion; they are kept, and wait among the conflicts.",
        data["vanished"],
    ).format(vanished=data["vanished"])


def _failed(data: Facts) -> str:
    cause = describe_cause(data["cause"]).rstrip(".")
    if data["cause"]["code"] in FAULTS:  # the code of another version stays as it is
        cause = as_sentence(cause).rstrip(".")
    return gettext("{cause}. {stored}; the next run begins where this one began.").format(
        cause=cause, stored=_stored(data)
    )


OUTCOMES: Mapping[str, Sentence] = {
    OutcomeCode.RUNNING: "",
    OutcomeCode.POSTPONED: _postponed,
    OutcomeCode.POSTPONED_BY_NODE: _postponed_by_node,
    OutcomeCode.LIST_RESTARTED: _list_restarted,
    OutcomeCode.RESTARTED_BY_HEADERS: _restarted_by_headers,
    OutcomeCode.LINK_CHANGED: _("The link was changed; its list is asked for from the start."),
    OutcomeCode.DONE: _done,
    OutcomeCode.NOTHING_TAKEN: _nothing_taken,
    OutcomeCode.COMPARED: _compared,
    OutcomeCode.REHARVESTED: _reharvested,
    OutcomeCode.FAILED: _failed,
    OutcomeCode.RESTORED: _(
        "Ended by a restore of this node from a backup, in which it was open; the next run begins where this one began."
    ),
    OutcomeCode.CANCELLED: _(
        "Cancelled by the operator. What was stored stays; the next run begins where this one began."
    ),
    OutcomeCode.AS_WRITTEN: _("{text}"),
}


# Each outcome in a few words, without its facts: for filters and tables.
OUTCOME_NAMES: Mapping[OutcomeCode, str] = {
    OutcomeCode.RUNNING: _("nothing to tell yet"),
    OutcomeCode.POSTPONED: _("a request failed, and is repeated"),
    OutcomeCode.POSTPONED_BY_NODE: _("a fault of this node; it goes on"),
    OutcomeCode.LIST_RESTARTED: _("list begun again"),
    OutcomeCode.RESTARTED_BY_HEADERS: _("list begun again, by headers"),
    OutcomeCode.LINK_CHANGED: _("begun again, as the link was changed"),
    OutcomeCode.DONE: _("the whole list is stored"),
    OutcomeCode.NOTHING_TAKEN: _("all that came was rejected"),
    OutcomeCode.COMPARED: _("all headers are compared"),
    OutcomeCode.REHARVESTED: _("all records are harvested again"),
    OutcomeCode.FAILED: _("ended early by a fault"),
    OutcomeCode.CANCELLED: _("cancelled by an operator"),
    OutcomeCode.RESTORED: _("ended by a restore of this node"),
    OutcomeCode.AS_WRITTEN: _("a run of version 0.9.0 or earlier"),
}

# --- Waits of open runs -----------------------------------------------------------------------------


class WaitsFor(StrEnum):
    """What an open run waits for, if no worker works on it."""

    WORKER = "worker"
    HOST = "host"
    PROVIDER = "provider"
    RETRY = "retry"
    WINDOW = "window"


def describe_wait(waits_for: str, facts: Facts) -> str:
    """Return what an open run waits for, and since when, as a sentence."""
    return write_sentence(_WAITS, waits_for, facts)


_WAITS: Mapping[str, Sentence] = {
    WaitsFor.WORKER: _counted(
        ngettext_lazy(
            "Waits for a worker since {since}; {before} run comes before it.",
            "Waits for a worker since {since}; {before} runs come before it.",
            "before",
        )
    ),
    WaitsFor.HOST: _(
        "Waits for room at {host} since {since}: no more than {limit} runs may ask this host at once "
        "(GISC_MAX_RUNS_PER_HOST)."
    ),
    WaitsFor.PROVIDER: _("Waits for the provider's answer since {since}; no worker is kept meanwhile."),
    WaitsFor.RETRY: _("Waits for its next try."),
    WaitsFor.WINDOW: _(
        "Waits until {until}: its link runs only at some times of the day. It goes on from where it is."
    ),
}


# --- Remarks of a run that is done ------------------------------------------------------------------


class RemarkCode(StrEnum):
    """What an operator should know of a list that is complete (`remarks` of the outcome `done`)."""

    LONG_SILENCE = "long-silence"
    FUTURE_DATESTAMPS = "future-datestamps"
    CLOCK_SKEW = "clock-skew"
    SET_MISSING = "set-missing"
    LIST_EMPTY = "list-empty"
    OFFERS_WAIT = "offers-wait"
    SIZE_DIFFERS = "size-differs"
    CAME_LATE = "came-late"
    SPELLING_STAYS = "spelling-stays"
    FROM_IGNORED = "from-ignored"
    # Doubts: all headers are compared at once. So are they after a long silence.
    CLOCK_SET_BACK = "clock-set-back"
    LIST_SHORT = "list-short"
    FEWER_THAN_STORED = "fewer-than-stored"
    ENTRIES_REPEATED = "entries-repeated"


class Remark(NamedTuple):
    """A remark on a run, with its facts."""

    code: RemarkCode
    facts: Facts = {}

    def __str__(self) -> str:
        return describe_remark(self.code, self.facts)

    def to_json(self) -> dict[str, Any]:
        return {"code": str(self.code), "facts": limit_facts(self.facts)}


def describe_remark(code: str, facts: Facts) -> str:
    """Return a remark as a sentence."""
    return write_sentence(REMARKS, code, facts)


def _long_silence(facts: Facts) -> str:
    return ngettext(
        "The last harvest was {days} day ago, which is longer than the provider keeps deletions "
        "({deleted_record}); all its headers are compared now.",
        "The last harvest was {days} days ago, which is longer than the provider keeps deletions "
        "({deleted_record}); all its headers are compared now.",
        facts["days"],
    ).format(days=facts["days"], deleted_record=facts["deleted_record"] or gettext("it does not say for how long"))


def _clock_skew(facts: Facts) -> str:
    if facts["skew_s"] > 0:
        text = gettext("The provider's clock is {seconds:.0f} s ahead of ours")
    else:
        text = gettext("The provider's clock is {seconds:.0f} s behind ours")
    advice = gettext("; tell the provider") if facts["is_alarm"] else ""
    return f"{text.format(seconds=abs(facts['skew_s']))}{advice}."


def _clock_set_back(facts: Facts) -> str:
    return gettext(
        "The provider's clock was set back by {seconds} s, or ours went ahead, since the harvest "
        "before; the list was asked for from that harvest on, by the clock as it goes now, and all its "
        "headers are compared. Tell the provider."
    ).format_map(facts)


def _list_empty(facts: Facts) -> str:
    if facts["is_set_listed"]:
        return gettext("The provider lists the set {set}, and no records in it. Nothing was deleted.").format_map(facts)
    if not facts["set"]:
        return gettext("The provider lists no records at all. Nothing was deleted; ask it whether that is right.")
    return gettext(
        "The provider lists nothing for the set {set}; an unknown set and an empty one answer alike, "
        "and its sets could not be listed. Nothing was deleted; ask it whether the remote setSpec is "
        "right."
    ).format_map(facts)


def describe_remote_set(remote_set: str, state: str, alternative: str = "") -> str:
    """Return whether the provider has the set that a link asks for. `state`: a value of `Link.SetState`, or none yet.

    `alternative`: the name of the provider, if it is not the link's own.
    """
    if not remote_set:
        return gettext("The link asks for all that the provider has.")
    if not state:
        return gettext("The set {remote_set} has not been looked for yet.").format(remote_set=remote_set)
    owner = (
        gettext("the alternative {alternative}").format(alternative=alternative) if alternative else gettext("the link")
    )
    return write_sentence(_SET_STATES, state, {"set": remote_set, "owner": owner})


def _set_missing(facts: Facts) -> str:
    return describe_remote_set(facts["set"], facts["state"], facts.get("alternative", ""))


_CORRECT_THE_SET = _(
    "it may be gone, or have another name now. Nothing was deleted; list its sets by “retrieve info”, and correct "
    "the remote setSpec of {owner}."
)
_SET_STATES: Mapping[str, Sentence] = {
    "listed": _("The provider lists the set {set}."),
    "not told": _("The provider could not be asked whether it has the set {set}."),
    "missing": join_clauses(_("The provider does not list the set {set}"), _CORRECT_THE_SET, by=": "),
    "no sets": join_clauses(
        _("The provider says that it has no sets, and the link asks for {set}"), _CORRECT_THE_SET, by=": "
    ),
    "unlisted": _(
        "The provider does not list the set {set}, and gives records of it. They are stored; ask the provider "
        "whether the remote setSpec of {owner} is right."
    ),
}

REMARKS: Mapping[str, Sentence] = {
    RemarkCode.LONG_SILENCE: _long_silence,
    RemarkCode.FUTURE_DATESTAMPS: _(
        "The provider has datestamps in its own future; its responseDate was used instead."
    ),
    RemarkCode.CLOCK_SKEW: _clock_skew,
    RemarkCode.SET_MISSING: _set_missing,
    RemarkCode.LIST_EMPTY: _list_empty,
    RemarkCode.OFFERS_WAIT: _counted(
        ngettext_lazy(
            "Nothing was stored; {waiting} record of the co-owner waits among the conflicts.",
            "Nothing was stored; {waiting} records of the co-owner wait among the conflicts.",
            "waiting",
        )
    ),
    RemarkCode.SIZE_DIFFERS: _counted(
        ngettext_lazy(
            "The provider announced {announced} entry and listed {listed}.",
            "The provider announced {announced} entries and listed {listed}.",
            "announced",
        )
    ),
    RemarkCode.CAME_LATE: _counted(
        ngettext_lazy(
            "{records} record came after a list that should have had it, by its datestamp; the provider's lateness is taken as "
            "{lateness_h} h from now on.",
            "{records} records came after a list that should have had them, by their datestamps; the provider's lateness is "
            "taken as {lateness_h} h from now on.",
            "records",
        )
    ),
    RemarkCode.SPELLING_STAYS: _counted(
        ngettext_lazy(
            "The provider changes the case of identifiers to and fro: {records} record keeps the spelling that it has here, with "
            "the provider's content. Ask the provider for one spelling.",
            "The provider changes the case of identifiers to and fro: {records} records keep the spelling that they have here, "
            "with the provider's content. Ask the provider for one spelling.",
            "records",
        )
    ),
    RemarkCode.FROM_IGNORED: _(
        "The provider ignores `from`: its last {lists} lists were mostly older than what was asked for, so "
        "that each harvest reads all of it again. Nothing is missed by that; tell the provider."
    ),
    RemarkCode.CLOCK_SET_BACK: _clock_set_back,
    RemarkCode.LIST_SHORT: _counted(
        ngettext_lazy(
            "{lacking} entry that the provider announced was not listed, nor in the next list; all its headers are compared.",
            "{lacking} entries that the provider announced were not listed, nor in the next list; all its headers are compared.",
            "lacking",
        )
    ),
    RemarkCode.FEWER_THAN_STORED: _counted(
        ngettext_lazy(
            "The provider lists {listed} entry, and {stored} are stored here. Ask the provider whether it was installed anew. "
            "Nothing was deleted; its headers are compared now, and what is missing waits for you.",
            "The provider lists {listed} entries, and {stored} are stored here. Ask the provider whether it was installed anew. "
            "Nothing was deleted; its headers are compared now, and what is missing waits for you.",
            "listed",
        )
    ),
    RemarkCode.ENTRIES_REPEATED: _(
        "The list has more entries ({listed}) than different records ({different}); others may have been left out. All its "
        "headers are compared now."
    ),
}


# --- Warnings of providers --------------------------------------------------------------------------


class WarningCode(StrEnum):
    """How a provider deviates from the protocol; the run goes on. The codes of `ProviderWarning`."""

    VERSION = "protocol-version"
    IDENTIFY = "identify-unusable"
    METHOD = "get-not-understood"
    EMPTY_PAGE = "empty-page"
    END = "list-ended-oddly"
    TOKEN = "token-needs-prefix"
    TOKENS = "several-tokens"
    GRANULARITY = "granularity-refused"
    STATUS = "http-status"
    CONTENT_TYPE = "content-type"
    MOVED = "moved"
    CONTRADICTION = "records-and-error"
    REPAIRED = "record-mended"
    SURROUNDINGS = "page-mended"
    OTHER_SET = "other-set"
    TOO_OLD = "older-than-asked"
    DATESTAMP = "datestamp"
    LIVE_AND_DELETED = "live-and-deleted"
    ABOUT = "about-left-out"
    MORE = "more"


def describe_warning(code: str, facts: Facts, count: int = 1) -> str:
    """Return a warning as a sentence, with how often it was true."""
    return add_count(write_sentence(WARNINGS, code, facts), count)


def add_count(text: str, count: int) -> str:
    """Return a sentence with how often it was true, if that is more than once."""
    text = text.removesuffix(".")
    return gettext("{text} ({count} times).").format(text=text, count=count) if count > 1 else f"{text}."


class RepairCode(StrEnum):
    """What was done to a record that could not be parsed (`repairs` of the warning `record-mended`)."""

    WINDOWS_1252 = "windows-1252"
    CHARACTERS = "forbidden-characters"
    REFERENCES = "forbidden-references"
    ENTITIES = "html-entities"
    DECLARATIONS = "xml-declarations"
    AMPERSANDS = "ampersands"


def describe_repairs(codes: Iterable[str]) -> str:
    """Return what was done to a record, as a part of a sentence."""
    return ", ".join(write_sentence(REPAIRS, code, {}) for code in codes)


REPAIRS: Mapping[str, Sentence] = {
    RepairCode.WINDOWS_1252: _("bytes that are not UTF-8 read as windows-1252"),
    RepairCode.CHARACTERS: _("forbidden characters dropped"),
    RepairCode.REFERENCES: _("references to forbidden characters dropped"),
    RepairCode.ENTITIES: _("HTML entities replaced"),
    RepairCode.DECLARATIONS: _("XML declarations dropped"),
    RepairCode.AMPERSANDS: _("ampersands escaped"),
}


def _list_ended(facts: Facts) -> str:
    if "cause" in facts:
        return gettext("The list ended with an error instead of an empty token ({cause})").format(
            cause=describe_cause(facts["cause"])
        )
    return gettext("The list ended with the token {token}, which would begin it again").format_map(facts)


def _page_mended(facts: Facts) -> str:
    if facts["where"] == "before":
        return gettext("A page has white space before its XML declaration; it was left out")
    return gettext("A page has something after its end; it was left out")


_ABOUT_REASONS: Mapping[str, Sentence] = {
    "no-namespace": _("it is in no namespace of its own"),
    "second-rights": _("it is a second package of rights"),
    "too-many": _("there are more than {limit}"),
    "too-large": _("the abouts of a record may have {limit} bytes together"),
}

WARNINGS: Mapping[str, Sentence] = {
    WarningCode.VERSION: _("Identify names the protocol version {version!r}, which is none"),
    WarningCode.IDENTIFY: lambda facts: gettext("Identify cannot be used ({cause}); day granularity is assumed").format(
        cause=describe_cause(facts["cause"])
    ),
    WarningCode.METHOD: _("GET was answered with badVerb; the provider is asked by POST"),
    WarningCode.EMPTY_PAGE: _("A page had no records and asked to go on"),
    WarningCode.END: _list_ended,
    WarningCode.TOKEN: _("The provider wants the metadataPrefix beside the token"),
    WarningCode.TOKENS: _("A page has several resumptionToken elements; the first that is not empty was used"),
    WarningCode.GRANULARITY: _(
        "The provider says that it knows {granularity}, and refuses them in `from`; the other form was asked"
    ),
    WarningCode.STATUS: _("The provider gives its OAI-PMH errors with HTTP {status}"),
    WarningCode.CONTENT_TYPE: lambda facts: gettext(
        "An answer has the Content-Type {content_type}, not text/xml"
    ).format(content_type=facts["content_type"] or gettext("none")),
    WarningCode.MOVED: _("The provider has moved for good to {moved_to}; accept it in the link"),
    WarningCode.CONTRADICTION: _("A page has records and says noRecordsMatch; the records count"),
    WarningCode.REPAIRED: lambda facts: gettext("A record was mended: {repairs}").format(
        repairs=describe_repairs(facts["repairs"])
    ),
    WarningCode.SURROUNDINGS: _page_mended,
    WarningCode.OTHER_SET: _("A record names other sets than {set}"),
    WarningCode.TOO_OLD: _("A record is older than what was asked for; the provider may ignore `from`"),
    WarningCode.DATESTAMP: _("A record has no datestamp that can be read"),
    WarningCode.LIVE_AND_DELETED: _("A record is listed both as live and as deleted; it was asked for by itself"),
    WarningCode.ABOUT: lambda facts: gettext("An about of a record was left out, because {why}").format(
        why=write_sentence(_ABOUT_REASONS, facts["reason"], facts)
    ),
    WarningCode.MORE: _("There are more kinds of warning in the log"),
}
