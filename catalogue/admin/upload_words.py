"""What the pages of uploads say: words for states and outcomes, and sentences made of counts."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _

from catalogue.bulk import ingest, preview, upload_report
from catalogue.bulk.upload_report import Counts, Progress
from catalogue.models import Upload, Validation
from catalogue.reasons import Reason, read_reason

State = Upload.State
# The classes of states.css by state: a shape and a colour.
SHAPES = {
    State.CHECKING: "open",
    State.STORING: "open",
    State.READY: "partial",
    State.CLOSED: "done",
    State.FAILED: "failed",
}
WORDS = {
    "new": _("new"),
    "updated": _("changed"),
    ingest.REPEATED: _("instead of another document"),
    ingest.BROUGHT_BACK: _("brought back"),
    ingest.OLDER: _("older than stored"),
    ingest.CLAIMED: _("kept, not served"),
    "unchanged": _("unchanged"),
    "rejected": _("rejected"),
}
# What storing does to a document with this outcome.
EFFECTS = {
    "new": _("become records, with a new datestamp: harvesters get them."),
    "updated": _("replace the stored records, with a new datestamp: harvesters get the new versions."),
    ingest.REPEATED: _(
        "have the identifier of another document of this upload, and take its place: the last one is left."
    ),
    ingest.BROUGHT_BACK: _("are deleted records: they come back, and harvesters get them again."),
    ingest.OLDER: _("replace a stored record whose own date is later."),
    ingest.CLAIMED: _("are stored beside the version of another source, which is served on."),
}
LABEL_WORDS = {"invalid": _("invalid"), "faults": _("with faults"), "valid": _("valid")}
RESULT_WORDS = {
    "stored": _("stored"),
    "otherwise": _("otherwise than shown before"),
    "open": _("not stored yet"),
}


@dataclass(frozen=True, slots=True)
class Group:
    """Documents of one outcome. `is_chosen`: they are stored unless a person says otherwise."""

    name: str
    word: str
    number: int
    effect: str
    is_chosen: bool


def outcome_word(name: str) -> str:
    return gettext(WORDS[name]) if name in WORDS else name


def groups(numbers: dict[str, int]) -> list[Group]:
    """Return the groups that can be stored, as ingest would take them: what was deleted comes back only if a person wants it."""
    return [
        Group(name, gettext(WORDS[name]), numbers[name], gettext(EFFECTS[name]), name != ingest.BROUGHT_BACK)
        for name in preview.STORABLE
        if numbers.get(name)
    ]


def summary(counts: Counts) -> str:
    """Return the counts of a preview as a line: 40 new, 12 changed."""
    found = ((name, counts.preview[name]) for name in upload_report.OUTCOMES)
    return ", ".join(f"{number:,} {outcome_word(name)}" for name, number in found if number)


def reason_text(stored: dict[str, Any] | None) -> str:
    """Return the sentence of a reason as it is stored."""
    reason = read_reason(stored)
    return str(reason) if reason else ""


def fault_text(upload: Upload) -> str:
    reason: Reason | None = read_reason(upload.fault)
    return str(reason) if reason else ""


def label_text(structure: str, faults: list[Any]) -> str:
    """Return what the checks say: the label, and how many faults."""
    if not structure:
        return ""
    number = len(faults)
    words = {value: str(label) for value, label in Validation.Structure.choices}
    label = words.get(structure, structure)
    if not number:
        return label
    return f"{label}, " + ngettext("{number} fault", "{number} faults", number).format(number=number)


def progress_text(progress: Progress) -> str:
    """Return how far it has come, in a sentence."""
    done, total = f"{progress.done:,}", f"{progress.total or 0:,}"
    if progress.state == State.STORING:
        text = gettext("{done} of {total} documents stored")
    else:
        text = gettext("{done} of {total} documents checked") if progress.total else gettext("{done} documents checked")
    text = text.format(done=done, total=total)
    if progress.rate >= 1:
        text += gettext(", {rate} a second").format(rate=f"{progress.rate:,.0f}")
    if progress.left_s is not None and progress.left_s >= 1:
        text += gettext(", about {seconds} s left").format(seconds=f"{progress.left_s:,.0f}")
    return text


def question(number: int) -> str:
    """Return the question before documents are stored."""
    return ngettext("Store {number} document?", "Store {number} documents?", number).format(number=f"{number:,}")


def sizes(upload: Upload) -> list[tuple[str, str]]:
    """Return names and sizes of the files."""
    return [(str(file["name"]), f"{int(file['bytes']) / 1e6:,.2f} MB") for file in upload.files]
