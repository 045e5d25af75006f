"""Find what needs a person now: links and parts of the node. The dashboard shows it, alerts are its changes.

The number of queries does not grow with the links.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from django.db.models import Count, Max, Min, Q
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from catalogue import seams
from catalogue.models import Upload
from catalogue.reading import watched_folders
from catalogue.reading.watched_folders import FolderState
from catalogue.reasons import Facts
from catalogue.writing import read_back, set_searches
from gisc.alerts.models import Condition, Message
from gisc.parts import parts
from gisc.parts.parts import Node, Part
from gisc.parts.reasons import PartCode
from gisc.problem_reasons import ProblemCode, name_in_words, state_in_words
from harvester.link_rules import Kind
from harvester.models import Conflict, Link, Run
from harvester.monitoring import counts, reject_groups, status
from harvester.monitoring.admin_pages import page_url
from harvester.monitoring.counts import CountChange


class Severity(StrEnum):
    """How soon a person is needed: today, this week, at leisure."""

    URGENT = "urgent"
    SOON = "soon"
    NOTICE = "notice"


class State(StrEnum):
    """How the subject is, in one word."""

    FAILING = "failing"
    STALE = "stale"
    WAITING = "waiting"
    DOUBT = "doubt"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that needs a person. It is the same one as long as code and subject are the same.

    `subject`: "link:12", "part:clock". `since`: none if nobody knows. `todo`: empty where `text` says it. `url`: the page of
    the administration where it is done. `is_muted`: not on top of a page, and nobody is alerted. `follows`: another problem, that the schedule stands still, is
    its cause, and alerts tell of that one alone.
    """

    code: ProblemCode
    subject: str
    name: str
    severity: Severity
    state: State
    since: datetime | None
    text: str
    todo: str
    url: str
    link_id: int | None = None
    is_muted: bool = False
    follows: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """What tells problems apart."""
        return str(self.code), self.subject

    @property
    def name_in_words(self) -> str:
        return name_in_words(self.subject, self.name)

    @property
    def state_in_words(self) -> str:
        return state_in_words(self.state)


@dataclass(frozen=True, slots=True)
class DriftLimits:
    """How much a link may differ from its provider. Both are chosen."""

    records: int = 5
    percent: int = 1  # of the live records of its set


_DRIFT = DriftLimits()


def find_problems(
    now: datetime | None = None, *, node: Node | None = None, links: Iterable[Link] | None = None
) -> list[Problem]:
    """Return what needs a person now, the most urgent first, and what is muted last.

    `node`: the node as it was read; the one that this process has read last, by default. Where its database does not answer,
    only the parts are known. `links`: as they come from `status.with_last_run` with successes, if somebody has read them.
    """
    now, node = now or seams.now(), node or parts.recent()
    found = list(_problems_of_parts(node))
    if node.read.has_database:
        if links is None:
            links = status.with_last_run(Link.objects.all(), successes=True)
        of_links = _problems_of_links(links, now, stands_still=_has(node, _STANDS_STILL | _TICKS_LATE))
        found += [*of_links, *_problems_of_alerts(), *_problems_of_sets(), *_problems_of_damaged()]
        found += [*_problems_of_uploads(now), *_problems_of_folders(now)]
        found = _dated(found)
    return sorted(found, key=_rank)


def _dated(problems: Iterable[Problem]) -> list[Problem]:
    """Say of those of which nothing else does since when they are so: since they were first seen (`gisc.alerts.watch`)."""
    seen = {(row.code, row.subject): row.begun for row in Condition.objects.filter(ended=None)}
    return [each if each.since else replace(each, since=seen.get(each.key)) for each in problems]


_SEVERITIES, _CODES = list(Severity), list(ProblemCode)


def _rank(problem: Problem) -> tuple[bool, int, int, str]:
    severity, code = _SEVERITIES.index(problem.severity), _CODES.index(problem.code)
    return problem.is_muted, severity, code, problem.name


# --- Parts of the node --------------------------------------------------------------------------------

# Without one of these parts nothing is done by schedule.
_STANDS_STILL = {
    PartCode.REDIS_AWAY,
    PartCode.REDIS_FULL,
    PartCode.REDIS_REFUSES,
    PartCode.NO_WORKER,
    PartCode.NO_BEAT,
}
# Nor with these, whatever is the reason.
_TICKS_LATE = {PartCode.TICKS_LATE, PartCode.NO_TICK}
# What is to be seen of other parts without one of the first.
_FOLLOWS = _TICKS_LATE | {PartCode.QUEUE_STALLED, PartCode.CLOCK_CHECK_OLD}
_LESS_URGENT = {
    ProblemCode.PART_CHORES,
    ProblemCode.PART_DURABILITY,
    ProblemCode.PART_VACUUM,
    ProblemCode.PART_REPLICA,
    ProblemCode.PART_BACKUP,
}


def _has(node: Node, codes: Set[PartCode]) -> bool:
    """Whether a part of the node is in one of these states."""
    return any(part.reason.code in codes for part in node.parts)


def _problems_of_parts(node: Node) -> Iterator[Problem]:
    stands_still = _has(node, _STANDS_STILL)
    for part in node.troubles:
        if part.reason.code != PartCode.NOT_KNOWN:  # the part that hides it is a problem by itself
            yield replace(_problem_of_part(part), follows=stands_still and part.reason.code in _FOLLOWS)


def _problem_of_part(part: Part) -> Problem:
    code = ProblemCode(f"part-{part.name}")
    is_unknown = part.state == parts.State.UNKNOWN
    return Problem(
        code,
        f"part:{part.name}",
        part.name,
        Severity.NOTICE if is_unknown else Severity.SOON if code in _LESS_URGENT else Severity.URGENT,
        State.NOTICE if is_unknown else State.FAILING,
        None,
        code.sentence({"sentence": part.sentence}),
        code.advice({}),
        reverse("admin:index"),
    )


# --- Alerts -------------------------------------------------------------------------------------------

_TRIES = 5  # chosen: a quarter of an hour


def _problems_of_alerts() -> Iterator[Problem]:
    """The recipients to whom nothing can be sent."""
    waiting = Message.objects.filter(sent=None, attempts__gte=_TRIES, recipient__enabled=True)
    counted = waiting.order_by("recipient__name").values_list("recipient_id", "recipient__name")
    code = ProblemCode.ALERT_NOT_SENT
    for pk, name, number, since, fault in counted.annotate(Count("pk"), Min("created"), Max("fault")):
        facts = {"recipient": name, "number": number, "since": f"{since:%Y-%m-%d %H:%M} UTC", "message": fault}
        yield Problem(
            code,
            f"recipient:{pk}",
            name,
            Severity.SOON,
            State.FAILING,
            since,
            code.sentence(facts),
            code.advice(facts),
            f"{reverse('admin:alerts_message_changelist')}?state=failed&recipient__id__exact={pk}",
        )


def _problems_of_sets() -> Iterator[Problem]:
    """The sets whose search cannot be read."""
    code = ProblemCode.SET_SEARCH_UNREADABLE
    for search in set_searches.unreadable():
        facts = {"set": search.set.spec}
        yield Problem(
            code,
            f"set:{search.pk}",
            search.set.spec,
            Severity.SOON,
            State.FAILING,
            None,
            code.sentence(facts),
            code.advice(facts),
            reverse("admin:catalogue_metadataset_change", args=[search.pk]),
        )


def _problems_of_damaged() -> Iterator[Problem]:
    """The stored records that cannot be read back, and a dictionary without which none can."""
    if fault := read_back.fault_of_dictionary():
        yield _problem_of_records(ProblemCode.DICTIONARY_DAMAGED, {"message": fault}, None, reverse("admin:index"))
    known = read_back.damaged()
    first = known.first()
    if first is not None:
        facts = {"number": known.count(), "identifier": first.record.identifier, "message": first.fault}
        page = f"{reverse('admin:catalogue_record_changelist')}?checks=damaged"
        yield _problem_of_records(ProblemCode.RECORDS_DAMAGED, facts, first.found, page)


def _problem_of_records(code: ProblemCode, facts: Facts, since: datetime | None, page: str) -> Problem:
    return Problem(
        code,
        f"records:{code}",
        gettext("stored records"),
        Severity.URGENT,
        State.FAILING,
        since,
        code.sentence(facts),
        code.advice(facts),
        page,
    )


_UPLOAD_WAITS = timedelta(days=1)  # chosen: who has sent documents may look at the report tomorrow


def _problems_of_uploads(now: datetime) -> Iterator[Problem]:
    """The uploads that have stopped, and those that nobody has looked after since yesterday: what was sent is not stored."""
    is_forgotten = Q(state=Upload.State.READY, worked__lt=now - _UPLOAD_WAITS)
    for upload in Upload.objects.filter(is_forgotten | Q(state=Upload.State.FAILED)).order_by("pk"):
        has_failed = upload.state == Upload.State.FAILED
        code = ProblemCode.UPLOAD_FAILED if has_failed else ProblemCode.UPLOAD_WAITING
        since = upload.finished if has_failed else upload.worked
        facts = {
            "who": upload.who,
            "set": upload.set_spec,
            "since": f"{since:%Y-%m-%d %H:%M} UTC" if since else gettext("a while"),
            "reason": upload.fault,
            "checked": upload.documents,
            "stored": upload.stored,
        }
        yield Problem(
            code,
            f"upload:{upload.pk}",
            ", ".join(str(file["name"]) for file in upload.files[:3]),
            Severity.SOON if has_failed else Severity.NOTICE,
            State.FAILING if has_failed else State.WAITING,
            since,
            code.sentence(facts),
            code.advice(facts),
            reverse("admin:catalogue_upload_change", args=[upload.pk]),
        )


class _OfFolder(NamedTuple):
    """A problem of a watched folder before its sentences are made."""

    code: ProblemCode
    severity: Severity
    state: State
    facts: Facts
    since: datetime | None = None


def _problems_of_folders(now: datetime) -> Iterator[Problem]:
    """What is wrong with the folders that are watched: what is in them is not stored, and nobody reads the log."""
    for state in watched_folders.states(now):
        folder = state.folder
        for code, severity, how, facts, since in _find_of_folder(state):
            facts = {**facts, "folder": folder.folder}
            yield Problem(
                code,
                f"folder:{folder.pk}",
                folder.folder,
                severity,
                how,
                since,
                code.sentence(facts),
                code.advice(facts),
                reverse("admin:index"),
            )


def _find_of_folder(state: FolderState) -> Iterator[_OfFolder]:
    folder = state.folder
    if state.is_late:
        facts = {"since": f"{folder.looked:%Y-%m-%d %H:%M} UTC"}
        yield _OfFolder(ProblemCode.FOLDER_NOT_WATCHED, Severity.URGENT, State.STALE, facts, folder.looked)
    if folder.unreadable:
        facts = {"paths": ", ".join(folder.unreadable)}
        yield _OfFolder(ProblemCode.FOLDER_UNREADABLE, Severity.SOON, State.FAILING, facts)
    if folder.above_ceiling:
        numbers = {"number": folder.above_ceiling, "ceiling": folder.ceiling}
        yield _OfFolder(ProblemCode.FOLDER_ABOVE_CEILING, Severity.SOON, State.WAITING, numbers)
    if state.first is not None:
        first = {"number": state.faulty, "source": state.first["source"], "reason": state.first}
        yield _OfFolder(ProblemCode.FOLDER_FAULTS, Severity.SOON, State.FAILING, first)


# --- Links ----------------------------------------------------------------------------------------------


class _Sort(NamedTuple):
    """What problems of one code have in common. `page`: where they are solved, as of a `status.Todo`."""

    severity: Severity
    state: State
    page: str = status.LINK


_URGENT, _SOON, _NOTICE = Severity
_SORTS: Mapping[ProblemCode, _Sort] = {
    ProblemCode.SET_MISSING: _Sort(_URGENT, State.FAILING),
    ProblemCode.PASSWORD_UNREADABLE: _Sort(_URGENT, State.FAILING),
    ProblemCode.LINK_FAILED: _Sort(_SOON, State.FAILING, status.RUN),
    ProblemCode.LINK_STALE: _Sort(_URGENT, State.STALE),
    ProblemCode.LINK_OVERDUE: _Sort(_URGENT, State.STALE),
    ProblemCode.DELETIONS_WAITING: _Sort(_URGENT, State.WAITING, status.CONFLICTS),
    ProblemCode.ABOVE_CEILING: _Sort(_SOON, State.WAITING),
    ProblemCode.COUNTS_CHANGED: _Sort(_SOON, State.DOUBT),
    ProblemCode.DOUBT: _Sort(_SOON, State.DOUBT),
    ProblemCode.MOVED: _Sort(_SOON, State.WAITING),
    ProblemCode.COMPARISON_FAILED: _Sort(_SOON, State.FAILING),
    ProblemCode.CONFLICTS_WAITING: _Sort(_SOON, State.WAITING, status.CONFLICTS),
    ProblemCode.DRIFT: _Sort(_SOON, State.DOUBT),
    ProblemCode.STORES_NOTHING: _Sort(_SOON, State.WAITING),
    ProblemCode.BY_ALTERNATIVE: _Sort(_NOTICE, State.NOTICE),
    ProblemCode.LIST_EMPTY: _Sort(_NOTICE, State.NOTICE),
    ProblemCode.SET_UNLISTED: _Sort(_NOTICE, State.NOTICE),
    ProblemCode.CHANGED_SILENTLY: _Sort(_NOTICE, State.NOTICE),
    ProblemCode.FROM_IGNORED: _Sort(_NOTICE, State.NOTICE),
    ProblemCode.REJECTS: _Sort(_NOTICE, State.NOTICE, status.REJECTS),
}


class _Found(NamedTuple):
    """A problem of a link before its sentences are made."""

    code: ProblemCode
    facts: Facts = {}
    since: datetime | None = None


class _Waiting(NamedTuple):
    """Rows that wait for a decision."""

    number: int
    since: datetime | None


_NONE_WAIT = _Waiting(0, None)


class _AroundLinks(NamedTuple):
    """What is read once for all links, by link and by set."""

    live: dict[int, int]
    changes: dict[int, CountChange]
    deletions: dict[int, _Waiting]
    conflicts: dict[int, _Waiting]
    rejects: dict[int, _Waiting]


def _problems_of_links(links: Iterable[Link], now: datetime, *, stands_still: bool) -> Iterator[Problem]:
    around = _read_around_links(now)
    for link in links:
        is_stale = link.enabled and _is_stale(link, now)
        for code, facts, since in _find(link, around, now, is_stale=is_stale):
            sort = _SORTS[code]
            facts = {**facts, "since": f"{since:%Y-%m-%d %H:%M} UTC" if since else gettext("a while")}
            yield Problem(
                code,
                f"link:{link.pk}",
                link.name,
                Severity.URGENT if code == ProblemCode.LINK_FAILED and is_stale else sort.severity,
                sort.state,
                since,
                " ".join(code.sentence(facts).split()),
                code.advice(facts),
                page_url(link, sort.page),
                link.pk,
                link.is_muted(now),
                # Once it is stale as well, its records are old, which whoever is told of links alone must know.
                follows=stands_still and code == ProblemCode.LINK_OVERDUE and not is_stale,
            )


def _read_around_links(now: datetime) -> _AroundLinks:
    live = counts.live_by_set()
    waiting = Conflict.objects.filter(settled=None).order_by()
    mass = Conflict.Kind.MASS
    return _AroundLinks(
        live,
        counts.sudden_changes(now, live),
        _by_link(waiting.filter(kind=mass)),
        _by_link(waiting.exclude(kind=mass)),
        {link: _Waiting(*found) for link, found in reject_groups.to_do_by_link().items()},
    )


def _by_link(rows: Any) -> dict[int, _Waiting]:
    counted = rows.values_list("link_id").annotate(Count("pk"), Min("first_seen"))
    return {link_id: _Waiting(number, since) for link_id, number, since in counted}


def _find(link: Link, around: _AroundLinks, now: datetime, *, is_stale: bool) -> Iterator[_Found]:
    if link.enabled:
        yield from _that_nothing_arrives(link, now, is_stale=is_stale)
    yield from _that_waits(link, around)
    yield from _that_is_odd(link, around)


_PASSWORDS = {  # what `unreadable_passwords` returns
    ("password",): gettext_noop("password"),
    ("proxy password",): gettext_noop("proxy password"),
    ("password", "proxy password"): gettext_noop("password and the proxy password"),
}


def _that_nothing_arrives(link: Link, now: datetime, *, is_stale: bool) -> Iterator[_Found]:
    """What keeps records from coming, each cause once: a link without its set or its password fails for that."""
    if link.lacks_remote_set:
        yield _Found(ProblemCode.SET_MISSING, since=link.failing_since)
    if passwords := link.unreadable_passwords():
        yield _Found(
            ProblemCode.PASSWORD_UNREADABLE, {"password": gettext(_PASSWORDS[tuple(passwords)])}, link.failing_since
        )
    run = status.last_run(link)
    is_failing = link.failures > 0 or (run is not None and run.state == Run.State.FAILED)
    if is_failing and not link.lacks_remote_set and not passwords:
        facts = {"failures": max(link.failures, 1), "message": run.message if run else ""}
        yield _Found(ProblemCode.LINK_FAILED, facts, link.failing_since or (run.finished if run else None))
    if status.overdue_since(link, now) is not None:
        yield _Found(ProblemCode.LINK_OVERDUE, since=link.next_due)
    elif is_stale and not is_failing:
        yield _Found(ProblemCode.LINK_STALE, {"grace_h": round(link.grace.total_seconds() / 3600)}, _last_arrival(link))


def _is_stale(link: Link, now: datetime) -> bool:
    """Whether the last complete harvest is older than the link's grace. What runs by hand alone never is."""
    last = _last_arrival(link)
    return link.kind not in (Kind.BACKUP, Kind.RECOVERY) and last is not None and now - last > link.grace


def _last_arrival(link: Link) -> datetime | None:
    """When the last complete harvest ended; where there was none, when the newest began, or the first failed."""
    success, run = status.last_success(link), status.last_run(link)
    if success is not None:
        return success.finished
    return link.failing_since or (run.begun if run else None)


def _that_waits(link: Link, around: _AroundLinks) -> Iterator[_Found]:
    """What a person has to decide."""
    if number_of_deletions := around.deletions.get(link.pk, _NONE_WAIT).number:
        since = around.deletions[link.pk].since
        yield _Found(ProblemCode.DELETIONS_WAITING, {"number": number_of_deletions}, since)
    compared = status.last_comparison(link)
    if compared is not None and compared.held_back:
        yield _Found(ProblemCode.ABOVE_CEILING, {"number": compared.held_back}, compared.begun)
    if link.moved_to:
        yield _Found(ProblemCode.MOVED, {"url": link.moved_to})
    conflicts = around.conflicts.get(link.pk, _NONE_WAIT)
    if conflicts.number:
        yield _Found(ProblemCode.CONFLICTS_WAITING, {"number": conflicts.number}, conflicts.since)
    if link.kind == Kind.SHARED and link.only_reports:
        yield _Found(ProblemCode.STORES_NOTHING, {"set": str(link.local_set)})
    rejects = around.rejects.get(link.pk, _NONE_WAIT)
    if rejects.number:
        yield _Found(ProblemCode.REJECTS, {"number": rejects.number}, rejects.since)


def _that_is_odd(link: Link, around: _AroundLinks) -> Iterator[_Found]:
    """What is not as it should be though records arrive."""
    if change := around.changes.get(link.pk):
        facts = {"before": change.before, "added": change.added, "removed": change.removed}
        yield _Found(ProblemCode.COUNTS_CHANGED, facts)
    if link.doubts:
        yield _Found(ProblemCode.DOUBT, {"doubts": " ".join(link.doubt_sentences)})
    if not link.failures:  # else the same is told of the harvest
        for run in (status.last_comparison(link), status.last_reharvest(link)):
            if run is not None and run.state == Run.State.FAILED:
                yield _Found(ProblemCode.COMPARISON_FAILED, {"message": run.message}, run.finished)
                break
    if drift := _drift(link, around.live.get(link.local_set_id, 0)):
        yield _Found(ProblemCode.DRIFT, drift, link.cycle_begun)
    reharvest = status.last_reharvest(link)
    if reharvest is not None and reharvest.changed:
        yield _Found(ProblemCode.CHANGED_SILENTLY, {"number": reharvest.changed}, reharvest.begun)
    if link.serving is not None:
        yield _Found(ProblemCode.BY_ALTERNATIVE, {"provider": str(link.serving)}, link.serving_since)
    if link.has_unlisted_set:
        yield _Found(ProblemCode.SET_UNLISTED, {"set": link.provider.remote_set})
    elif link.has_brought_nothing and not link.lacks_remote_set:
        yield _Found(ProblemCode.LIST_EMPTY)
    if link.from_ignored >= link.FROM_IS_IGNORED:
        yield _Found(ProblemCode.FROM_IGNORED)


def _drift(link: Link, live: int, limits: DriftLimits = _DRIFT) -> dict[str, int]:
    """What comparisons have found, if it is more than the limits allow; else empty."""
    found = {name: status.drift_of(link).get(name, 0) for name in ("missing", "stale", "extra", "not_served")}
    number = sum(found.values())
    return found if number >= limits.records and number * 100 > live * limits.percent else {}
