"""Break each part of a living node, and see that Prometheus and the node itself sound exactly the right alarm, and end it.

    make drill-alarms                                        all of them: two hours
    .venv/bin/python -m tests.loop.drill_alarms [NAME...]    some

A real Prometheus scrapes the node, and the proxy in front of it, with the rules that ship; a real Alertmanager has the configuration that
ships. Their times (`for`, windows, intervals, waits) are a third of what ships, made from the files that ship
(`tests.support.prometheus`), and so are beat, canary and the settling of the node's own alerts; those are over after 30 s
instead of 15 minutes. Not less than a third: while PostgreSQL hangs, a scrape takes 8 s, and Prometheus allows no more than an interval. As root, as the disks are small file systems. Prints a line of a table for each drill, and ends with 1 if
one was not as it should be.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from gisc.parts.reasons import WORDS
from tests.loop import drills
from tests.loop.drills import World
from tests.support import prometheus
from tests.support.forwarding import Forwarder, forwarding
from tests.support.mail import MailServer, mail_server
from tests.support.nodes import manage
from tests.support.prometheus import Monitoring, monitoring
from tests.support.waiting import until

FACTOR = 3.0
SETTINGS = {
    "GISC_BEAT_SECONDS": "10",  # 30
    "GISC_CANARY_SECONDS": "200",  # 600
    "GISC_ALERT_SETTLE_SECONDS": "40",  # 120
    "GISC_ALERT_OVER_SECONDS": "30",  # 900
    "GISC_SMTP_SECURITY": "none",
}
_RECIPIENT = (
    "from gisc.alerts.models import Recipient;"
    "Recipient.objects.create(name='Anna', email='anna@example.org', least_severity='notice')"
)


@dataclass(frozen=True)
class DrillLimits:
    """How long a drill waits. `hold_s`: so long a part stays broken at least, as what follows from it comes later."""

    hold_s: float = 330
    ends_s: float = 600


@dataclass(frozen=True)
class Case:
    """What is broken, and what has to follow.

    `alarm`: the one that is told. `follows`: alarms that fire as consequences, of which nobody is told. `own`: the parts or links of which the node sends one alert when it begins and one when it is over.
    """

    part: str
    strike: Callable[["Watched"], Callable[[], None]]
    alarm: str
    own: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    fires_s: float = 900


@dataclass
class Watched:
    """A node, all that watches it, and its operator's mails."""

    world: World
    proxy: Forwarder
    backups: Path
    mails: MailServer
    monitoring: Monitoring


def _in_node(strike: Callable[[World], Callable[[], None]]) -> Callable[[Watched], Callable[[], None]]:
    return lambda watched: strike(watched.world)


def _end(of: Callable[[Watched], Forwarder]) -> Callable[[Watched], Callable[[], None]]:
    """Whoever connects is refused."""

    def strike(watched: Watched) -> Callable[[], None]:
        forwarder = of(watched)
        forwarder.stop()
        return forwarder.start

    return strike


def _take_away(of: Callable[[Watched], Path], access: str) -> Callable[[Watched], Callable[[], None]]:
    """The folder is there and empty, as when its disk is not mounted. `access`: `rw` or `ro`, whether it can be written."""

    def strike(watched: Watched) -> Callable[[], None]:
        folder = str(of(watched))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=1m,mode=755,{access}", "tmpfs", folder], check=True)

        def undo() -> None:
            subprocess.run(["umount", "-l", folder], check=True)

        return undo

    return strike


def _silence_clock(world: World) -> Callable[[], None]:
    world.clock.is_silent = True

    def undo() -> None:
        world.clock.is_silent = False

    return undo


def _hang_pool(world: World) -> Callable[[], None]:
    """Stop the processes of the pool, of each worker that the supervisor starts in place of one that hangs."""
    over = threading.Event()
    stopped: list[psutil.Process] = []

    def stop() -> None:
        while not over.wait(0.2):
            with suppress(psutil.Error, IndexError):  # there is none at the moment
                for process in psutil.Process(world.node.pid_of("worker")).children(recursive=True):
                    if process.status() != psutil.STATUS_STOPPED:
                        process.suspend()
                        stopped.append(process)

    stopper = threading.Thread(target=stop)
    stopper.start()

    def undo() -> None:
        over.set()
        stopper.join()
        drills.resume(stopped)

    return undo


# docs/operations.md has the same, and why (tests/loop/test_alarm_drills.py).
CASES: dict[str, Case] = {
    "PostgreSQL killed, again and again": Case(
        "PostgreSQL", _in_node(drills.kill_for_long("postgres")), "GiscDatabaseDown"
    ),
    "PostgreSQL hangs": Case("PostgreSQL", _in_node(drills.freeze("postgres")), "GiscDatabaseDown"),
    "Redis killed, again and again": Case(
        "Redis", _in_node(drills.kill_for_long("redis")), "GiscRedisDown", ("redis",), ("GiscTicksLate",)
    ),
    "Redis hangs": Case("Redis", _in_node(drills.freeze("redis")), "GiscRedisDown", ("redis",), ("GiscTicksLate",)),
    "Redis full (noeviction)": Case(
        "Redis", _in_node(drills.fill_redis), "GiscRedisDown", ("redis",), ("GiscTicksLate",)
    ),
    "worker killed, again and again": Case(
        "worker", _in_node(drills.kill_for_long("worker")), "GiscNoWorker", ("workers",), ("GiscTicksLate",)
    ),
    "beat killed, again and again": Case(
        "beat", _in_node(drills.kill_for_long("beat")), "GiscNoBeat", ("beat",), ("GiscTicksLate",)
    ),
    "web server killed, again and again": Case("web", _in_node(drills.kill_for_long("web")), "GiscAbsent"),
    "proxy ends": Case("proxy", _end(lambda watched: watched.proxy), "GiscProxyDown"),
    "disk of the data full": Case("disk", _in_node(drills.fill_disk), "GiscDisk", ("disk",)),
    "clock 10 minutes off": Case("clock", _in_node(drills.set_clock), "GiscClock", ("clock",)),
    "NTP server silent": Case("clock", _in_node(_silence_clock), "GiscClock", ("clock",)),
    "journal read-only": Case("journal", _in_node(drills.lock_journal), "GiscJournal", ("journal",)),
    "disk of the journal away": Case(
        "journal", _take_away(lambda watched: watched.world.journal, "rw"), "GiscJournal", ("journal",)
    ),
    "disk of the backups away": Case(
        "backup", _take_away(lambda watched: watched.backups, "ro"), "GiscBackup", ("backup",)
    ),
    "pool of the worker hangs, again and again": Case("worker", _in_node(_hang_pool), "GiscTicksLate", ("beat",)),
    "provider loses the set": Case(
        "provider", _in_node(drills.lose_set), "GiscLinkSetMissing", ("toulouse",), ("GiscLinkFailing",)
    ),
    # Three runs of ten tries each.
    "provider ends": Case(
        "provider", _end(lambda watched: watched.world.front), "GiscLinkFailing", ("toulouse",), fires_s=2400
    ),
}


# --- Watching ---------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What was seen during a drill. Times are seconds since it was begun, or mended."""

    fired_s: dict[str, float] = field(default_factory=dict)
    ended_s: dict[str, float] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    mail_begun_s: dict[str, float] = field(default_factory=dict)
    mail_over_s: dict[str, float] = field(default_factory=dict)
    _active_since: dict[str, float] = field(default_factory=dict)

    def look(self, monitoring: Monitoring, since_s: float) -> set[str]:
        """Look once; the alarms that fire now. What Alertmanager had to tell for as long as it waits counts as told."""
        firing = {name for name, _ in monitoring.firing()}
        for name in firing:
            self.fired_s.setdefault(name, since_s)
        now_s = time.monotonic()
        active = {name for name, _ in monitoring.told()}
        self._active_since = {name: self._active_since.get(name, now_s) for name in active}
        self.told |= {name for name in active if now_s - self._active_since[name] >= monitoring.group_wait_s}
        return firing

    def note_mails(self, begun: Counter[str], over: Counter[str], since_s: float) -> None:
        """Keep when a mail first told of each that began, or is over."""
        for names, times_s in ((begun, self.mail_begun_s), (over, self.mail_over_s)):
            for name in names:
                times_s.setdefault(name, since_s)


def read_mails(mails: MailServer, first: int) -> tuple[Counter[str], Counter[str]]:
    """How often mails tell of each part or link that something begins, and that it is over. `first`: of which mail on."""
    begun, over = Counter[str](), Counter[str]()
    for mail in mails.mails[first:]:
        body = mail.get_content().replace("\r\n", "\n")
        begun.update(re.findall(r"^(.+?): (?:failing|stale|waiting|doubt|notice) since ", body, re.MULTILINE))
        over.update(re.findall(r"^(.+?): over since ", body, re.MULTILINE))
    return _by_code(begun), _by_code(over)


_CODES = {word: code for code, word in WORDS.items()}  # mails call parts as people do


def _by_code(told: Counter[str]) -> Counter[str]:
    return Counter({_CODES.get(name, name): number for name, number in told.items()})


def run(watched: Watched, name: str, limits: DrillLimits = DrillLimits()) -> tuple[dict[str, str], list[str]]:
    """Do one drill; its line of the table, and what was not as it should be."""
    case, seen, faults = CASES[name], Seen(), list[str]()
    fires, own = {case.alarm, *case.follows}, Counter(case.own)
    until(
        lambda: not watched.monitoring.firing(), limits.ends_s, lambda: f"nothing fires: {watched.monitoring.firing()}"
    )
    first = len(watched.mails.mails)
    undo = case.strike(watched)
    began = time.monotonic()
    try:
        while (passed_s := time.monotonic() - began) < max(case.fires_s, limits.hold_s):
            seen.look(watched.monitoring, passed_s)
            begun, _ = read_mails(watched.mails, first)
            seen.note_mails(begun, Counter(), passed_s)
            has_begun = own <= begun
            if passed_s >= limits.hold_s and fires <= set(seen.fired_s) and case.alarm in seen.told and has_begun:
                break
            time.sleep(0.5)
    finally:
        undo()
    mended = time.monotonic()
    while (passed_s := time.monotonic() - mended) < limits.ends_s:
        firing = seen.look(watched.monitoring, time.monotonic() - began)
        for alarm in set(seen.fired_s) - firing:
            seen.ended_s.setdefault(alarm, passed_s)
        for alarm in firing:
            seen.ended_s.pop(alarm, None)
        begun, over = read_mails(watched.mails, first)
        seen.note_mails(begun, Counter(), time.monotonic() - began)
        seen.note_mails(Counter(), over, passed_s)
        if not firing and over >= own and over >= begun and drills.look(watched.world).is_well:
            break
        time.sleep(0.5)
    else:
        faults.append(f"not well again after {limits.ends_s:.0f} s: {firing}, {drills.look(watched.world)}")
    if set(seen.fired_s) != fires:
        faults.append(f"fired {sorted(seen.fired_s)}, expected {sorted(fires)}")
    if seen.told != {case.alarm}:
        faults.append(f"told {sorted(seen.told)}, expected {case.alarm}")
    begun, over = read_mails(watched.mails, first)
    if begun != own or over != own:
        faults.append(f"the node told that {dict(begun)} began and {dict(over)} was over, expected {dict(own)}")
    row = {
        "part": case.part,
        "how it was broken": name,
        "alarms that fired (after s)": _with_times(seen.fired_s, seen.told),
        "alarms ended (after s)": _with_times(seen.ended_s, seen.told),
        "mails of the node (after s)": f"begun {_mailed(begun, seen.mail_begun_s)}; over {_mailed(over, seen.mail_over_s)}",
        "as it should be": "yes" if not faults else "NO: " + "; ".join(faults),
    }
    return row, faults


def _with_times(times_s: dict[str, float], told: set[str]) -> str:
    """Return alarms with their times; those that nobody was told of in brackets."""
    texts = [f"{name} {passed_s:.0f}" for name, passed_s in sorted(times_s.items(), key=lambda each: each[1])]
    return ", ".join(text if text.split()[0] in told else f"({text})" for text in texts) or "none"


def _mailed(counted: Counter[str], times_s: dict[str, float]) -> str:
    """Return of what mails told, how often if more than once, and after how long."""
    texts = [
        f"{name} {times_s[name]:.0f}" + (f" ({number} times)" if number > 1 else "") for name, number in counted.items()
    ]
    return ", ".join(texts) or "none"


# --- The program ------------------------------------------------------------------------------------


@contextmanager
def watched_node() -> Iterator[Watched]:
    """A node that is well, with all that watches it, and nothing that fires."""
    with ExitStack() as stack:
        mails = stack.enter_context(mail_server())
        backups = stack.enter_context(drills.small_disk(200))
        more = {"GISC_BACKUP_DIR": str(backups), "GISC_SMTP_HOST": "127.0.0.1", "GISC_SMTP_PORT": str(mails.port)}
        world = stack.enter_context(drills.world(**SETTINGS, **more))
        made = manage("shell", "-c", _RECIPIENT, **world.own)
        assert made.returncode == 0, made.stderr
        _delete_a_record(world)
        proxy = stack.enter_context(forwarding(world.node.port))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gisc-alarms-")))
        targets = {"gisc": f"127.0.0.1:{world.node.port}", "gisc-proxy": f"127.0.0.1:{proxy.port}"}
        watching = stack.enter_context(monitoring(folder, targets, FACTOR))
        for query in ('up{job="gisc"}', 'up{job="gisc-proxy"}', "gisc_ready", "gisc_backup_late == bool 0"):
            until(lambda query=query: watching.value(query) == 1, timeout_s=180, what=f"{query} is 1")
        yield Watched(world, proxy, backups, mails, watching)


def _delete_a_record(world: World) -> None:
    """Have the provider delete a record, so that there is something in the journal that can be lacking."""
    identifier, (_, document) = next(iter(world.provider.entries.items()))
    assert document is not None
    world.provider.entries[identifier] = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), None)

    def is_written() -> bool:
        return any(file.is_file() and file.stat().st_size for file in world.journal.rglob("*"))

    until(is_written, timeout_s=120, what="the deletion is in the journal")


def _lacking() -> str:
    """What this host lacks for the drill."""
    needed = {
        "the program prometheus (Debian's package prometheus)": prometheus.PROMETHEUS,
        "Alertmanager (Debian's package prometheus-alertmanager)": prometheus.ALERTMANAGER,
        "root, who may mount file systems": os.geteuid() == 0,
    }
    return ", ".join(what for what, is_there in needed.items() if not is_there)


def main(names: list[str]) -> int:
    """Print a line of the table for each drill; 1 if one was not as it should be."""
    unknown = set(names) - set(CASES)
    if unknown:
        print(f"no such drill: {', '.join(sorted(unknown))}; there are: {', '.join(CASES)}", file=sys.stderr)
        return 2
    if lacking := _lacking():
        print(f"the drill needs {lacking}", file=sys.stderr)
        return 2
    failed = []
    with watched_node() as watched:
        for number, name in enumerate(names or CASES):
            row, faults = run(watched, name)
            if number == 0:
                print("| " + " | ".join(row) + " |\n" + "| --- " * len(row) + "|")
            print("| " + " | ".join(value.replace("|", "/") for value in row.values()) + " |", flush=True)
            failed += [name] if faults else []
    return 1 if failed else 0
