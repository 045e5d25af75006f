"""What a provider answered, in words for a person who does not know OAI-PMH."""

from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from catalogue.datestamps import Granularity
from catalogue.models import Validation
from harvester.admin.retrieve_info import describe_skew
from harvester.link_rules import Identifiers
from harvester.monitoring import status
from harvester.monitoring.progress import Progress
from harvester.monitoring.status import StateInWords
from harvester.protocol import probe

MAX_FRIENDS = 10  # chosen: on the page


class Line(NamedTuple):
    """A line of the answer. `warning`: what is wrong with it."""

    name: str
    value: str
    warning: str = ""


def describe_offer(offer: probe.Offer) -> list[Line]:
    """Return the answer line by line."""
    identity, sample = offer.identity, offer.sample
    formats = ", ".join(f"{item.prefix} (ISO 19139)" if item.is_iso else item.prefix for item in offer.formats)
    lines = [
        Line(_("Repository"), identity.repository_name or _("it gives no name")),
        Line(_("Protocol"), f"OAI-PMH {identity.protocol_version}".strip()),
        Line(_("Dates"), _granularity(identity.granularity)),
        Line(_("Deletions"), _deletions(identity.deleted_record)),
        Line(
            _("Clock"),
            _("%(seconds)s s against ours") % {"seconds": f"{offer.skew_s:+,.1f}"},
            describe_skew(offer.skew_s),
        ),
        Line(_("Transfer"), _("compressed (gzip)") if offer.is_compressed else _("not compressed")),
        Line(_("Formats"), formats or _("none"), "" if offer.iso_prefix else _(_NO_ISO)),
        Line(_("Sets"), _sets(offer)),
        Line(_("First record"), *_sample(sample)),
    ]
    if sample.identifiers:
        lines.append(Line(_("Identifiers"), str(Identifiers(sample.identifiers).label)))
    lines += [Line(_("Remark"), text) for text in offer.warnings]
    return lines


_NO_ISO = gettext_noop("It offers no ISO 19139, and nothing else can be stored here. Ask the centre for it.")


def _granularity(granularity: Granularity) -> str:
    if granularity is Granularity.SECOND:
        return _("to the second")
    return _("to the day: the records of a whole day are asked for again each time")


def _deletions(deleted_record: str) -> str:
    return {
        "no": _("not reported: only comparisons find out what is gone"),
        "transient": _("reported for a while"),
        "persistent": _("reported, and kept for ever"),
    }.get(deleted_record, _("it does not say whether it reports them"))


def _sets(offer: probe.Offer) -> str:
    if offer.sets_fault and not offer.sets:
        return _("it lists none: %(why)s") % {"why": offer.sets_fault}
    return str(len(offer.sets))


def _sample(sample: probe.Sample) -> tuple[str, str]:
    """Return the record in words with its label, and what is wrong with it."""
    if not sample.identifier:
        return sample.fault, ""
    label = (
        {
            Validation.Structure.VALID: _("valid"),
            Validation.Structure.INVALID: _("not valid by its schema"),
            Validation.Structure.NOT_CHECKED: _("not checked against a schema"),
        }.get(Validation.Structure(sample.structure))
        if sample.structure
        else ""
    )
    number = len(sample.check_faults)
    remarks = ngettext("%(number)d remark", "%(number)d remarks", number) % {"number": number} if number else ""
    parts = [f"“{sample.title}”" if sample.title else sample.identifier, sample.datestamp, label, remarks]
    return ", ".join(str(part) for part in parts if part), sample.fault


def describe_size(size: int | None) -> str:
    """Return how many records a set has."""
    if size is None:
        return _("size not said")
    return ngettext("%(number)s record", "%(number)s records", size) % {"number": f"{size:,}"}


def describe_progress(progress: Progress) -> list[Line]:
    """Return the figures of a run line by line."""
    run = progress.run
    records = f"{progress.listed:,}"
    if progress.total is not None:
        records = _("%(listed)s of %(total)s") % {"listed": records, "total": f"{progress.total:,}"}
    stored = _("%(new)s new, %(updated)s updated, %(deleted)s deleted, %(unchanged)s unchanged") % {
        name: f"{getattr(run, name):,}" for name in ("new", "updated", "deleted", "unchanged")
    }
    rate = _("%(rate)s a second") % {"rate": f"{progress.rate:,.0f}"} if progress.rate else "–"
    time = Line(_("Took"), status.duration(progress.took.total_seconds()))
    if run.is_open:
        time = Line(
            _("Time left"),
            _("not known yet") if progress.left is None else status.duration(progress.left.total_seconds()),
        )
    return [
        Line(_("Records"), records),
        Line(_("Rate"), rate),
        time,
        Line(_("Stored"), stored),
        Line(_("Rejected"), f"{run.rejected:,}"),
    ]


def describe_state(progress: Progress) -> StateInWords:
    """Return the state of a run as all pages show it."""
    if progress.waits_for:
        return StateInWords(status.WAITING, str(status.WORDS[status.WAITING]), "")
    return status.describe_run_state(progress.run)
