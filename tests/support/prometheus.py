"""A real Prometheus and a real Alertmanager with the files that ship, all of whose times are shortened by one factor.

Debian's packages prometheus and prometheus-alertmanager. Both listen to 127.0.0.1 alone and keep their data in a folder of the caller's.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
import yaml

from tests.support.nodes import answers, free_port
from tests.support.paths import ROOT
from tests.support.waiting import until

PROMETHEUS = shutil.which("prometheus")
ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
RULES = ROOT / "docker" / "prometheus" / "gisc-rules.yml"
CONFIGURATION = ROOT / "docker" / "prometheus" / "prometheus.yml"
ALERTMANAGER_CONFIGURATION = ROOT / "docker" / "alertmanager" / "alertmanager.yml"
_UNITS_MS = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(r"(\d+)([smhd])")


def shorten(duration: str, factor: float) -> str:
    """Return a duration such as `10m` divided by a factor, as Prometheus reads it."""
    whole = _DURATION.fullmatch(duration)
    assert whole, duration
    return f"{round(int(whole[1]) * _UNITS_MS[whole[2]] / factor)}ms"


def shorten_rules(text: str, factor: float) -> str:
    """Return rules whose `for`, `keep_firing_for`, windows and horizons of predictions are shorter. All else stays as it is."""

    def duration(found: re.Match[str]) -> str:
        return found[1] + shorten(found[2], factor) + found[3]

    text = re.sub(r"^(        (?:keep_firing_)?for: )(\w+)($)", duration, text, flags=re.MULTILINE)
    text = re.sub(r"(\[)(\w+)(\])", duration, text)
    return re.sub(
        r"(predict_linear\([^()]+, )(\d+)(\))", lambda found: f"{found[1]}{int(found[2]) / factor:g}{found[3]}", text
    )


def shorten_values(values: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return a part of a configuration whose values that are durations are shorter."""
    return {
        name: shorten(value, factor) if isinstance(value, str) and _DURATION.fullmatch(value) else value
        for name, value in values.items()
    }


@dataclass(frozen=True)
class Monitoring:
    """What watches a node. `group_wait_s`: how long Alertmanager waits before it tells of an alert that is new."""

    url: str
    alertmanager_url: str
    group_wait_s: float

    def firing(self) -> set[tuple[str, str]]:
        """The alerts that fire now, each with its link if it has one."""
        found = requests.get(f"{self.url}/api/v1/alerts", timeout=10).json()["data"]["alerts"]
        return {_name(alert["labels"]) for alert in found if alert["state"] == "firing"}

    def silenced(self) -> set[tuple[str, str]]:
        """The alerts that Alertmanager has and tells nobody of, because another one says why they are there."""
        return self._with_state("suppressed")

    def told(self) -> set[tuple[str, str]]:
        """The alerts that Alertmanager tells of, or will when `group_wait_s` is over."""
        return self._with_state("active")

    def _with_state(self, state: str) -> set[tuple[str, str]]:
        found = requests.get(f"{self.alertmanager_url}/api/v2/alerts", timeout=10).json()
        return {_name(alert["labels"]) for alert in found if alert["status"]["state"] == state}

    def value(self, query: str) -> float | None:
        """The value of a query that has one sample; None if it has none."""
        found = requests.get(f"{self.url}/api/v1/query", params={"query": query}, timeout=10).json()["data"]["result"]
        return float(found[0]["value"][1]) if found else None


def _name(labels: dict[str, str]) -> tuple[str, str]:
    return labels["alertname"], labels.get("link", "")


@contextmanager
def monitoring(folder: Path, targets: dict[str, str], factor: float) -> Iterator[Monitoring]:
    """Run both within the block. `targets`: host and port of each scrape job of the configuration that ships."""
    assert PROMETHEUS and ALERTMANAGER, "Debian's packages prometheus and prometheus-alertmanager are needed"
    with ExitStack() as stack:
        port, alertmanager_port = free_port(), free_port()
        own = yaml.safe_load(ALERTMANAGER_CONFIGURATION.read_text(encoding="utf-8"))
        own["route"] = shorten_values(own["route"], factor)
        group_wait_s = int(own["route"]["group_wait"].removesuffix("ms")) / 1000
        stack.enter_context(_alertmanager(folder, own, alertmanager_port))
        _write(folder / "gisc-rules.yml", shorten_rules(RULES.read_text(encoding="utf-8"), factor))
        shipped = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
        _write(folder / "prometheus.yml", yaml.safe_dump(_configure(shipped, targets, alertmanager_port, factor)))
        command = [
            PROMETHEUS,
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/figures",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        url = f"http://127.0.0.1:{port}"
        stack.enter_context(_running(command, folder / "prometheus.log", f"{url}/-/ready"))
        yield Monitoring(url, f"http://127.0.0.1:{alertmanager_port}", group_wait_s)


@contextmanager
def alertmanager(folder: Path) -> Iterator[Monitoring]:
    """Run Alertmanager alone, with the configuration that ships."""
    port = free_port()
    with _alertmanager(folder, yaml.safe_load(ALERTMANAGER_CONFIGURATION.read_text(encoding="utf-8")), port):
        yield Monitoring("", f"http://127.0.0.1:{port}", 60)


def _configure(shipped: dict[str, Any], targets: dict[str, str], alertmanager_port: int, factor: float) -> Any:
    shipped["global"] = shorten_values(shipped["global"], factor)
    shipped["alerting"]["alertmanagers"][0]["static_configs"] = [{"targets": [f"127.0.0.1:{alertmanager_port}"]}]
    jobs = {job["job_name"]: job for job in shipped["scrape_configs"]}
    assert set(targets) == set(jobs), "each job has a target"
    for name, target in targets.items():
        job = jobs[name] = shorten_values(jobs[name], factor)
        # A node has the same seconds to answer as ever, but Prometheus allows no more than an interval.
        job["scrape_timeout"] = job.get("scrape_interval", shipped["global"]["scrape_interval"])
        job["static_configs"] = [{"targets": [target]}]
        job.pop("scheme", None), job.pop("tls_config", None)  # no certificate here
    shipped["scrape_configs"] = list(jobs.values())
    return shipped


@contextmanager
def _alertmanager(folder: Path, own: dict[str, Any], port: int) -> Iterator[None]:
    assert ALERTMANAGER
    _write(folder / "alertmanager.yml", yaml.safe_dump(own))
    command = [
        ALERTMANAGER,
        f"--config.file={folder}/alertmanager.yml",
        f"--storage.path={folder}/silences",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    with _running(command, folder / "alertmanager.log", f"http://127.0.0.1:{port}/-/ready"):
        yield


@contextmanager
def _running(command: list[str], log: Path, ready: str) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:

            def is_ready() -> bool:
                assert process.poll() is None, log.read_text(encoding="utf-8")
                return answers(ready)

            until(is_ready, timeout_s=60, what=f"{command[0]} is ready")
            yield
        finally:
            process.terminate()
            process.wait(30)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
