"""Break one thing after the other in a living node, and print what it says within a minute and afterwards.

    .venv/bin/python -m tests.loop.drill [NAME...]

Prints a line of a table for each: what was done, after how many seconds health showed it, what health, metrics, administration and command line
said, and after how many seconds everything was well again. As root, as two drills mount small file systems.
"""

import re
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import redis
import requests

from gisc import embedded
from tests.support import provider as providers
from tests.support.forwarding import Forwarder, forwarding
from tests.support.misbehaving import Arguments, RawServer
from tests.support.nodes import Node, free_port, manage
from tests.support.provider import Provider
from tests.support.sntp import SntpServer, sntp_server
from tests.support.waiting import until

SETTINGS = {
    "GISC_NAME": "WIS-GISC-TOKYO",
    "GISC_BEAT_SECONDS": "5",
    "GISC_CANARY_SECONDS": "30",
    "GISC_RETRY_SECONDS": "1",
    "GISC_DISK_LOW_MB": "20",
    "GISC_ADMIN_PASSWORD": "a long password",
}
WITHIN_S, AFTER_S = 60, 120


@dataclass
class World:
    """A node with its data and its journal each on a small file system, an NTP server, and the provider of its one link behind `front`."""

    node: Node
    disk: Path
    journal: Path
    clock: SntpServer
    provider: Provider
    server: RawServer
    front: Forwarder
    session: requests.Session
    settings: dict[str, str]

    @property
    def own(self) -> dict[str, str]:
        return {**self.settings, "GISC_DATA_DIR": str(self.node.data_dir), "GISC_JOURNAL_DIR": str(self.journal)}

    def tree(self, *programs: str) -> list[psutil.Process]:
        """The processes of these children of the node, with their own."""
        if programs == ("postgres",):
            heads = [psutil.Process(self.node.postmaster())]
        else:
            heads = [psutil.Process(self.node.pid_of(program)) for program in programs]
        return [each for head in heads for each in (head, *head.children(recursive=True))]

    def redis(self) -> redis.Redis:
        return redis.Redis.from_url(embedded.redis_url(self.node.data_dir))


@dataclass
class Signs:
    """What the node says at one moment. `is_well`: no part and no link is other than it should be."""

    health: str
    metrics: str
    admin: str
    command: str
    is_well: bool


# --- The drills: what is done; what is returned undoes it --------------------------------------------


def freeze(*programs: str) -> Callable[[World], Callable[[], None]]:
    def strike(world: World) -> Callable[[], None]:
        stopped = world.tree(*programs)
        for process in stopped:
            process.suspend()
        return lambda: resume(stopped)

    return strike


def resume(stopped: list[psutil.Process]) -> None:
    for process in stopped:
        with suppress(psutil.NoSuchProcess):  # the node has killed what hung, and started another
            process.resume()


def kill_for_long(*programs: str) -> Callable[[World], Callable[[], None]]:
    """Kill the program each time that the node has started it again."""

    def strike(world: World) -> Callable[[], None]:
        over = threading.Event()

        def kill() -> None:
            while not over.wait(0.2):
                try:
                    for process in world.tree(*programs):
                        process.kill()
                except (psutil.Error, OSError, IndexError, ValueError):
                    continue

        killer = threading.Thread(target=kill)
        killer.start()

        def undo() -> None:
            over.set()
            killer.join()

        return undo

    return strike


def fill_redis(world: World) -> Callable[[], None]:
    with world.redis() as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1")

    def undo() -> None:
        with world.redis() as client:
            client.config_set("maxmemory", "0")

    return undo


def fill_disk(world: World) -> Callable[[], None]:
    file = world.disk / "filler"
    with file.open("wb", buffering=0) as stream:
        try:
            while stream.write(b"x" * (1 << 20)):
                pass
        except OSError:
            pass
    return file.unlink


def set_clock(world: World) -> Callable[[], None]:
    world.clock.ahead_s = 600

    def undo() -> None:
        world.clock.ahead_s = 0

    return undo


def lock_journal(world: World) -> Callable[[], None]:
    subprocess.run(["mount", "-o", "remount,ro", str(world.journal)], check=True)

    def undo() -> None:
        subprocess.run(["mount", "-o", "remount,rw", str(world.journal)], check=True)

    return undo


def misbehave(how: Callable[[socket.socket, Arguments], bool]) -> Callable[[World], Callable[[], None]]:
    def strike(world: World) -> Callable[[], None]:
        over = threading.Event()

        def misbehave(connection: socket.socket, arguments: Arguments) -> bool:
            if over.is_set():
                return False
            if how is _silent:
                over.wait(600)
                return False
            return how(connection, arguments)

        world.server.misbehaviours.append(misbehave)
        return over.set

    return strike


def _silent(connection: socket.socket, arguments: Arguments) -> bool:
    """Never answer."""
    return True


def _slow(connection: socket.socket, arguments: Arguments) -> bool:
    """Answer after 20 s."""
    time.sleep(20)
    return False


def lose_set(world: World) -> Callable[[], None]:
    def without(_: dict[str, str], body: bytes) -> bytes:
        return body.replace(b"<setSpec>WIS-GISC-TOULOUSE<", b"<setSpec>OTHER<")

    def nothing(arguments: dict[str, str]) -> None:
        return None

    world.provider.edits.append(without)
    kept, world.provider.entries = world.provider.entries, {}

    def undo() -> None:
        world.provider.edits.remove(without)
        world.provider.entries = kept

    return undo


def stick_queue(world: World) -> Callable[[], None]:
    """The processes of the pool hang, the worker itself lives."""
    head = psutil.Process(world.node.pid_of("worker"))
    stopped = head.children(recursive=True)
    for process in stopped:
        process.suspend()
    return lambda: resume(stopped)


DRILLS: dict[str, Callable[[World], Callable[[], None]]] = {
    "PostgreSQL killed, again and again": kill_for_long("postgres"),
    "PostgreSQL hangs": freeze("postgres"),
    "Redis killed, again and again": kill_for_long("redis"),
    "Redis hangs": freeze("redis"),
    "Redis full (noeviction)": fill_redis,
    "worker killed, again and again": kill_for_long("worker"),
    "worker hangs": freeze("worker"),
    "beat killed, again and again": kill_for_long("beat"),
    "beat hangs": freeze("beat"),
    "disk full": fill_disk,
    "clock 10 minutes off": set_clock,
    "journal read-only": lock_journal,
    "provider silent": misbehave(_silent),
    "provider slow (20 s an answer)": misbehave(_slow),
    "set missing": lose_set,
    "queue stuck (pool hangs)": stick_queue,
}


# --- Looking ----------------------------------------------------------------------------------------


def look(world: World, *, command: bool = False) -> Signs:
    """What the node says now. `command`: with the commands, which take seconds."""
    health, is_well = _health(world)
    metrics, are_links_well = _metrics(world)
    return Signs(health, metrics, _admin(world), _commands(world) if command else "", is_well and are_links_well)


def _get(world: World, path: str) -> requests.Response | None:
    try:
        return world.session.get(world.node.url + path, timeout=20)
    except requests.RequestException:
        return None


def _health(world: World) -> tuple[str, bool]:
    answer = _get(world, "/health/ready")
    if answer is None:
        return "no answer", False
    found: dict[str, Any] = answer.json()
    parts = found.get("parts", {})
    # Nothing is set up for backups here, and that stays so.
    bad = [f"{name}: {part['code']}" for name, part in parts.items() if part["state"] != "ok" and name != "backup"]
    return f"{answer.status_code} {found['status']}; " + ", ".join(bad), answer.ok and not bad


def _metrics(world: World) -> tuple[str, bool]:
    answer = _get(world, "/metrics")
    if answer is None or not answer.ok:
        return f"no figures ({answer and answer.status_code})", False
    states = re.findall(r'^gisc_part_state\{part="(\w+)",state="(degraded|failed|unknown)"\} 1', answer.text, re.M)
    links = re.findall(r'^gisc_link_state\{link="[^"]*",state="(\w+)"\} 1', answer.text, re.M)
    ups = re.findall(r"^gisc_(database_up|redis_up|ready) 0", answer.text, re.M)
    said = [f"{part} {state}" for part, state in states if part != "backup"] + [f"{up} 0" for up in ups]
    is_well = bool(links) and set(links) <= {"done", "open", "waiting"}
    return "; ".join(filter(None, [", ".join(said), "link " + ",".join(links) if links else ""])), is_well


def _admin(world: World) -> str:
    answer = _get(world, "/admin/harvester/link/")
    if answer is None:
        return "no answer"
    text = re.sub(r"<(script|style).*?</\1>", "", answer.text, flags=re.S)
    notices = re.findall(r"<strong>(\w+: (?:degraded|failed|unknown)</strong>.*?)</div>", text, re.S)
    said = [re.sub(r"\s+|<[^>]+>", " ", notice).strip() for notice in notices]
    state = re.findall(r'class="field-\w*state[^"]*"[^>]*>(.*?)</td>', text, re.S)
    said += [re.sub(r"\s+|<[^>]+>", " ", each).strip() for each in state]
    return f"{answer.status_code} " + " / ".join(said)[:260]


def _commands(world: World) -> str:
    said = []
    for words in (("link", "list"), ("journal", "status")):
        try:
            done = manage(*words, timeout_s=60, **world.own)
        except subprocess.TimeoutExpired:
            said.append(f"{' '.join(words)}: hangs")
            continue
        lines = (done.stderr if done.returncode else done.stdout).strip().splitlines()
        said.append(f"{' '.join(words)}: {done.returncode} {lines[-1].strip()[:160] if lines else ''}")
    return " / ".join(said)


# --- The program ------------------------------------------------------------------------------------


@contextmanager
def small_disk(size_mb: int) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="gisc-drill-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=755", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


@contextmanager
def world(**more: str) -> Iterator[World]:
    """A node with one link, which is well. `more`: settings besides those of all drills."""
    from pytest_httpserver import HTTPServer

    with ExitStack() as stack:
        disk, journal = stack.enter_context(small_disk(500)), stack.enter_context(small_disk(50))
        clock = stack.enter_context(sntp_server())
        provider = Provider(stack.enter_context(HTTPServer(host="127.0.0.1")))
        providers.fill(provider, range(3))
        provider.edits.append(_with_right_clock)
        server = stack.enter_context(RawServer(provider).serving())
        front = stack.enter_context(forwarding(int(server.base_url.split(":")[2].partition("/")[0])))
        settings = {**SETTINGS, "GISC_NTP_SERVERS": clock.address, **more}
        node = Node(disk / "var", free_port(), GISC_JOURNAL_DIR=str(journal), **settings)
        stack.callback(node.close)
        node.ready()
        made = World(node, disk, journal, clock, provider, server, front, requests.Session(), settings)
        options = ("--set", "WIS-GISC-TOULOUSE", "--interval", "5", "--lateness", "8784")
        added = manage("link", "add", "toulouse", f"http://127.0.0.1:{front.port}/oai", *options, **made.own)
        assert added.returncode == 0, added.stderr
        _sign_in(made)
        until(lambda: look(made).is_well, timeout_s=AFTER_S, what=f"all is well: {look(made)}")
        yield made


def _with_right_clock(_: dict[str, str], body: bytes) -> bytes:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()).encode()
    return re.sub(rb"(<responseDate>)[^<]+", rb"\g<1>" + now, body)


def _sign_in(made: World) -> None:
    address = f"{made.node.url}/admin/login/?next=/admin/"
    page = made.session.get(address).text
    token = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[0]
    form = {"username": "admin", "password": SETTINGS["GISC_ADMIN_PASSWORD"], "csrfmiddlewaretoken": token}
    answer = made.session.post(address, data=form, headers={"Referer": address})
    assert "log out" in answer.text.lower() or "logout" in answer.text.lower(), "not signed in"


def run(made: World, name: str) -> dict[str, str]:
    """Do one drill and undo it."""
    undo = DRILLS[name](made)
    began = time.monotonic()
    try:
        while (seen := look(made)).is_well and time.monotonic() - began < WITHIN_S:
            time.sleep(0.5)
        shown_s = time.monotonic() - began
        time.sleep(max(0.0, min(20.0, WITHIN_S - shown_s)))
        full = look(made, command=True)
    finally:
        undo()
    ended = time.monotonic()
    while not (after := look(made)).is_well and time.monotonic() - ended < AFTER_S:
        time.sleep(0.5)
    return {
        "drill": name,
        "shown after": f"{shown_s:.0f} s" if not seen.is_well else "not within a minute",
        "health": full.health,
        "metrics": full.metrics,
        "admin": full.admin,
        "commands": full.command,
        "well again after": f"{time.monotonic() - ended:.0f} s" if after.is_well else f"NOT: {after}",
    }


def main(names: list[str]) -> None:
    """Print a line of the table for each drill."""
    with world() as made:
        for name in names or DRILLS:
            row = run(made, name)
            print("| " + " | ".join(value.replace("|", "/") for value in row.values()) + " |", flush=True)
