"""Codes of the problems that need a person, and for each what happened and what it means, and what to do."""

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from catalogue.reasons import Code, Facts, Sentence, read_reason, write_sentence
from gisc.parts.reasons import in_words as part_in_words


class ProblemCode(Code):
    """What needs a person, the most urgent first. A part of the node is `part-` and its name (`gisc.parts`)."""

    PART_DATABASE = "part-database"
    PART_MIGRATIONS = "part-migrations"
    PART_JOURNAL = "part-journal"
    PART_DISK = "part-disk"
    PART_REDIS = "part-redis"
    PART_WORKERS = "part-workers"
    PART_BEAT = "part-beat"
    PART_QUEUE = "part-queue"
    PART_CLOCK = "part-clock"
    PART_CHORES = "part-chores"
    PART_DURABILITY = "part-durability"
    PART_VACUUM = "part-vacuum"
    PART_REPLICA = "part-replica"
    PART_BACKUP = "part-backup"
    SET_MISSING = "set-missing"
    PASSWORD_UNREADABLE = "password-unreadable"
    LINK_FAILED = "link-failed"
    LINK_STALE = "link-stale"
    LINK_OVERDUE = "link-overdue"
    DELETIONS_WAITING = "deletions-waiting"
    ABOVE_CEILING = "above-ceiling"
    COUNTS_CHANGED = "counts-changed"
    DOUBT = "doubt"
    MOVED = "moved"
    COMPARISON_FAILED = "comparison-failed"
    CONFLICTS_WAITING = "conflicts-waiting"
    DRIFT = "drift"
    STORES_NOTHING = "stores-nothing"
    BY_ALTERNATIVE = "by-alternative"
    LIST_EMPTY = "list-empty"
    SET_UNLISTED = "set-unlisted"
    CHANGED_SILENTLY = "changed-silently"
    FROM_IGNORED = "from-ignored"
    REJECTS = "rejects"
    DICTIONARY_DAMAGED = "dictionary-damaged"
    RECORDS_DAMAGED = "records-damaged"
    ALERT_NOT_SENT = "alert-not-sent"
    SET_SEARCH_UNREADABLE = "set-search-unreadable"
    UPLOAD_FAILED = "upload-failed"
    UPLOAD_WAITING = "upload-waiting"
    FOLDER_NOT_WATCHED = "folder-not-watched"
    FOLDER_UNREADABLE = "folder-unreadable"
    FOLDER_ABOVE_CEILING = "folder-above-ceiling"
    FOLDER_FAULTS = "folder-faults"

    def sentence(self, facts: Facts) -> str:
        """What happened, and what it means."""
        return write_sentence(PROBLEMS, self, facts)

    def advice(self, facts: Facts) -> str:
        """What to do; empty for a part of the node, whose sentence says it."""
        return write_sentence(ADVICE, self, facts) if self in ADVICE else ""


def _translated(texts: Mapping[str, str]) -> dict[str, Sentence]:
    def sentence(text: str) -> Sentence:
        return lambda facts: gettext(text).format_map(facts)

    return {code: sentence(text) for code, text in texts.items()}


def _upload_failed(facts: Facts) -> str:
    text = gettext(
        "The upload of {who} into {set} has stopped: {reason}. Documents that were checked: {checked}, stored: {stored}."
    )
    return text.format_map(
        {**facts, "reason": read_reason(facts["reason"]) or gettext("this version does not know why")}
    )


def _folder_faults(facts: Facts) -> str:
    text = gettext(
        "Files of this folder with documents that could not be stored: {number}. The first document: {source} {reason}."
    )
    reason = read_reason(facts["reason"])
    return text.format(
        number=facts["number"], source=facts["source"], reason=reason or gettext("(this version does not know why)")
    )


_PARTS: dict[str, Sentence] = {code: "{sentence}" for code in ProblemCode if code.startswith("part-")}
PROBLEMS: Mapping[str, Sentence] = (
    _PARTS
    | {ProblemCode.UPLOAD_FAILED: _upload_failed, ProblemCode.FOLDER_FAULTS: _folder_faults}
    | _translated(
        {
            ProblemCode.SET_MISSING: _(
                "The provider does not have the set that this link asks for. Nothing new arrives; nothing is deleted here."
            ),
            ProblemCode.PASSWORD_UNREADABLE: _(
                "The {password} of this link was stored under another SECRET_KEY and cannot be read, so the provider is not asked."
            ),
            ProblemCode.LINK_FAILED: _(
                "Harvests have failed since {since} ({failures} in a row). {message} Nothing is lost: what changes there "
                "meanwhile comes with the next harvest that succeeds."
            ),
            ProblemCode.LINK_STALE: _(
                "The last complete harvest was {since}, longer ago than the {grace_h} hours after which this link is stale. "
                "Changes of the provider may be missing here."
            ),
            ProblemCode.LINK_OVERDUE: _("This link has been due since {since}, and no harvest has begun."),
            ProblemCode.DELETIONS_WAITING: _(
                "The provider has deleted many records at once. Deletions that wait: {number}. The records stay until a person decides."
            ),
            ProblemCode.ABOVE_CEILING: _(
                "Records that the provider no longer lists: {number}, more than are asked for without a person. They stay here."
            ),
            ProblemCode.COUNTS_CHANGED: _(
                "Since yesterday {added} records were added and {removed} deleted in a set that had {before}. That may be "
                "right, or a fault of the provider."
            ),
            ProblemCode.DOUBT: _("It is in doubt whether all records of the provider are here: {doubts}"),
            ProblemCode.MOVED: _(
                "The provider says that it has moved to {url}. Until a person agrees, it is asked at the former address."
            ),
            ProblemCode.COMPARISON_FAILED: _(
                "Records are harvested, but comparing them with the provider fails, so what is lost would not be found. {message}"
            ),
            ProblemCode.CONFLICTS_WAITING: _(
                "Conflicts that wait for a decision: {number}. The provider and this catalogue differ about these records; "
                "until then each keeps the version that it has here."
            ),
            ProblemCode.DRIFT: _(
                "The set differed from the provider by more than it should: {missing} records were missing here, {stale} were "
                "old, {extra} are not listed by the provider, {not_served} are not served here as the provider has them. What was "
                "missing or old has been fetched."
            ),
            ProblemCode.STORES_NOTHING: _("Records are uploaded into {set} here, so this link stores none."),
            ProblemCode.BY_ALTERNATIVE: _(
                "Since {since} the set comes from {provider}, and not from the link's own provider."
            ),
            ProblemCode.LIST_EMPTY: _("The provider has listed no record yet. Nothing was deleted here."),
            ProblemCode.SET_UNLISTED: _("The provider does not list the set {set}, and yet gives records of it."),
            ProblemCode.CHANGED_SILENTLY: _(
                "Records that had changed without a new datestamp: {number}. They were fetched; a harvest alone would not see such changes."
            ),
            ProblemCode.FROM_IGNORED: _(
                "The provider lists more than it is asked for: each harvest reads everything. Nothing is missed."
            ),
            ProblemCode.REJECTS: _("Records that could not be stored: {number}. All others are."),
            ProblemCode.DICTIONARY_DAMAGED: _(
                "The dictionary that stored records were compressed with is missing or damaged, so that none of them can be read; lists "
                "that need them are not answered: {message}."
            ),
            ProblemCode.RECORDS_DAMAGED: _(
                "Records whose stored metadata cannot be read back: {number}, the first {identifier}. Lists leave them out, so that "
                "harvesters do not get them. Of the first one: {message}."
            ),
            ProblemCode.ALERT_NOT_SENT: _(
                "Alerts to {recipient} cannot be sent: {number} wait, the first since {since}. {message}"
            ),
            ProblemCode.SET_SEARCH_UNREADABLE: _(
                "This version of the node cannot read the search that defines the set {set}. Its records stay; no record follows "
                "when it changes."
            ),
            ProblemCode.UPLOAD_WAITING: _(
                "Documents that {who} has sent into {set} have waited since {since}: they were checked, and not all are stored."
            ),
            ProblemCode.FOLDER_NOT_WATCHED: _(
                "Nobody has looked through this folder since {since}. What changes in it is not stored, and what vanishes stays."
            ),
            ProblemCode.FOLDER_UNREADABLE: _(
                "Of this folder cannot be read: {paths}. What is there is not stored; what was there stays in the catalogue."
            ),
            ProblemCode.FOLDER_ABOVE_CEILING: _(
                "Records whose files have vanished from this folder: {number}, more than the {ceiling} of a day, or all that there "
                "are. They stay until a person decides."
            ),
        }
    )
)

ADVICE: Mapping[str, Sentence] = _translated(
    {
        ProblemCode.SET_MISSING: _(
            "Look at “Retrieve info” of the link for the sets that are there, and correct the remote setSpec."
        ),
        ProblemCode.PASSWORD_UNREADABLE: _(
            "Enter the password again in the link, or bring the former SECRET_KEY back."
        ),
        ProblemCode.LINK_FAILED: _(
            "Look at the run. If the provider stays away, call the centre, or switch to another provider of the set."
        ),
        ProblemCode.LINK_STALE: _("Look at the last runs of the link, and harvest it now."),
        ProblemCode.LINK_OVERDUE: _("See whether worker and beat run (/health/tasks), and look at their logs."),
        ProblemCode.DELETIONS_WAITING: _(
            "Ask the provider whether it meant that. Then delete the records, or leave them."
        ),
        ProblemCode.ABOVE_CEILING: _("Ask the provider whether they are gone. If so, compare beyond the ceiling."),
        ProblemCode.COUNTS_CHANGED: _("Look at the last runs. If it is a surprise, ask the provider."),
        ProblemCode.DOUBT: _(
            "Wait for the comparison of all headers, which has begun by itself. If the doubt comes back, ask the provider."
        ),
        ProblemCode.MOVED: _("Accept the new address in the link, or ask the centre."),
        ProblemCode.COMPARISON_FAILED: _("Look at the last comparison of the link."),
        ProblemCode.CONFLICTS_WAITING: _("Look at the conflicts of the link and decide."),
        ProblemCode.DRIFT: _("Tell the provider: its lists leave changes out. Compare more often until it is mended."),
        ProblemCode.STORES_NOTHING: _("Make the link one of the kind backup, or stop feeding the set."),
        ProblemCode.BY_ALTERNATIVE: _("When the own provider answers again, let the link return to it."),
        ProblemCode.LIST_EMPTY: _("Ask the provider whether that is right."),
        ProblemCode.SET_UNLISTED: _("Ask the provider whether the link's remote setSpec is right."),
        ProblemCode.CHANGED_SILENTLY: _("Tell the provider that a change needs a new datestamp."),
        ProblemCode.FROM_IGNORED: _("Tell the provider."),
        ProblemCode.REJECTS: _("Look at the rejects, and tell the provider what to mend."),
        ProblemCode.DICTIONARY_DAMAGED: _(
            "Put the rows of the table catalogue_dictionary back from a backup: nothing is wrong with the records themselves."
        ),
        ProblemCode.RECORDS_DAMAGED: _(
            "Look at the disk and the memory of the database's host, and at PostgreSQL's log. Where it speaks of a page or a "
            "block, restore the node from a backup: no new version of such a record can be stored. Else what came by a link is asked for "
            "again in its next run, and files of watched folders are read again. Load the others again, or put a former version back on "
            "the page of the record."
        ),
        ProblemCode.ALERT_NOT_SENT: _(
            "Look at the alert log, correct the address or the mail server, and send a test."
        ),
        ProblemCode.SET_SEARCH_UNREADABLE: _("Define the set again on its page, by the search that is shown there."),
        ProblemCode.UPLOAD_FAILED: _("Go on with the upload on its page, or close it."),
        ProblemCode.UPLOAD_WAITING: _("Store them on the page of the upload, or close it."),
        ProblemCode.FOLDER_NOT_WATCHED: _(
            "See whether manage.py ingest --watch runs, and look at its log. If the folder is not to be watched any more, run "
            "manage.py ingest --watch FOLDER --forget: its records stay."
        ),
        ProblemCode.FOLDER_UNREADABLE: _("Mount it, or correct its permissions; it is tried again at each look."),
        ProblemCode.FOLDER_ABOVE_CEILING: _(
            "See whether the folder is whole. If the files are meant to be gone, run manage.py ingest --watch FOLDER --once "
            "--beyond-ceiling."
        ),
        ProblemCode.FOLDER_FAULTS: _(
            "Correct the files: each is read again when it changes. Delete those that are no records."
        ),
    }
)

# What each kind of problem is called, where people choose among them.
STATES: Mapping[str, str] = {
    "failing": _("failing"),
    "stale": _("stale"),
    "waiting": _("waiting"),
    "doubt": _("doubt"),
    "notice": _("notice"),
}


def state_in_words(state: str) -> str:
    """Return how a problem's subject is, for people."""
    return gettext(STATES.get(state, state))


def name_in_words(subject: str, name: str) -> str:
    """Return what a problem is about, for people: a part of this node, or a name that somebody gave."""
    return part_in_words(name) if subject.startswith("part:") else name


NAMES: Mapping[str, str] = {
    ProblemCode.PART_DATABASE: _("This node: the database"),
    ProblemCode.PART_MIGRATIONS: _("This node: migrations of the database"),
    ProblemCode.PART_JOURNAL: _("This node: the journal of deletions"),
    ProblemCode.PART_DISK: _("This node: room on the disk"),
    ProblemCode.PART_REDIS: _("This node: Redis"),
    ProblemCode.PART_WORKERS: _("This node: the worker"),
    ProblemCode.PART_BEAT: _("This node: the scheduler (beat)"),
    ProblemCode.PART_QUEUE: _("This node: the queue of runs"),
    ProblemCode.PART_CLOCK: _("This node: the clock"),
    ProblemCode.PART_CHORES: _("This node: chores that fail"),
    ProblemCode.PART_DURABILITY: _("This node: durability of the database"),
    ProblemCode.PART_VACUUM: _("This node: vacuum of the database"),
    ProblemCode.PART_REPLICA: _("This node: the read replica"),
    ProblemCode.PART_BACKUP: _("This node: the backup"),
    ProblemCode.SET_MISSING: _("The provider lacks the set"),
    ProblemCode.PASSWORD_UNREADABLE: _("A password cannot be read"),
    ProblemCode.LINK_FAILED: _("Harvests fail"),
    ProblemCode.LINK_STALE: _("The last complete harvest is too old"),
    ProblemCode.LINK_OVERDUE: _("A harvest is due and does not begin"),
    ProblemCode.DELETIONS_WAITING: _("Many deletions wait for a decision"),
    ProblemCode.ABOVE_CEILING: _("More records are missing at the provider than the ceiling allows"),
    ProblemCode.COUNTS_CHANGED: _("The number of records changes at once"),
    ProblemCode.DOUBT: _("It is in doubt whether all records are here"),
    ProblemCode.MOVED: _("The provider has moved"),
    ProblemCode.COMPARISON_FAILED: _("Comparisons fail"),
    ProblemCode.CONFLICTS_WAITING: _("Conflicts wait for a decision"),
    ProblemCode.DRIFT: _("The set differs from the provider (drift)"),
    ProblemCode.STORES_NOTHING: _("A link stores nothing, as records are uploaded into its set"),
    ProblemCode.BY_ALTERNATIVE: _("Another provider serves the link"),
    ProblemCode.LIST_EMPTY: _("The provider has listed nothing yet"),
    ProblemCode.SET_UNLISTED: _("The provider does not list the set, and gives records of it"),
    ProblemCode.CHANGED_SILENTLY: _("Records change without a new datestamp"),
    ProblemCode.FROM_IGNORED: _("The provider lists more than it is asked for"),
    ProblemCode.REJECTS: _("Records could not be stored (rejects)"),
    ProblemCode.DICTIONARY_DAMAGED: _("Stored records lack their dictionary"),
    ProblemCode.RECORDS_DAMAGED: _("Stored records cannot be read back"),
    ProblemCode.ALERT_NOT_SENT: _("Alerts cannot be sent"),
    ProblemCode.SET_SEARCH_UNREADABLE: _("A set does not follow its search"),
    ProblemCode.UPLOAD_FAILED: _("An upload has stopped"),
    ProblemCode.UPLOAD_WAITING: _("An upload waits for a person"),
    ProblemCode.FOLDER_NOT_WATCHED: _("Nobody watches a folder"),
    ProblemCode.FOLDER_UNREADABLE: _("A watched folder cannot be read"),
    ProblemCode.FOLDER_ABOVE_CEILING: _("Many files have vanished from a watched folder"),
    ProblemCode.FOLDER_FAULTS: _("Files of a watched folder could not be stored"),
}
