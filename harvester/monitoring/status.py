"""Read how links stand: their last runs, their state in a few words, what an operator has to do, and a report for scripts.

The number of queries does not grow with the links, nor what they read with the runs: the newest ones are found by index.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Count, IntegerField, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.expressions import RawSQL
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from catalogue import datestamps, seams, ticks
from catalogue.models import MetadataSet
from harvester import schedule, schedule_words
from harvester.link_rules import Kind
from harvester.links import failover
from harvester.messages import FaultCode, OutcomeCode
from harvester.models import Conflict, Link, Reject, Run
from harvester.models.link_access import describe_unreadable
from harvester.monitoring.coverage import read_coverage
from harvester.protocol.warnings import report_warnings
from harvester.rows import queue
from harvester.runs import comparison

COUNTERS = ("received", "new", "updated", "unchanged", "deleted", "rejected")

# Keys of states, besides those of Run.State.
PARTIAL, RUNNING, WAITING, NEVER, DISABLED, OVERDUE = "partial", "open", "waiting", "never", "disabled", "overdue"

# The one word for each state, of links and of runs; its shape and colour are in `static/harvester/states.css`.
WORDS = {
    Run.State.DONE.value: gettext_lazy("ok"),
    PARTIAL: gettext_lazy("attention"),
    Run.State.FAILED.value: gettext_lazy("failing"),
    OVERDUE: gettext_lazy("overdue"),
    RUNNING: gettext_lazy("running"),
    WAITING: gettext_lazy("waiting"),
    NEVER: gettext_lazy("new"),
    DISABLED: gettext_lazy("off"),
    Run.State.CANCELLED.value: gettext_lazy("cancelled"),
}
_RUN_WORDS = {Run.State.DONE.value: gettext_lazy("done"), Run.State.FAILED.value: gettext_lazy("failed")}
# Keys of states, the most urgent first.
URGENCY = tuple(
    map(
        str,
        (Run.State.FAILED, OVERDUE, PARTIAL, WAITING, RUNNING, NEVER, Run.State.CANCELLED, Run.State.DONE, DISABLED),
    )
)

IN_NEED = frozenset({str(Run.State.FAILED), OVERDUE, PARTIAL})  # of a person

# Pages on which an operator does something about a link.
CONFLICTS, REJECTS, LINK, RUN = "conflicts", "rejects", "link", "run"


# --- Links with their last runs ---------------------------------------------------------------------


_NEWEST = """
    SELECT run.id FROM harvester_link link CROSS JOIN unnest(%s) AS of (purpose)
    CROSS JOIN LATERAL (
        SELECT id FROM harvester_run WHERE link_id = link.id AND purpose = of.purpose ORDER BY begun DESC, id DESC LIMIT 1
    ) AS run
"""
_LAST_COMPLETE = """
    SELECT run.id FROM harvester_link link CROSS JOIN LATERAL (
        SELECT id FROM harvester_run WHERE link_id = link.id AND purpose = 'harvest' AND state = 'done'
        ORDER BY begun DESC, id DESC LIMIT 1
    ) AS run
"""


# How many rejects stand of the causes that are not quiet.
_REJECTS_TO_DO = """
    SELECT sum(number) FROM (
        SELECT reason, count(*) AS number FROM harvester_reject
        WHERE link_id = harvester_link.id AND settled IS NULL GROUP BY reason
    ) AS cause
    LEFT JOIN harvester_quietcause quiet ON quiet.link_id = harvester_link.id AND quiet.reason = cause.reason
    WHERE number > coalesce(quiet.up_to, 0)
"""


def _runs(ids: str, link: int | None, *values: object) -> QuerySet[Run]:
    """The runs with the ids of this statement; of one link only, if one is named."""
    if link is not None:
        ids, values = f"{ids} WHERE link.id = %s", (*values, link)
    return Run.objects.filter(pk__in=RawSQL(ids, values, IntegerField()))  # constants; values are parameters  # nosec B611


def find(link: Link) -> Link:
    """The link as it stands now, as it comes from `with_last_run`."""
    return with_last_run(Link.objects.filter(pk=link.pk), only=link.pk).get()


def with_last_run(
    links: QuerySet[Link],
    *,
    purposes: Iterable[Run.Purpose] = Run.Purpose,
    successes: bool = False,
    only: int | None = None,
) -> QuerySet[Link]:
    """The links, each with its newest harvest, comparison and total re-harvest, its local set and provider, its drift, the
    number of conflicts that wait and of rejects that stand: what the functions below read.

    `purposes`: the runs that are needed. `successes`: with its newest harvest that came to its end, too. `only`: the one
    link that is looked for.
    """
    waiting = Conflict.objects.filter(link=OuterRef("pk"), settled=None).order_by().values("link")
    standing = Reject.objects.standing().filter(link=OuterRef("pk")).order_by().values("link")
    annotated = links.annotate(
        rejects_to_do=RawSQL(_REJECTS_TO_DO, (), IntegerField()),  # a constant  # nosec B611
        conflicts_waiting=Subquery(waiting.annotate(number=Count("pk")).values("number")),
        rejects_standing=Subquery(standing.annotate(number=Count("pk")).values("number")),
        drift=comparison.drift(),
    )
    found = annotated.select_related("local_set", "serving").prefetch_related(
        Prefetch("runs", queryset=_runs(_NEWEST, only, [str(each) for each in purposes]), to_attr="newest_runs")
    )
    if successes:
        return found.prefetch_related(Prefetch("runs", queryset=_runs(_LAST_COMPLETE, only), to_attr="last_successes"))
    return found


def last_run(link: Link) -> Run | None:
    """The newest harvest of a link that came from `with_last_run`."""
    return _newest(link, "newest_runs", Run.Purpose.HARVEST)


def last_comparison(link: Link) -> Run | None:
    """The newest comparison of a link that came from `with_last_run`."""
    return _newest(link, "newest_runs", Run.Purpose.COMPARISON)


def last_reharvest(link: Link) -> Run | None:
    """The newest total re-harvest, or slice of one, of a link that came from `with_last_run`."""
    return _newest(link, "newest_runs", Run.Purpose.CONTENT)


def last_success(link: Link) -> Run | None:
    """The newest harvest that came to its end, of a link that came from `with_last_run` with `successes`."""
    return _newest(link, "last_successes", Run.Purpose.HARVEST)


def count_conflicts_waiting(link: Link) -> int:
    """How many conflicts wait for the operator, of a link that came from `with_last_run`."""
    return getattr(link, "conflicts_waiting", None) or 0


def count_rejects_standing(link: Link) -> int:
    """How many rejects stand, of a link that came from `with_last_run`."""
    return getattr(link, "rejects_standing", None) or 0


def count_rejects_to_do(link: Link) -> int:
    """How many rejects stand, but for those of causes that are quiet, of a link that came from `with_last_run`."""
    return getattr(link, "rejects_to_do", None) or 0


def drift_of(link: Link) -> dict[str, int]:
    """What the comparisons and total re-harvests of the present cycle have found, of a link that came from `with_last_run`."""
    return getattr(link, "drift", None) or {}


def count_differing(drift: Mapping[str, int]) -> int:
    """Return how many records differ from the provider's: what is counted in two ways, once."""
    of_extra = sum(drift.get(name, 0) for name in comparison.OF_EXTRA)
    others = sum(number for name, number in drift.items() if name not in ("extra", *comparison.OF_EXTRA))
    return others + max(drift.get("extra", 0), of_extra)


def describe_drift(drift: Mapping[str, int]) -> str:
    """Write what comparisons have found: "2 missing; 3 extra, of which 1 vanished"; empty: nothing."""
    parts = {name: count_in_words(name, drift[name]) for name in comparison.DRIFT if drift.get(name)}
    of_extra = ", ".join(parts.pop(name) for name in comparison.OF_EXTRA if name in parts)
    if of_extra and "extra" in parts:
        parts["extra"] = _("{extra}, of which {parts}").format(extra=parts["extra"], parts=of_extra)
    elif of_extra:
        parts["extra"] = of_extra
    return "; ".join(parts.values())


def _newest(link: Link, attribute: str, purpose: Run.Purpose) -> Run | None:
    """The run of this purpose in an attribute that has one of each."""
    runs: list[Run] = getattr(link, attribute, [])
    return next((run for run in runs if run.purpose == purpose), None)


# --- In a few words ---------------------------------------------------------------------------------

_COUNTED = {
    "received": gettext_noop("{number} received"),
    "new": gettext_noop("{number} new"),
    "updated": gettext_noop("{number} updated"),
    "unchanged": gettext_noop("{number} unchanged"),
    "deleted": gettext_noop("{number} deleted"),
    "rejected": gettext_noop("{number} rejected"),
    "missing": gettext_noop("{number} missing"),
    "stale": gettext_noop("{number} stale"),
    "not_served": gettext_noop("{number} not served"),
    "extra": gettext_noop("{number} extra"),
    "vanished": gettext_noop("{number} vanished"),
    "held_back": gettext_noop("{number} held back"),
    "changed": gettext_noop("{number} changed"),
}


def count_in_words(name: str, number: int) -> str:
    """Write a counter of a run, or of what comparisons have found: "3 new"."""
    return _(_COUNTED[name]).format(number=number)


def run_outcome(run: Run) -> tuple[str, str]:
    """The state of a run, as a key and in words. A run that is done and has not stored everything is `partial`."""
    counts = {"rejected": run.rejected, "held_back": run.held_back, "not_served": run.not_served}
    return outcome_in_words(run.state, run.outcome, **counts, warnings=len(run.warnings))


def outcome_in_words(
    state: str, outcome: str, *, rejected: int, held_back: int, not_served: int, warnings: int
) -> tuple[str, str]:
    """`run_outcome` of the columns of a run, where many are read."""
    if outcome == OutcomeCode.NOTHING_TAKEN:
        return PARTIAL, _("nothing taken, {number} rejected").format(number=rejected)
    if state == Run.State.DONE and held_back:
        return PARTIAL, _("done, {number} held back").format(number=held_back)
    if state == Run.State.DONE and not_served:
        return PARTIAL, _("done, {number} not served").format(number=not_served)
    if state == Run.State.DONE and rejected:
        return PARTIAL, _("done, {number} rejected").format(number=rejected)
    if state == Run.State.DONE and warnings:
        return state, ngettext("done, {number} warning", "done, {number} warnings", warnings).format(number=warnings)
    return state, str(Run.State(state).label)


def link_state(link: Link, now: datetime | None = None) -> tuple[str, str]:
    """The state of a link that came from `with_last_run`, as a key for its colour and in words. Every page shows this one.

    What has failed is failed until a run succeeds, also while the next one runs. Where something is to be done, it is not
    just done.
    """
    state = _read_state(link, now)
    return state.key, state.text


@dataclass(frozen=True, slots=True)
class _State:
    """The key of a state, the whole of it in words, and what the words add to the one word of the key."""

    key: str
    text: str
    reason: str


def _read_state(link: Link, now: datetime | None) -> _State:
    run = last_run(link)
    if run is None:
        key, text = (NEVER, _("not harvested yet")) if link.enabled else (DISABLED, _("disabled"))
    elif run.is_open:
        key, text = _state_of_open(run, now or seams.now())
    else:
        key, text = _outcome_of_link(link, run)
    fault, more = _fault_in_words(link)
    if fault:
        is_told = run is not None and run.state == Run.State.FAILED
        told, reason = (fault, more) if is_told else (f"{text}; {fault}", f"{text}; {fault}")
        return _State(Run.State.FAILED, told, reason)
    if (since := overdue_since(link, now or seams.now())) is not None:
        text = _("{state}; overdue since {since}").format(state=text, since=f"{since:%Y-%m-%d %H:%M}")
        return _State(OVERDUE, text, text)
    if key in (Run.State.DONE, PARTIAL) and (remarks := _remarks_in_words(link)):
        text = ", ".join([text, *remarks])
        return _State(PARTIAL, text, text)
    if key == Run.State.DONE and (number := len(list(find_todos(link)))):
        todos = ngettext("{state}, {number} thing to do", "{state}, {number} things to do", number)
        text = todos.format(state=text, number=number)
        return _State(PARTIAL, text, text)
    return _State(key, text, "" if key == RUNNING or _is_plain(text) else text)


def _is_plain(text: str) -> bool:
    """Whether a text on a state says no more than its one word."""
    return text in {_("not harvested yet"), _("disabled"), *(str(state.label) for state in Run.State)}


def _outcome_of_link(link: Link, run: Run) -> tuple[str, str]:
    """The outcome of a link's last run. Rejects of causes that an operator has made quiet are not amber."""
    key, text = run_outcome(run)
    is_more = run.held_back or run.not_served or run.outcome == OutcomeCode.NOTHING_TAKEN
    if key == PARTIAL and not is_more and count_rejects_standing(link) and not count_rejects_to_do(link):
        return Run.State.DONE, _("{state}, of a known cause").format(state=text)
    return key, text


def overdue_since(link: Link, now: datetime) -> datetime | None:
    """Since when a link that came from `with_last_run` is due, if no tick has opened a run of it for GISC_CANARY_SECONDS.

    Outside of its windows a link is not due.
    """
    has_open_run = any(run.is_open for run in getattr(link, "newest_runs", ()))
    if not link.enabled or link.next_due is None or has_open_run:
        return None
    due = schedule.next_opening(link.schedule.windows, link.next_due)
    return due if now - due > timedelta(seconds=settings.GISC_CANARY_SECONDS) else None


def _fault_in_words(link: Link) -> tuple[str, str]:
    """Why nothing arrives, in a few words, and the same beside the word that it fails; empty if the last harvest has not failed."""
    failed = more = ""
    if link.failures > 1:
        failed = _("failed {number} times").format(number=link.failures)
        more = _("{number} times").format(number=link.failures)
    elif link.failures:
        failed = _("failed")
    missing = _("set missing") if link.lacks_remote_set else ""
    return ": ".join(filter(None, (failed, missing))), ": ".join(filter(None, (more, missing)))


def _remarks_in_words(link: Link) -> list[str]:
    """What is not as it should be though records arrive, in a few words."""
    words = {
        _("set not listed"): link.has_unlisted_set,
        _("nothing listed"): link.has_brought_nothing and not link.has_unlisted_set,
        _("`from` ignored"): link.from_ignored >= link.FROM_IS_IGNORED,
        _("in doubt"): bool(link.doubts),
    }
    return [word for word, is_true in words.items() if is_true]


def _state_of_open(run: Run, now: datetime) -> tuple[str, str]:
    if not queue.is_abandoned(run, now):
        if run.asking_since is not None:
            since = f"{run.asking_since:%H:%M:%S}"
            return WAITING, _("waits for the provider's answer since {since}").format(since=since)
        return RUNNING, _("runs, {number} received").format(number=run.received)
    if run.not_before is not None and run.not_before > now:
        form = "%H:%M:%S" if run.not_before.date() == now.date() else "%Y-%m-%d %H:%M"
        return WAITING, _("waits until {time}").format(time=run.not_before.strftime(form))
    if not schedule.is_open(run.windows, now):
        opening = f"{schedule.next_opening(run.windows, now):%H:%M}"
        return WAITING, _("waits until {time} UTC, {number} received").format(time=opening, number=run.received)
    since = f"{max(run.queued or run.begun, run.not_before or run.begun):%H:%M:%S}"
    return WAITING, _("waits for its turn since {since}, {number} received").format(since=since, number=run.received)


def waits_until(run: Run, now: datetime) -> datetime | None:
    """Until when an open run waits for its next try or the times at which it may run; None: it runs, or may go on now."""
    if not queue.is_abandoned(run, now):
        return None
    if run.not_before is not None and run.not_before > now:
        return run.not_before
    return None if schedule.is_open(run.windows, now) else schedule.next_opening(run.windows, now)


@dataclass(frozen=True, slots=True)
class StateInWords:
    """What `snippets/state.html` shows: the key of a state, its one word, and why it is so (empty: nothing to add)."""

    key: str
    word: str
    reason: str


def describe_state(link: Link, now: datetime | None = None) -> StateInWords:
    """The state of a link that came from `with_last_run`, as pages show it."""
    state = _read_state(link, now)
    return StateInWords(str(state.key), str(WORDS[state.key]), state.reason)


def describe_run_state(run: Run) -> StateInWords:
    """The state of a run, as pages show it: an open run that nobody works on is waiting."""
    key, text = run_outcome(run)
    if run.is_open and queue.is_abandoned(run, now := seams.now()):
        key, text = _state_of_open(run, now)
    return StateInWords(str(key), word_of_run(key), "" if _is_plain(text) else text)


def word_of_run(key: str) -> str:
    """The one word for the state of a run: one that has ended is not failing, it has failed."""
    return str(_RUN_WORDS.get(key) or WORDS[key])


def duration(seconds: float) -> str:
    """A time in at most two units: 45 s, 12 min, 3 h 20 min, 4 days."""
    whole = max(0, round(seconds))
    if whole < 120:
        return _("%(number)s s") % {"number": whole}
    minutes = whole // 60
    if minutes < 120:
        return _("%(number)s min") % {"number": minutes}
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return " ".join(
            [
                _("%(number)s h") % {"number": hours},
                *([_("%(number)s min") % {"number": rest}] if rest and hours < 3 else []),
            ]
        )
    return _("%(number)s days") % {"number": hours // 24}


@dataclass(frozen=True, slots=True)
class Todo:
    """Something that waits for an operator. `page`: where it is done, one of CONFLICTS, REJECTS, LINK, RUN."""

    text: str
    page: str


def find_todos(link: Link) -> Iterator[Todo]:
    """What waits for an operator, the most urgent first, of a link that came from `with_last_run`."""
    run, compared = last_run(link), last_comparison(link)
    for remark in link.remarks:
        yield Todo(str(remark), LINK)
    if (since := overdue_since(link, seams.now())) is not None:
        text = _("Due since {since} UTC and not begun: see whether the scheduler and a worker run (/health/tasks).")
        yield Todo(text.format(since=f"{since:%Y-%m-%d %H:%M}"), LINK)
    for password in link.unreadable_passwords():
        yield Todo(describe_unreadable(password), LINK)
    if link.moved_to:
        text = _("The provider has moved to {address}: accept the new address, or ask the centre.")
        yield Todo(text.format(address=link.moved_to), LINK)
    if run is not None and run.outcome != OutcomeCode.RUNNING and _is_failing(run) and not _is_set_missing(link, run):
        yield Todo(run.message, RUN)
    if not link.failures:  # else the same is told of the harvest
        for slice_run in (compared, last_reharvest(link)):
            if slice_run is not None and slice_run.outcome != OutcomeCode.RUNNING and _is_failing(slice_run):
                text = _("The {purpose} fails. {message}")
                yield Todo(text.format(purpose=slice_run.get_purpose_display(), message=slice_run.message), LINK)
    if compared is not None and compared.held_back:
        text = ngettext(
            "{number} record is no longer listed by the provider: ask it, then compare beyond the ceiling.",
            "{number} records are no longer listed by the provider: ask it, then compare beyond the ceiling.",
            compared.held_back,
        )
        yield Todo(text.format(number=compared.held_back), LINK)
    reharvest = last_reharvest(link)
    if reharvest is not None and reharvest.changed:
        text = ngettext(
            "{number} record had changed without a new datestamp: tell the provider.",
            "{number} records had changed without a new datestamp: tell the provider.",
            reharvest.changed,
        )
        yield Todo(text.format(number=reharvest.changed), LINK)
    if waiting := count_conflicts_waiting(link):
        text = ngettext("{number} conflict waits for a decision.", "{number} conflicts wait for a decision.", waiting)
        yield Todo(text.format(number=waiting), CONFLICTS)
    if rejected := count_rejects_to_do(link):
        text = ngettext(
            "{number} record is rejected: tell the provider why.",
            "{number} records are rejected: tell the provider why.",
            rejected,
        )
        yield Todo(text.format(number=rejected), REJECTS)
    if link.kind == Kind.SHARED and link.only_reports:
        text = _(  # W42
            "Records are uploaded into {local_set} here, so this link stores none: make it one of the kind backup."
        )
        yield Todo(text.format(local_set=link.local_set), LINK)
    if not link.enabled and link.kind != Kind.RECOVERY:
        yield Todo(_("Not harvested by schedule: enable it, or run it by hand."), LINK)


def _is_set_missing(link: Link, run: Run) -> bool:
    """Whether the run has failed for what a remark of the link says already."""
    return link.lacks_remote_set and run.outcome_data.get("cause", {}).get("code") == FaultCode.SET_MISSING


def _is_failing(run: Run) -> bool:
    return run.state == Run.State.FAILED or (run.is_open and run.attempts + run.crashes > 0)


# --- For scripts and monitors -----------------------------------------------------------------------


def status_report(links: QuerySet[Link] | None = None) -> dict[str, Any]:
    """The age of the oldest tick, the queue, the coverage, and these links, or all, with their last runs."""
    age_s = ticks.read_ages().oldest_s
    now = seams.now()
    open_runs = queue.read_queue(now)
    return {
        "canary_age_s": None if age_s is None else round(age_s, 1),
        "queue": queue.state_of(open_runs, now).report(),
        "coverage": read_coverage().report(),
        "links": [
            _link_facts(link, open_runs) for link in with_last_run(Link.objects.all() if links is None else links)
        ],
    }


def link_report(link: Link) -> dict[str, Any]:
    """What `status_report` has of one link, which came from `with_last_run`."""
    return _link_facts(link, queue.read_queue(seams.now()))


def _link_facts(link: Link, open_runs: list[queue.OpenRun]) -> dict[str, Any]:
    run, compared, reharvest = last_run(link), last_comparison(link), last_reharvest(link)
    return {
        "name": link.name,
        **state_facts(link),
        "kind": link.kind,
        "base_url": link.base_url,
        "remote_set": link.remote_set,
        "identifiers": link.identifiers,
        "local_set": link.local_set.spec,
        "enabled": link.enabled,
        "schedule": schedule_words.write(link.schedule),
        "next_due": link.next_due and datestamps.write(link.next_due.replace(microsecond=0)),
        "harvested_to": link.harvested_to and datestamps.write(link.harvested_to),
        "failures": link.failures,
        "clock_skew_s": None if link.skew_s is None else round(link.skew_s, 1),
        "moved_to": link.moved_to,
        "provider": failover.describe_relay(link) or _("its own"),
        "way_back": failover.describe_return(link),
        "set": link.set_state or None,
        "compared": link.cycle_ended and datestamps.write(link.cycle_ended),
        "total_reharvest": link.get_content_days_display(),
        "reharvested": link.content_ended and datestamps.write(link.content_ended),
        "drift": drift_of(link) or None,
        "waits": next((queue.report_wait(each.pk, open_runs) for each in open_runs if each.link_id == link.pk), None),
        "doubts": [{**doubt, "text": text} for doubt, text in zip(link.doubts, link.doubt_sentences, strict=True)],
        "size_is_estimate": link.size_is_estimate,
        "rejects_standing": count_rejects_standing(link),
        "lateness_h": link.lateness_h,
        "last_run": run and run_facts(run),
        "last_comparison": compared and run_facts(compared),
        "last_reharvest": reharvest and run_facts(reharvest),
    }


def state_facts(link: Link) -> dict[str, Any]:
    """The state of a link that came from `with_last_run`: key and words, and what to know of its provider."""
    state, text = link_state(link)
    remarks = [{**remark.to_json(), "text": str(remark)} for remark in link.remarks]
    return {"state": str(state), "state_text": text, "remarks": remarks}


def run_facts(run: Run) -> dict[str, Any]:
    """One run: its state, times, counters, outcome and warnings, by code and as sentences (`docs/codes.md`)."""
    return {
        "id": run.pk,
        "purpose": run.purpose,
        "state": run.state,
        "begun": datestamps.write(run.begun),
        "finished": run.finished and datestamps.write(run.finished),
        **{name: getattr(run, name) for name in (*COUNTERS, *(comparison.DRIFT if run.compares else ()))},
        "first_fault": run.first_fault,
        "last_fault": run.last_fault,
        "outcome": run.outcome,
        "outcome_data": run.outcome_data,
        "message": run.message,
        "warnings": report_warnings(run.warnings),
    }


def friend_base_urls() -> list[str]:
    """The base URLs of the peer GISCs that are harvested here, for the `friends` container of Identify (P127).

    Of links into peers' sets that are enabled, may be told and have no category, without addresses that have a password. `gisc.settings` names this
    function to the provider, which may not import it.
    """
    enabled = Link.objects.filter(enabled=True, is_told=True, category=None, local_set__kind=MetadataSet.Kind.PEER)
    base_urls = enabled.order_by("base_url").values_list("base_url", flat=True).distinct()
    return [base_url for base_url in base_urls if "@" not in urlsplit(base_url).netloc]
