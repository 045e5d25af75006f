"""Reasons of the harvester: why an entry was not stored, what a conflict is about, how it was settled, why an act was refused.

Each is a code with facts, and a sentence that is made of them when somebody looks, as in `catalogue.reasons`, whose codes
entries and conflicts have as well. No Django, no database, no I/O. The codes are listed in docs/codes.md.
"""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from catalogue import reasons as catalogue_reasons
from catalogue.reasons import Code, Facts, ReasonCode, Sentence, join_clauses, write_sentence
from harvester.messages import FAULTS, as_sentence, describe_cause, describe_fault, describe_repairs


class EntryCode(Code):
    """Why an entry was not stored as it came, or what a link and the catalogue disagree about.

    The codes of `Reject.reason` and `Conflict.reason` are these, those of `catalogue.reasons`, and those of faults.
    """

    AS_WRITTEN = "as-written"
    # Entries
    NO_IDENTIFIER = "header-without-identifier"
    NO_METADATA = "record-without-metadata"
    UNREADABLE = "record-unreadable"
    OTHER_IDENTIFIER = "other-identifier"
    CALLED_OTHERWISE = "called-otherwise"
    TWO_NAMES = "two-names"
    ASKED_FOR_ITSELF = "asked-for-by-itself"
    OLD_SPELLING = "old-spelling"
    # Recoveries and relays
    WITHDRAWN_HERE = "withdrawn-here"
    DELETED_THERE = "deleted-there"
    NOT_LATER = "not-later-than-ours"
    CENTRE_DECIDES = "centre-decides"
    DELETED_BY_PROVIDER = "deleted-by-own-provider"
    NOT_NEWER = "not-newer-than-ours"
    # Deletions that await the operator
    MASS_DELETION = "mass-deletion"
    MASS_DELETION_WAITS = "mass-deletion-waits"
    RENAMED = "renamed"
    VANISHED = "vanished"
    # What a co-owner of a shared set has (W43 to W45)
    OTHER_SET = "co-owner-other-set"
    SAME_DATESTAMP = "co-owner-not-later"
    OLDER_AT_CO_OWNER = "co-owner-older"
    DATES_DISAGREE = "co-owner-dates-disagree"
    SAME_VERSION = "co-owner-same-version"
    DELETED_BY_CO_OWNER = "co-owner-deleted"
    DELETED_AND_LIVE = "co-owner-deleted-live-here"
    NEW_AT_CO_OWNER = "co-owner-new"
    BACK_AT_CO_OWNER = "co-owner-deleted-here"
    NEWER_AT_CO_OWNER = "co-owner-newer"

    def sentence(self, facts: Facts) -> str:
        return write_sentence(ENTRIES, self, facts)


# What is stored here counts, or a person decides: such a reject says nothing against the link.
KEPT_AS_IT_IS = frozenset(
    {
        *(EntryCode.WITHDRAWN_HERE, EntryCode.DELETED_THERE, EntryCode.NOT_LATER, EntryCode.CENTRE_DECIDES),
        *(EntryCode.DELETED_BY_PROVIDER, EntryCode.NOT_NEWER, EntryCode.MASS_DELETION, EntryCode.RENAMED),
        *(EntryCode.OLD_SPELLING, EntryCode.CALLED_OTHERWISE, EntryCode.TWO_NAMES),
        *(ReasonCode.IDENTIFIER_TAKEN, ReasonCode.WITHDRAWN, ReasonCode.LINK_DECIDES, ReasonCode.DELETED_BY_LINK),
    }
)


def describe_reason(code: str, facts: Facts) -> str:
    """Return why an entry was not stored as it came: a clause that begins small and has no full stop."""
    if code in ENTRIES:
        return write_sentence(ENTRIES, code, facts)
    if code in FAULTS:
        return gettext("the provider listed it, but {fault}").format(fault=describe_fault(code, facts))
    text = write_sentence(catalogue_reasons.SENTENCES, code, facts)
    return (
        gettext("the record {text}").format(text=text)
        if code in catalogue_reasons.SENTENCES and code != ReasonCode.IDENTIFIER
        else text
    )


def describe_disagreement(code: str, facts: Facts) -> str:
    """As `describe_reason`, as a sentence."""
    text = describe_reason(code, facts)
    return text if code == EntryCode.AS_WRITTEN else as_sentence(text)


def _nested_reason(facts: Facts, name: str) -> str:
    """Return the clause of a reason, or of a fault, that is a fact of another reason."""
    return describe_reason(facts[name]["code"], facts[name]["facts"])


def _unreadable(facts: Facts) -> str:
    text = gettext("the record cannot be read: {cause}").format(cause=describe_cause(facts["cause"]))
    if "repairs" not in facts:
        return text
    repairs = describe_repairs(facts["repairs"])
    return gettext("{text}; mended ({repairs}) it is no better: {cause}").format(
        text=text, repairs=repairs, cause=describe_cause(facts["cause_after_repairs"])
    )


def _mass_deletion(facts: Facts) -> str:
    share = (
        gettext("all it had")
        if facts["deleted"] == facts["listed"]
        else gettext("more than {percent}").format(percent=_percent(facts["percent"]))
    )
    return gettext(
        "the record is one of so many that the provider deletes within a day ({deleted} of {listed} "
        "until now, {share}) that it is kept until you decide"
    ).format(deleted=facts["deleted"], listed=facts["listed"], share=share)


def _percent(percent: int) -> str:
    return gettext("a third") if percent == 33 else f"{percent} %"


_OTHER_IDENTIFIER = _("the header says {header!r}, the record's gmd:fileIdentifier says {record!r}")

ENTRIES: Mapping[str, Sentence] = {
    EntryCode.AS_WRITTEN: _("{text}"),
    EntryCode.NO_IDENTIFIER: _("the entry has no identifier in its header"),
    EntryCode.NO_METADATA: _("the record has no metadata and is not deleted"),
    EntryCode.UNREADABLE: _unreadable,
    EntryCode.OTHER_IDENTIFIER: _OTHER_IDENTIFIER,
    EntryCode.OLD_SPELLING: (
        _(
            "the provider still has it as {spelling}, and its owner, {owner}, as {stored}: the owner's spelling counts"
        )  # W47
    ),
    EntryCode.CALLED_OTHERWISE: join_clauses(
        _OTHER_IDENTIFIER,
        _("the same record is stored here under that identifier: the provider calls it otherwise now"),
    ),
    EntryCode.TWO_NAMES: (
        _(
            "the provider has the record {record} under two names, {stored!r} and {header!r}; the version of the first is stored"
        )
    ),
    EntryCode.ASKED_FOR_ITSELF: lambda facts: gettext("{reason}; asked for by itself, {cause}").format(
        reason=_nested_reason(facts, "reason"), cause=describe_cause(facts["cause"])
    ),
    EntryCode.WITHDRAWN_HERE: _("the record was withdrawn here, and a recovery does not bring it back"),
    EntryCode.DELETED_THERE: _("the record is deleted there and live here; withdraw it, if that is right"),
    EntryCode.NOT_LATER: _("the record differs from our version, which is not older"),
    EntryCode.CENTRE_DECIDES: _(
        "the record came by the link {link} from a centre of ours, which decides about its content"
    ),
    EntryCode.DELETED_BY_PROVIDER: _(
        "the record was deleted by its own provider, and the relay may not know yet"
    ),  # W31
    EntryCode.NOT_NEWER: lambda facts: gettext("the record is not newer than our version, which counts {why}").format(
        why=write_sentence(catalogue_reasons.SENTENCES, facts["why"]["code"], facts["why"]["facts"])
    ),  # W31, W33
    EntryCode.MASS_DELETION: _mass_deletion,
    EntryCode.MASS_DELETION_WAITS: _("the record was deleted together with many others, and is kept until you decide"),
    EntryCode.RENAMED: _(
        "the record is deleted by this identifier and listed by the identifier {identifier}, so it is kept "
        "until you decide"
    ),
    EntryCode.VANISHED: _(
        "the provider no longer lists it, answers idDoesNotExist when asked for it, and never gave it as deleted"
    ),
    EntryCode.OTHER_SET: _("another set of ours holds it"),
    EntryCode.SAME_DATESTAMP: _("ours has the same or a later OAI datestamp"),
    EntryCode.OLDER_AT_CO_OWNER: _("ours is later by its gmd:dateStamp and by its OAI datestamp"),
    EntryCode.DATES_DISAGREE: _(
        "the co-owner has another version, and neither is later both by its gmd:dateStamp and by its OAI "
        "datestamp; agree with the co-owner on one, and give that one a later gmd:dateStamp"
    ),  # W43
    EntryCode.SAME_VERSION: _("both are the same"),
    EntryCode.DELETED_BY_CO_OWNER: _("the co-owner, whom we have it from, has deleted it"),  # W43
    EntryCode.DELETED_AND_LIVE: _(
        "the co-owner has deleted it, and it is live here; withdraw it, if that is right"
    ),  # W45
    EntryCode.NEW_AT_CO_OWNER: _("the co-owner has a record that we do not have"),  # W43
    EntryCode.BACK_AT_CO_OWNER: _("the co-owner has a record that was deleted here before that"),  # W43
    EntryCode.NEWER_AT_CO_OWNER: _(
        "the co-owner has a version with a later gmd:dateStamp and a later OAI datestamp"
    ),  # W43
}


class SettlementCode(StrEnum):
    """How a conflict was settled (`Conflict.settlement`)."""

    AS_WRITTEN = "as-written"
    AGREED = "agreed"
    LEFT = "left-as-it-is"
    SILENCED = "silenced"
    HANDED_OVER = "handed-over"
    DELETED = "deleted"
    TAKEN_OVER = "taken-over"
    OUTDATED = "outdated"


def describe_settlement(code: str, facts: Facts) -> str:
    """Return how a conflict was settled, as a sentence; empty if it waits for the operator."""
    return write_sentence(SETTLEMENTS, code, facts) if code else ""


SETTLEMENTS: Mapping[str, Sentence] = {
    SettlementCode.AS_WRITTEN: _("{text}"),
    SettlementCode.AGREED: _("The provider and the catalogue agree again."),
    SettlementCode.LEFT: _("Left as it is by {by}."),
    SettlementCode.SILENCED: _("Silenced by {by}: whatever the provider has of it, it does not come up again."),
    SettlementCode.HANDED_OVER: _("Handed over to {set} by {by}."),
    SettlementCode.DELETED: _("Deleted by {by}."),
    SettlementCode.TAKEN_OVER: _("Taken over by {by}."),
    SettlementCode.OUTDATED: _("Nothing is left to decide: the record, or the link, has changed here since."),
}


class ActCode(Code):
    """Why an act of an operator was refused (`catalogue.reasons.ActRefused`); nothing was changed."""

    NOT_MISPLACED = "not-misplaced"
    NOT_GONE = "not-gone"
    NOT_OFFERED = "not-offered"
    NOT_NEWER_ANY_MORE = "not-newer-any-more"
    NOT_SILENCED = "not-silenced"
    SETTLED_ALREADY = "settled-already"
    NOT_SETTLED_BY_ACT = "not-settled-by-act"
    CHANGED_SINCE = "changed-since"
    NO_FORMER_VERSION = "no-former-version"
    NOT_STORED = "not-stored"
    OTHER_ADDRESS = "other-address"
    PRIVATE_ADDRESS = "private-address"
    LINK_INVALID = "link-invalid"
    # What was written for a schedule
    NOT_A_SCHEDULE = "not-a-schedule"
    NOT_AN_INTERVAL = "not-an-interval"
    NOT_A_TIME = "not-a-time"
    NOT_A_WEEKDAY = "not-a-weekday"
    NOT_A_WINDOW = "not-a-window"
    WINDOW_EMPTY = "window-empty"
    TOO_MANY_WINDOWS = "too-many-windows"
    OUTSIDE_WINDOWS = "outside-windows"
    NOT_COMPLETE_UP_TO = "not-complete-up-to"

    def sentence(self, facts: Facts) -> str:
        return write_sentence(ACTS, self, facts)


ACTS: Mapping[str, Sentence] = {
    ActCode.NOT_MISPLACED: _("only a misplaced record can be handed over"),
    ActCode.NOT_GONE: _("only a record that its provider no longer has is deleted here; the others have an owner"),
    ActCode.NOT_OFFERED: _("only what a co-owner of a shared set offers can be taken over"),
    ActCode.NOT_NEWER_ANY_MORE: lambda facts: gettext("it is not newer than ours any more ({reason})").format(
        reason=_nested_reason(facts, "reason")
    ),
    ActCode.NOT_SILENCED: _("a deletion, or an offer, is news each time; leave it as it is instead"),
    ActCode.SETTLED_ALREADY: _("it is settled already, or does not exist any more"),
    ActCode.NOT_SETTLED_BY_ACT: _("no act of a person has settled it, so there is nothing to undo"),
    ActCode.CHANGED_SINCE: _("the record has changed since; look at it on its own page"),
    ActCode.NO_FORMER_VERSION: _(
        "our version before the act is not stored; where there was none, withdraw the record on its own page"
    ),
    ActCode.NOT_STORED: lambda facts: _nested_reason(facts, "reason"),
    ActCode.OTHER_ADDRESS: lambda facts: gettext("the provider proposes {proposed}").format(
        proposed=facts["proposed"] or gettext("no other address")
    ),
    ActCode.PRIVATE_ADDRESS: _(
        "{host} has no address, or one that is not on the public network; if it is right, write it into "
        "the link yourself"
    ),
    ActCode.LINK_INVALID: lambda facts: " ".join(facts["faults"]),
    ActCode.NOT_A_SCHEDULE: _(
        "“{text}” is not understood; write “every 6 hours”, “daily at 03:15” or “weekly on Monday at 03:15”"
    ),
    ActCode.NOT_AN_INTERVAL: _("a link is harvested every 5 seconds at most, and every ten years at least"),
    ActCode.NOT_A_TIME: _("“{text}” is no time of the day; write 03:15"),
    ActCode.NOT_A_WEEKDAY: _("“{text}” is no day of the week; write Monday"),
    ActCode.NOT_A_WINDOW: _("“{text}” is no part of the day; write 20:00-05:00, in UTC"),
    ActCode.WINDOW_EMPTY: _("“{text}” ends when it begins; leave it empty for the whole day"),
    ActCode.TOO_MANY_WINDOWS: _("there may be {most} parts of the day at most"),
    ActCode.OUTSIDE_WINDOWS: _(
        "{time} UTC is not {windows}: the link would always wait; choose a time at which it may run"
    ),
    ActCode.NOT_COMPLETE_UP_TO: lambda facts: (
        gettext("the link is complete up to {end} only, so a list from {date} on would leave a gap").format(**facts)
        if facts["end"]
        else gettext(
            "the link was never harvested to the end of a list, so its next run asks for the whole list anyway"
        )
    ),
}
