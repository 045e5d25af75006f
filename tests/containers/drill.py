"""The whole life of a deployment in containers, from nothing to a restore: `make drill-containers`.

    .venv/bin/python -m tests.containers.drill [STEP...]

Two deployments of docker-compose.yml of this checkout (Tokyo, and Toulouse, which harvests from it), and one of version 0.9.0 that is upgraded,
run by podman (`tests/containers/podman.py`) on images of Debian's packages (`tests/containers/stand_ins.py`). Prints a line for each step: what was done,
and what was seen; ends with an error where something is not as docs/deployment.md says. Says what is lacking, and does nothing, where the host
has no podman. As root, for a quarter of an hour; ports on 127.0.0.1 alone.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from lxml import etree
from requests.adapters import HTTPAdapter

from tests.containers import stand_ins
from tests.containers.podman import LEFT_OUT, Deployment, podman
from tests.support import archives
from tests.support.nodes import free_port
from tests.support.paths import ROOT
from tests.support.waiting import until

OAI = "{http://www.openarchives.org/OAI/2.0/}"
RELEASED = "df71bf1a075818f72f8392c4aeeac9bc92985ee0"  # 0.9.0, as in tests/upgrade/test_running_processes.py
OF_THE_NODE = ("web", "worker", "beat", "backup")
KILLED = ("web", "worker", "beat", "backup", "postgres", "redis", "proxy", "chrony", "prometheus", "alertmanager")
WITHIN_S = 120
_STOPPED_BY_SIGNAL = 137


@dataclass
class Centre:
    """A deployment with what the drill asks of it from outside, through its proxy."""

    deployment: Deployment
    host: str
    city: str

    @property
    def spec(self) -> str:
        return f"WIS-GISC-{self.city}"

    def port(self, name: str) -> str:
        return self.deployment.environment[name]

    def session(self) -> requests.Session:
        """A browser that trusts the certificate of this deployment, and finds its host on 127.0.0.1."""
        session = requests.Session()
        session.trust_env = False  # or other certificates would count
        session.headers["Host"] = self.host
        session.verify = str(self.deployment.folder / "secrets" / "tls_certificate.pem")
        session.mount("https://", _Named(self.host))
        return session

    def url(self, path: str) -> str:
        return f"https://127.0.0.1:{self.port('PROXY_HTTPS_PORT')}{path}"

    def get(self, path: str) -> requests.Response:
        with self.session() as session:
            return session.get(self.url(path), timeout=20)

    def plain(self, path: str) -> requests.Response:
        """By http, without following."""
        address = f"http://127.0.0.1:{self.port('PROXY_HTTP_PORT')}{path}"
        return requests.get(address, headers={"Host": self.host}, timeout=20, allow_redirects=False)

    def health(self) -> str:
        """`ok`, or which parts are not."""
        try:
            found = self.get("/health/ready").json()
        except (requests.RequestException, ValueError) as exc:
            return type(exc).__name__
        parts = [f"{name}: {part['code']}" for name, part in found.get("parts", {}).items() if part["state"] != "ok"]
        return found["status"] if found.get("status") == "ok" else f"{found.get('status')} ({', '.join(parts)})"

    def listed(self, spec: str = "") -> dict[str, bool]:
        """The identifiers of a set as a harvester gets them by plain http; whether each is live."""
        query = f"verb=ListIdentifiers&metadataPrefix=iso19139&set={spec or self.spec}"
        found: dict[str, bool] = {}
        while query:
            answer = self.plain(f"/oai?{query}")
            assert answer.status_code == 200, answer.status_code
            page = etree.fromstring(answer.content)
            for header in page.iter(f"{OAI}header"):
                found[str(header.findtext(f"{OAI}identifier"))] = header.get("status") != "deleted"
            token = page.findtext(f".//{OAI}resumptionToken")
            query = f"verb=ListIdentifiers&resumptionToken={requests.utils.quote(token)}" if token else ""
        return found

    def sign_in(self) -> str:
        """Sign in as `admin`; return what the page says who one is."""
        with self.session() as session:
            address = self.url("/admin/login/?next=/admin/")
            token = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', session.get(address, timeout=20).text)[0]
            password = (self.deployment.folder / "secrets" / "admin_password").read_text(encoding="utf-8")
            form = {"username": "admin", "password": password, "csrfmiddlewaretoken": token}
            referer = f"https://{self.host}/admin/login/"
            answer = session.post(address, data=form, headers={"Referer": referer}, timeout=20)
            assert answer.status_code == 200 and "logout" in answer.text.lower().replace(" ", ""), answer.status_code
            assert all(cookie.secure for cookie in session.cookies)
        return "signed in by https"

    def ingest(self, *names: str) -> str:
        """Write records into the folder of the data managers, and ingest them by the command of docs/deployment.md."""
        folder = self.deployment.folder / "records"
        with tarfile.open(archives.make(self.deployment.folder / "new.tar", names)) as archive:
            archives.unpack(archive, folder)
        words = ("python", "manage.py", "ingest", *(f"/records/{name}.xml" for name in names))
        return self.deployment.run("web", *words, volumes=[f"{folder}:/records:ro"])

    def manage(self, *words: str) -> str:
        return self.deployment.exec("web", "python", "manage.py", *words)

    def wait_until_well(self, timeout_s: float = WITHIN_S) -> float:
        began = time.monotonic()
        until(lambda: self.health() == "ok", timeout_s, lambda: f"{self.city} is well: {self.health()}")
        return time.monotonic() - began


class _Named(HTTPAdapter):
    """Expects the certificate of a host, whatever the address is."""

    def __init__(self, host: str) -> None:
        self.host = host
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, server_hostname=self.host, assert_hostname=self.host, **options)


@dataclass
class World:
    """The folder of everything, and the centres."""

    folder: Path
    tokyo: Centre
    toulouse: Centre
    upgraded: Centre


# --- What is there at first -------------------------------------------------------------------------


def copy_files(source: Path, folder: Path) -> None:
    """The files of a deployment, as a checkout has them."""
    shutil.copy(source / "docker-compose.yml", folder)
    shutil.rmtree(folder / "docker", ignore_errors=True)
    shutil.copytree(source / "docker", folder / "docker")


def settings_of(city: str, network: str) -> dict[str, str]:
    ports = ("PUBLISH_PORT", "PROXY_HTTP_PORT", "PROXY_HTTPS_PORT", "PROMETHEUS_PORT", "ALERTMANAGER_PORT")
    return {
        "GISC_NAME": f"WIS-GISC-{city.upper()}",
        "GISC_BASE_URL": f"https://{city}.example.org",
        "ALLOWED_HOSTS": f"{city}.example.org",
        "GISC_ADMIN_EMAIL": f"gisc@{city}.example.org",
        "NTP_SERVER": "ntp",
        "PROXY_NETWORK": network,
        "GISC_BEAT_SECONDS": "5",
        "GISC_RETRY_SECONDS": "1",
        **{name: str(free_port()) for name in ports},
    }


def centre_in(folder: Path, city: str, network: str, **more: str) -> Centre:
    place = folder / city
    place.mkdir()
    lines = [f"{name}={value}" for name, value in (settings_of(city, network) | more).items()]
    (place / ".env").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Centre(Deployment(place), f"{city}.example.org", city.upper())


def make_secrets(centre: Centre) -> str:
    done = subprocess.run(
        ["sh", "docker/make-secrets"], cwd=centre.deployment.folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def start_ntp(centre: Centre) -> None:
    """A time server on the network of a deployment, which has none of its own here."""
    name, network = f"{centre.deployment.name}-ntp", f"{centre.deployment.name}_outside"
    label = f"--label=deployment={centre.deployment.name}"
    words = ("-x", "-u", "root", "local stratum 3", "allow all", "cmdport 0", "pidfile /tmp/chronyd.pid")
    podman("run", "--detach", f"--name={name}", label, f"--network={network}:alias=ntp", "--user=root", "--ulimit=nofile=1024:1024",
           "--ulimit=nproc=1000:1000", "gisc-chrony", *words)  # fmt: skip


@contextmanager
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="gisc-drill-") as name:
        folder = Path(name)
        tokyo = centre_in(folder, "tokyo", "192.168.213.0/28", COMPOSE_PROFILES="monitoring")
        toulouse = centre_in(folder, "toulouse", "192.168.213.16/28", COMPOSE_PROFILES="monitoring")
        secrets = {
            "SECRET_KEY": "k" * 64,
            "POSTGRES_PASSWORD": "p" * 64,
            "GISC_ADMIN_PASSWORD": "a long password, 1873",
        }
        upgraded = centre_in(folder, "seoul", "192.168.213.32/28", **secrets)
        for centre in (tokyo, toulouse):
            copy_files(ROOT, centre.deployment.folder)
        made = World(folder, tokyo, toulouse, upgraded)
        try:
            yield made
        finally:
            for centre in (tokyo, toulouse, upgraded):
                centre.deployment.down(volumes=True)


# --- The steps --------------------------------------------------------------------------------------


def start_from_empty(made: World) -> str:
    made.tokyo.deployment.build(ROOT)
    took = []
    for centre in (made.tokyo, made.toulouse):
        make_secrets(centre)
        began = time.monotonic()
        centre.deployment.up(without=stand_ins.WITHOUT)
        start_ntp(centre)
        centre.deployment.wait_until_healthy(*KILLED)
        centre.wait_until_well()
        took.append(time.monotonic() - began)
    return f"all containers and /health/ready ok, after {took[0]:.0f} s and {took[1]:.0f} s"


def look_from_outside(made: World) -> str:
    tokyo = made.tokyo
    said = [tokyo.sign_in()]
    assert tokyo.plain("/oai?verb=Identify").status_code == 200
    answer = tokyo.plain("/admin/")
    assert (answer.status_code, answer.headers["Location"]) == (308, "https://tokyo.example.org/admin/")
    with tokyo.session() as session:
        for _ in range(8):
            session.get(tokyo.url("/search?spoofed"), headers={"X-Forwarded-For": "203.0.113.9"}, timeout=20)
    lines = [line for line in tokyo.deployment.logs("web").splitlines() if "spoofed" in line]
    clients = set(re.findall(r'"client": "([^"]+)"', " ".join(lines)))
    told = json.loads(podman("inspect", tokyo.deployment.container("proxy")))[0]
    proxies = {network["IPAddress"] for network in told["NetworkSettings"]["Networks"].values()}
    assert clients and not clients & {"203.0.113.9", *proxies}, (clients, proxies)
    said.append(
        f"/oai by http 200, /admin/ 308 to https, a client is {clients} whatever it says of itself, never the proxy"
    )
    with tokyo.session() as session:
        # More than nginx keeps in memory, which writes it to its volume; the node answers.
        answer = session.post(tokyo.url("/oai"), data={"verb": "Identify", "more": "x" * 60_000}, timeout=60)
    assert answer.status_code == 200 and "badArgument" in answer.text, answer.status_code
    said.append("a POST of 60 kB reaches the node")
    for service in ("web", "redis", "postgres"):
        told = podman("inspect", tokyo.deployment.container(service))
        for file in (tokyo.deployment.folder / "secrets").iterdir():
            secret = file.read_text(encoding="utf-8")
            assert not secret or secret not in told, (service, file.name)
    said.append("no secret in `inspect`")
    refused = tokyo.deployment.exec("redis", "sh", "-c", "redis-cli get x; true")
    assert "NOAUTH" in refused, refused
    return "; ".join([*said, "Redis refuses without password"])


def ingest_and_harvest(made: World) -> str:
    tokyo, toulouse = made.tokyo, made.toulouse
    samples = made.folder / "samples"
    shutil.copytree(ROOT / "catalogue" / "samples" / "WIS-GISC-TOKYO", samples)
    tokyo.deployment.run("web", "python", "manage.py", "ingest", "/records", volumes=[f"{samples}:/records:ro"])
    tokyo.ingest(*(f"REC{number:04}" for number in range(500)))
    count = len(tokyo.listed())
    assert count > 500
    meet(made)
    certificate = (tokyo.deployment.folder / "secrets" / "tls_certificate.pem").read_text(encoding="utf-8")
    toulouse.deployment.exec("web", "sh", "-c", f"cat > /tmp/tokyo.pem <<END\n{certificate}END\n")
    options = ("--set", tokyo.spec, "--interval", "5", "--lateness", "8784", "--certificates", "/tmp/tokyo.pem")
    toulouse.manage("link", "add", "tokyo", "https://tokyo.example.org:8443/oai", *options)
    began = time.monotonic()
    until(
        lambda: toulouse.listed(tokyo.spec) == tokyo.listed(), WITHIN_S, lambda: str(len(toulouse.listed(tokyo.spec)))
    )
    return f"{count} records, at Toulouse {time.monotonic() - began:.0f} s after the link was added, by https with the given certificate"


def meet(made: World) -> None:
    """Let Toulouse reach the proxy of Tokyo by its name, as over the internet: a network that has nothing else of the two."""
    between = f"{made.toulouse.deployment.name}_between"
    podman("network", "create", between)
    podman("network", "connect", "--alias=tokyo.example.org", between, made.tokyo.deployment.container("proxy"))
    for service in ("web", "worker"):
        podman("network", "connect", between, made.toulouse.deployment.container(service))


def kill_each(made: World) -> str:
    """Kill the process of each container of Toulouse; after each, a new record of Tokyo arrives."""
    tokyo, toulouse, said = made.tokyo, made.toulouse, []
    before = toulouse.listed(tokyo.spec)
    for service in KILLED:
        if service == "redis":
            redis_cli(toulouse, "set", "drill", "kept")
            # A killed process loses what it has not written into its file yet.
            until(
                lambda: "aof_buffer_length:0" in redis_cli(toulouse, "info", "persistence"),
                WITHIN_S,
                "Redis has written",
            )
        tokyo.ingest(f"KILLED{service.upper()}")
        pid = toulouse.deployment.pid(service)
        began = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        until(lambda: toulouse.deployment.pid(service) not in (0, pid), WITHIN_S, f"{service} is started again")  # noqa: B023
        started_s = time.monotonic() - began
        toulouse.deployment.wait_until_healthy(service, timeout_s=WITHIN_S)
        toulouse.wait_until_well()
        well_s = time.monotonic() - began
        new = archives.identifier(f"KILLED{service.upper()}")
        until(lambda: new in toulouse.listed(tokyo.spec), WITHIN_S, f"{new} arrives")  # noqa: B023
        said.append(
            f"{service} runs after {started_s:.1f} s, all well after {well_s:.0f} s, record there after {time.monotonic() - began:.0f} s"
        )
    assert redis_cli(toulouse, "get", "drill").strip() == "kept"
    assert before.items() <= toulouse.listed(tokyo.spec).items() and toulouse.listed(tokyo.spec) == tokyo.listed()
    return "; ".join([*said, "Redis has what it had; the two catalogues are equal"])


def redis_cli(centre: Centre, *words: str) -> str:
    script = f"REDISCLI_AUTH=$(cat /run/secrets/redis_password) redis-cli {' '.join(words)}"
    return centre.deployment.exec("redis", "sh", "-c", script)


def restart_each(made: World) -> str:
    said = []
    for service in KILLED:
        began = time.monotonic()
        podman("restart", made.tokyo.deployment.container(service))
        made.tokyo.deployment.wait_until_healthy(service, timeout_s=WITHIN_S)
        made.tokyo.wait_until_well()
        said.append(f"{service} {time.monotonic() - began:.0f} s")
    return "well again after: " + ", ".join(said)


def go_beyond_limits(made: World) -> str:
    """What takes more than its container may is ended or refused; the container goes on."""
    deployment, service = made.tokyo.deployment, "beat"
    limits = deployment.file.services[service]
    before = deployment.pid(service)
    greedy = "import mmap; area = mmap.mmap(-1, 600 << 20); [area.write(b'x' * (1 << 20)) for _ in range(600)]; print('had it all')"
    crowd = "import threading, time; [threading.Thread(target=time.sleep, args=(1,)).start() for _ in range(100)]; print('all began')"
    for program in (greedy, crowd):
        done = deployment.exec(service, "sh", "-c", f'python -c "{program}" 2>&1; echo status $?')
        assert "had it all" not in done and "all began" not in done, done
    assert deployment.pid(service) == before
    deployment.wait_until_healthy(service)
    made.tokyo.wait_until_well()
    return f"in {service}, 600 MB ({limits['mem_limit']}) and 100 threads ({limits['pids_limit']}) are not to be had; it goes on"


def stop_in_time(made: World) -> str:
    toulouse = made.toulouse
    before = toulouse.listed(made.tokyo.spec)
    file, said = toulouse.deployment.file, []
    for service, took_s in toulouse.deployment.stop().items():
        grace = file.services[service]["stop_grace_period"]
        code = toulouse.deployment.state(service)["ExitCode"]
        said.append(f"{service} {took_s:.1f} s of {grace}, status {code}")
        assert code != _STOPPED_BY_SIGNAL, f"{service} was killed: {toulouse.deployment.logs(service)}"
    toulouse.deployment.up(without=stand_ins.WITHOUT)
    toulouse.wait_until_well()
    assert toulouse.listed(made.tokyo.spec) == before
    return "; ".join([*said, "all there after the next start"])


def watch(made: World) -> str:
    """Prometheus has the figures and the rules, knows Alertmanager, and answers each query of the dashboard."""

    def ask(path: str, **query: str) -> Any:
        address = f"http://127.0.0.1:{made.tokyo.port('PROMETHEUS_PORT')}/api/v1/{path}"
        return requests.get(address, params=query, timeout=20).json()

    until(lambda: ask("query", query="gisc_ready")["data"]["result"], 90, "Prometheus has figures")
    panels = json.loads((ROOT / "docker/grafana/dashboards/node.json").read_text(encoding="utf-8"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    assert all(ask("query", query=query)["status"] == "success" for query in queries)
    some = sum(bool(ask("query", query=query)["data"]["result"]) for query in queries)
    rules = sum(len(group["rules"]) for group in ask("rules")["data"]["groups"])
    (alertmanager,) = ask("alertmanagers")["data"]["activeAlertmanagers"]
    firing = {alert["labels"]["alertname"] for alert in ask("alerts")["data"]["alerts"]}
    return f"{rules} rules; {some} of {len(queries)} queries of the dashboard have values now; alarms {sorted(firing) or 'none'}; {alertmanager['url']}"


def restore(made: World) -> str:
    """The commands of docs/deployment.md, with records that came and went after the backup."""
    tokyo = made.tokyo
    made_it = tokyo.deployment.exec("backup", "python", "manage.py", "backup")
    tokyo.manage("withdraw", *(archives.identifier(f"REC{number:04}") for number in range(10)))
    tokyo.ingest("AFTER0001")
    meant = tokyo.listed()
    until(lambda: made.toulouse.listed(tokyo.spec) == meant, WITHIN_S, "Toulouse has seen that")
    began = time.monotonic()
    tokyo.deployment.stop(*OF_THE_NODE)
    tokyo.deployment.exec("postgres", "dropdb", "--username=gisc", "--if-exists", "--force", "gisc")
    tokyo.deployment.exec("postgres", "createdb", "--username=gisc", "gisc")
    records = f"{tokyo.deployment.folder / 'records'}:/records:ro"
    words = ("python", "manage.py", "restore", "/var/lib/gisc-backups", "--records", "/records")
    report = tokyo.deployment.run("web", *words, volumes=[records])
    tokyo.deployment.up(without=stand_ins.WITHOUT)
    tokyo.wait_until_well()
    took_s = time.monotonic() - began
    differs = sorted(set(tokyo.listed().items()) ^ set(meant.items()))
    assert not differs, f"{differs[:20]}\n{report}"
    tokyo.ingest("AFTER0002")
    until(lambda: made.toulouse.listed(tokyo.spec) == tokyo.listed(), WITHIN_S, "Toulouse is equal again")
    (archive,) = set(re.findall(r"gisc-[\w-]+\.tar", made_it))
    return f"{archive}; down for {took_s:.0f} s; {len(meant)} records as meant, ten withdrawn stay so; Toulouse equal"


def upgrade(made: World) -> str:
    """From 0.9.0 with its own compose file and image, whose secrets are in .env."""
    seoul = made.upgraded
    source = made.folder / "0.9.0"
    source.mkdir()
    packed = subprocess.run(
        ["git", "-c", "safe.directory=*", "archive", RELEASED], cwd=ROOT, capture_output=True, check=True
    )
    subprocess.run(["tar", "-x", "-C", str(source)], input=packed.stdout, check=True)
    copy_files(source, seoul.deployment.folder)
    seoul.deployment.build(source)
    seoul.deployment.up()
    seoul.deployment.wait_until_healthy("web", "worker", "beat")
    folder = seoul.deployment.folder / "records"
    folder.mkdir()
    archives.make(folder / "old.tar", [f"OLD{number:04}" for number in range(50)])
    mounted = [f"{folder}:/records:ro"]
    seoul.deployment.run("web", "python", "manage.py", "ingest", "/records/old.tar", volumes=mounted)
    seoul.manage("withdraw", archives.identifier("OLD0000"))
    began = time.monotonic()
    copy_files(ROOT, seoul.deployment.folder)
    said = make_secrets(seoul)
    assert said.count("taken from") == 3, said
    seoul.deployment.build(ROOT)
    built_s = time.monotonic() - began
    began = time.monotonic()
    seoul.deployment.stop("web", "worker", "beat")
    seoul.deployment.up(without=stand_ins.WITHOUT)
    start_ntp(seoul)
    seoul.deployment.wait_until_healthy("web", "worker", "beat", "backup", "proxy", "chrony")
    seoul.wait_until_well()
    took_s = time.monotonic() - began
    listed = seoul.listed()
    assert len(listed) == 50 and [name for name, live in listed.items() if not live] == [archives.identifier("OLD0000")]
    seoul.sign_in()
    seoul.ingest("NEW0001")
    assert len(seoul.listed()) == 51
    return f"image built in {built_s:.0f} s, 3 secrets taken over from .env, down for {took_s:.0f} s; 50 records and a tombstone there, signed in with the old password, ingest goes on"


STEPS: dict[str, Callable[[World], str]] = {
    "start from empty": start_from_empty,
    "look from outside": look_from_outside,
    "ingest and harvest": ingest_and_harvest,
    "kill each": kill_each,
    "restart each": restart_each,
    "go beyond limits": go_beyond_limits,
    "stop in time": stop_in_time,
    "monitoring": watch,
    "backup and restore": restore,
    "upgrade from 0.9.0": upgrade,
}


def main(names: list[str]) -> int:
    """Do the steps; those named, or all."""
    if lacking := stand_ins.lacking():
        print(f"no drill: {lacking}")
        return 0
    if made := stand_ins.make():
        print(f"images made of Debian's packages: {', '.join(made)}", flush=True)
    print(
        f"left out: {', '.join(stand_ins.WITHOUT)} (no package); "
        + "; ".join(f"{what}: {why}" for what, why in LEFT_OUT.items()),
        flush=True,
    )
    with world() as there:
        for name in names or STEPS:
            began = time.monotonic()
            said = STEPS[name](there)
            print(f"| {name} | {said} | {time.monotonic() - began:.0f} s |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
