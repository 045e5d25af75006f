"""Read what the start page of the administration says: problems, headline, map, changes a day, sets, links, the machine.

The number of queries grows neither with the links nor with their runs, and no record is counted: triggers do that.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Max, Sum
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from catalogue import seams
from catalogue.models import CatalogueDay
from catalogue.reading import stats
from gisc.alerts.models import Condition
from gisc.dashboard import world_map
from gisc.dashboard.world_map import Arc, Place
from gisc.parts import parts
from gisc.parts.parts import Node, Part
from gisc.problems import Severity, find_problems
from harvester.messages import WaitsFor
from harvester.models import Alternative, Centre, Link, LinkDay, Run
from harvester.monitoring import coverage, status, strips
from harvester.monitoring.status import StateInWords
from harvester.monitoring.strips import Strip

DAYS = 30
MOST_LINKS = 20  # chosen: of the table of links; the others are on their own page
MOST_PROBLEMS = 15  # chosen: of each severity, more than a person does in a day; the page of links has the others
_LINK = "harvester.link"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with what it is a figure of, and its neighbour: what it is compared with."""

    name: str
    value: str
    neighbour: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """What changed in the catalogue on one day, UTC, and what the harvests of that day did."""

    day: date
    new: int = 0
    updated: int = 0
    deleted: int = 0
    runs: int = 0
    seconds: int = 0
    entries: int = 0

    @property
    def seconds_a_run(self) -> float:
        return round(self.seconds / self.runs, 1) if self.runs else 0.0

    @property
    def entries_a_second(self) -> float:
        return round(self.entries / self.seconds, 1) if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link in the table: state, age of the last complete harvest, what comparisons found, last runs."""

    link: Link
    state: StateInWords
    age: str
    drift: str
    url: str
    strip: Strip = Strip()


@dataclass(frozen=True, slots=True)
class Mesh:
    """The map, and the links that are not on it because nobody knows the place of their centre."""

    places: Sequence[Place]
    arcs: Sequence[Arc]
    unplaced: Sequence[LinkRow]


def may(user: AbstractBaseUser | AnonymousUser, act: str, model: str) -> bool:
    """Whether an account may do this ("view", "change") with what is in this model ("harvester.link")."""
    app, _dot, name = model.partition(".")
    return bool(user.has_perm(f"{app}.{act}_{name}"))  # type: ignore[union-attr]


# --- What lives: read again and again -------------------------------------------------------------------


def read_live(user: AbstractBaseUser | AnonymousUser) -> dict[str, Any]:
    """Return what the page reads again while it is open, as this account may see it."""
    now, node = seams.now(), parts.recent()
    sees_links = may(user, "view", _LINK)
    links = list(status.with_last_run(Link.objects.all(), successes=True)) if node.read.has_database else []
    found = find_problems(now, node=node, links=links)
    if not sees_links:
        found = [problem for problem in found if problem.link_id is None]
    muted = [problem for problem in found if problem.is_muted]
    notices = [each for each in found if not each.is_muted and each.severity == Severity.NOTICE]
    problems = [each for each in found if not each.is_muted and each.severity != Severity.NOTICE]
    context: dict[str, Any] = {
        "problems": problems[:MOST_PROBLEMS],
        "notices": notices[:MOST_PROBLEMS],
        "muted": muted[:MOST_PROBLEMS],
        "numbers": {"problems": len(problems), "notices": len(notices), "muted": len(muted)},
        "more_problems": len(problems[MOST_PROBLEMS:]),
        "now": now,
        "machine": machine(node),
        "may_mute": may(user, "change", _LINK),
        "may_add": may(user, "add", _LINK),
        "has_database": node.read.has_database,
    }
    if not node.read.has_database:
        return context
    if not context["problems"]:
        context["well_since"] = Condition.objects.aggregate(Max("ended"))["ended__max"]
    context["figures"] = [*(_figures(now) if may(user, "view", "catalogue.record") else ()), _figure_of_clock(node)]
    if sees_links:
        rows = link_rows(links, now)
        context |= {
            "links": _with_strips(rows[:MOST_LINKS]),
            "all_links": rows,
            "switchable": set(Alternative.objects.values_list("link_id", flat=True)) if context["may_mute"] else (),
            "number_of_links": len(rows),
            "mesh": _mesh(rows),
            "coverage": coverage.read_coverage(),
        }
    return context


def _figures(now: datetime) -> Iterable[Figure]:
    catalogue = next(iter(stats.by_set(with_hidden=True).values()))
    today = stats.days_since(now.date()).get(now.date(), CatalogueDay())
    change = today.new - today.deleted
    yield Figure(
        _("live records"),
        f"{catalogue['live']:,}",
        _("%(change)s today") % {"change": f"{change:+,}" if change else _("none more or fewer")},
    )
    yield Figure(_("deleted records"), f"{catalogue['deleted']:,}", _("kept so that harvesters learn of them"))
    yield Figure(
        _("newest change"),
        _age(catalogue["newest"], now),
        _("changed today: %(n)s") % {"n": f"{today.updated:,}"},
    )


def _figure_of_clock(node: Node) -> Figure:
    offset = None if node.read.clock is None else node.read.clock.offset_s
    part = next((each for each in node.parts if each.name == "clock"), None)
    return Figure(
        _("clock"),
        _("not checked") if offset is None else f"{offset * 1000:+.0f} ms",
        "" if part is None else str(part.state),
    )


def _age(stamp: str | None, now: datetime) -> str:
    if not stamp:
        return _("none")
    seconds = (now - datetime.fromisoformat(stamp.replace("Z", "+00:00"))).total_seconds()
    return _("%(time)s ago") % {"time": status.duration(seconds)}


# --- Links ----------------------------------------------------------------------------------------------


def link_rows(links: Sequence[Link], now: datetime) -> list[LinkRow]:
    """Return the links with what the table says of each but the last runs, the most urgent first."""
    rows = [_link_row(link, now) for link in links]
    return sorted(rows, key=lambda row: (status.URGENCY.index(row.state.key), row.link.name))


def _with_strips(rows: Sequence[LinkRow]) -> list[LinkRow]:
    """Add their last runs. The address of a run is made once: for each bar it would take a tenth of a second."""
    begin, end = reverse("admin:harvester_run_change", args=[0]).rsplit("0", 1)
    found = strips.read_strips([row.link.pk for row in rows], lambda run: f"{begin}{run}{end}")
    return [replace(row, strip=found[row.link.pk]) for row in rows]


def _link_row(link: Link, now: datetime) -> LinkRow:
    success = status.last_success(link)
    finished = None if success is None else success.finished
    age = "" if finished is None else _("%(time)s ago") % {"time": status.duration((now - finished).total_seconds())}
    found = status.count_differing(status.drift_of(link))
    if link.cycle_begun is None and link.content_begun is None:
        drift = _("not compared yet")
    elif found:
        drift = ngettext("%(number)s record", "%(number)s records", found) % {"number": f"{found:,}"}
    else:
        drift = _("none")
    url = reverse("admin:harvester_link_change", args=[link.pk])
    return LinkRow(link, status.describe_state(link, now), age or _("never"), drift, url)


# --- The map ----------------------------------------------------------------------------------------------


def _mesh(rows: Sequence[LinkRow]) -> Mesh:
    by_set: defaultdict[str, list[LinkRow]] = defaultdict(list)
    for row in rows:
        by_set[row.link.local_set.spec].append(row)
    centres = {
        centre.set_spec: centre
        for centre in Centre.objects.all()
        if centre.latitude is not None and centre.longitude is not None
    }
    own = centres.get(settings.GISC_NAME)
    places, arcs = [], []
    for spec, centre in centres.items():
        of_centre = sorted(by_set.get(spec, []), key=lambda row: status.URGENCY.index(row.state.key))
        places.append(_place(centre, of_centre, list(centres.values()), is_own=centre is own))
        if own is not None and centre is not own and of_centre:
            arcs.append(_arc(of_centre, centre, own))
    arcs.sort(key=lambda arc: -status.URGENCY.index(arc.key))  # the most urgent is drawn last, on top
    return Mesh(places, arcs, [row for row in rows if row.link.local_set.spec not in centres])


def _place(centre: Centre, rows: Sequence[LinkRow], all_of_them: Sequence[Centre], *, is_own: bool) -> Place:
    x, y = _position(centre)
    if is_own:
        words, key, url = _("this node"), Run.State.DONE.value, reverse("admin:harvester_link_changelist")
    elif rows:
        words, key, url = _states(rows), rows[0].state.key, rows[0].url
    else:
        words, key, url = _("no link"), status.DISABLED, reverse("admin:harvester_link_add")
    crowded = any(0 < _position(other)[0] - x < 90 and abs(_position(other)[1] - y) < 22 for other in all_of_them)
    return Place(centre.name, round(x), round(y), key, f"{centre.name}: {words}", url, is_own, crowded)


def _arc(rows: Sequence[LinkRow], centre: Centre, own: Centre) -> Arc:
    """Draw the links into the set of a centre as one line, which has the state of the first."""
    return Arc(world_map.paths(_position(centre), _position(own)), rows[0].state.key, _states(rows), rows[0].url)


def _states(rows: Sequence[LinkRow]) -> str:
    return "; ".join(f"{row.link.name}: {row.state.word} {row.state.reason}".strip() for row in rows)


def _position(centre: Centre) -> tuple[float, float]:
    return world_map.project(centre.latitude or 0.0, centre.longitude or 0.0)


# --- Charts -----------------------------------------------------------------------------------------------


def read_days(now: datetime) -> list[Day]:
    """Return what changed in the catalogue on each of the last days, and what the harvests did, the oldest day first.

    A day before changes were counted has those of its harvests alone, from the daily sums of the links.
    """
    first = now.date() - timedelta(days=DAYS - 1)
    names = ("new", "updated", "unchanged", "deleted", "rejected", "runs", "seconds")
    sums = LinkDay.objects.filter(day__gte=first).order_by().values("day").annotate(**{f"{n}_": Sum(n) for n in names})
    harvests: dict[date, Any] = {row["day"]: row for row in sums}
    none = dict.fromkeys((f"{name}_" for name in names), 0)
    changes = stats.days_since(first)
    days = []
    for number in range(DAYS):
        day = first + timedelta(days=number)
        row = harvests.get(day, none)
        changed = changes.get(day) or CatalogueDay(new=row["new_"], updated=row["updated_"], deleted=row["deleted_"])
        entries = sum(row[f"{name}_"] for name in ("new", "updated", "unchanged", "deleted", "rejected"))
        counts = {name: getattr(changed, name) for name in ("new", "updated", "deleted")}
        days.append(Day(day, **counts, runs=row["runs_"], seconds=row["seconds_"], entries=entries))
    return days


def read_sets() -> list[dict[str, Any]]:
    """Return the sets with their live and deleted records, the largest first; the whole catalogue is left out."""
    _catalogue, *sets = stats.by_set(with_hidden=True).values()
    return sorted(sets, key=lambda row: -row["live"])


# --- The machine ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A part of the machine: its state, and a figure or a sentence."""

    name: str
    state: str
    text: str


def machine(node: Node) -> list[MachineRow]:
    """Return the parts of the node with their states, and what is measured of each."""
    measured = dict(_measured(node))
    return [MachineRow(part.name, str(part.state), _text_of(part, measured)) for part in node.parts]


def _text_of(part: Part, measured: Mapping[str, str]) -> str:
    sentence = "" if part.state == parts.State.OK else part.sentence
    return " ".join(filter(None, (measured.get(part.name, ""), sentence))) or part.sentence


def _measured(node: Node) -> Iterable[tuple[str, str]]:
    read = node.read
    if read.queue is not None:
        waiting = sum(read.queue.waiting.values())
        longest = max(read.queue.longest_s.values(), default=0.0)
        text = _("Runs in work: %(working)s, waiting: %(waiting)s") % {
            "working": read.queue.working,
            "waiting": waiting,
        }
        for_worker = read.queue.waiting.get(WaitsFor.WORKER, 0)
        if waiting:
            text += _(", %(number)s of them for a worker, the longest for %(time)s") % {
                "number": for_worker,
                "time": status.duration(longest),
            }
        yield "queue", f"{text}."
    if read.disks:
        rooms = ", ".join(f"{disk.kind} {disk.free / 1e9:,.1f} GB" for disk in read.disks if disk.free is not None)
        yield "disk", _("Free: %(rooms)s.") % {"rooms": rooms}
    if read.journal is not None:
        yield "journal", _("Deletions that wait for it: %(number)s.") % {"number": read.journal.waiting}
    alive = {"alive": read.broker.workers_alive, "expected": read.broker.workers_expected}
    yield "workers", _("%(alive)s of %(expected)s processes run.") % alive
    if read.backup.age_s is not None:
        yield "backup", _("The newest verified one is %(time)s old.") % {"time": status.duration(read.backup.age_s)}
