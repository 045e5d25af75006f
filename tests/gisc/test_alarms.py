"""The alarms: rules and document name the same ones, each metric in them is there from the first scrape, and they work.

`promtool`, which evaluates the rules, is in Debian's package prometheus.
"""

import json
import math
import re
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
import requests
import yaml
from django.test import Client
from django.utils import timezone

from catalogue import bootstrap
from catalogue.models import MetadataSet, Record
from catalogue.writing import read_back
from gisc.record_metrics import RecordCollector
from harvester.models import Canary, Link
from harvester.monitoring.metrics import LinkCollector
from tests.support import prometheus
from tests.support.heartbeats import beat_as_worker_and_beat, no_heartbeats
from tests.support.nodes import free_port
from tests.support.paths import ROOT
from tests.support.ticks import begin_all
from tests.support.waiting import until
from tests.support.world import iso_record, put

FOLDER = ROOT / "docker" / "prometheus"
DASHBOARD = ROOT / "docker" / "grafana" / "dashboards" / "node.json"
RULES = (FOLDER / "gisc-rules.yml").read_text(encoding="utf-8")
DOCUMENT = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ALARMS = re.findall(r"^      - alert: (\w+)$", RULES, flags=re.MULTILINE)
SEVERITIES = re.findall(r"^        labels: \{severity: (critical|warning|info)\}$", RULES, flags=re.MULTILINE)
EXPRESSIONS = re.findall(r"^        expr: (.+)$", RULES, flags=re.MULTILINE)
CREATED = {f"gisc_oai_{name}_created" for name in ("answers", "replica_lists", "seconds")}  # of the library
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed (Debian's package prometheus)"
)
# Of a node without backups and NTP servers, on a PostgreSQL that is not durable.
OF_THESE_TESTS = {"GiscNoBackup", "GiscClockNotChecked", "GiscNotDurable"}


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False, timeout=600)


def scrape(client: Client) -> dict[str, float]:
    """The samples of our metrics, by name and labels as they are written."""
    lines = [line for line in client.get("/metrics").content.decode().splitlines() if line.startswith("gisc_")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def metrics_in(text: str) -> set[str]:
    """The metrics that a text names, without the labels that it selects."""
    return set(re.findall(r"\bgisc_\w+", text))


@pytest.fixture
def never(toulouse: MetadataSet) -> Link:
    """A link that has never succeeded."""
    return Link.objects.create(name="never", base_url="http://x.example.org/oai", local_set=toulouse)


# --- The same in rules, document and scrape ---------------------------------------------------------


def test_rules_and_document_have_the_same_alarms_in_the_same_order() -> None:
    rows = re.findall(r"^\| `(Gisc\w+)` \| (\w+) \|((?:[^|]+\|){3})$", DOCUMENT, flags=re.MULTILINE)
    assert [name for name, *_ in rows] == ALARMS and len(ALARMS) == len(set(ALARMS)) == len(EXPRESSIONS)
    assert [severity for _, severity, _ in rows] == SEVERITIES
    assert all(len(cell.strip()) > 5 for *_, cells in rows for cell in cells.strip("|").split("|"))


@pytest.mark.django_db
def test_each_metric_in_rules_and_document_has_samples_from_the_first_scrape(client: Client, never: Link) -> None:
    """Also for a link that never succeeded; but for those of which the document says that they are not for alarms."""
    there = {name.partition("{")[0] for name in scrape(client)}
    assert metrics_in(" ".join(EXPRESSIONS)) - there == set()
    named, _, by_code = DOCUMENT.partition("With codes, for what there is")
    _, _, listed = named.partition("## What they are made of")
    # A histogram has samples when something was measured.
    assert metrics_in(listed) - there - {"gisc_oai_seconds"} == set()
    described = set(re.findall(r"^# TYPE (gisc_\w+) ", client.get("/metrics").content.decode(), flags=re.MULTILINE))
    assert metrics_in(by_code) <= described
    assert described - metrics_in(DOCUMENT) - CREATED == set()


@pytest.mark.django_db
def test_each_selector_in_rules_selects_samples_from_the_first_scrape(client: Client) -> None:
    there = scrape(client)
    for selector in re.findall(r"gisc_\w+\{[^}]*\}", " ".join(EXPRESSIONS)):
        name, _, labels = selector.rstrip("}").partition("{")
        chosen = [sample for sample in there if sample.startswith(f"{name}{{")]
        assert any(all(label in sample for label in labels.split(",")) for sample in chosen), selector


@pytest.mark.django_db
def test_the_dashboard_of_grafana_shows_metrics_that_the_node_has(client: Client, never: Link) -> None:
    """And its labels; each query in it is one that Prometheus can read."""
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    there = scrape(client)
    histogram = {"gisc_oai_seconds_bucket", "gisc_oai_seconds"}  # has samples when something was measured
    assert metrics_in(" ".join(queries)) - {name.partition("{")[0] for name in there} <= histogram
    assert len(queries) > 20 and all(panel["title"] for panel in panels)
    for selector in re.findall(r"gisc_\w+\{[^}]*\}", " ".join(queries)):
        name, _, labels = selector.rstrip("}").partition("{")
        used = re.findall(r'(\w+)!?="', labels)
        assert any(f'{label}="' in sample for label in used for sample in there if sample.startswith(name)), selector


@needs_promtool
def test_prometheus_can_read_each_query_of_the_dashboard(tmp_path: Path) -> None:
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries)]
    file = tmp_path / "rules.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}), encoding="utf-8")
    done = promtool("check", "rules", file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_the_database_links_that_were_seen_are_unknown_and_not_gone(never: Link) -> None:
    before = {
        (sample.name, sample.labels["link"])
        for family in LinkCollector().collect()
        for sample in family.samples
        if sample.labels.keys() == {"link"}
    }
    away = [sample for family in LinkCollector(has_database=False).collect() for sample in family.samples]
    assert {(sample.name, sample.labels["link"]) for sample in away if sample.labels} == before
    assert len(before) > 8 and all(math.isnan(sample.value) for sample in away)


def test_without_the_database_it_is_not_known_whether_records_are_damaged() -> None:
    (family,) = RecordCollector(has_database=False).collect()
    assert math.isnan(family.samples[0].value)


@pytest.mark.django_db
def test_damaged_records_are_counted(client: Client) -> None:
    bootstrap.ensure_sets()
    assert scrape(client)["gisc_records_damaged"] == 0
    put(iso_record("urn:a"), iso_record("urn:b"))
    Record.objects.update(payload=b"damaged")
    read_back.read_all_back()
    assert scrape(client)["gisc_records_damaged"] == 2


# --- As Prometheus evaluates them -------------------------------------------------------------------


@needs_promtool
def test_the_rules_do_what_their_tests_say_and_each_alarm_has_one() -> None:
    assert promtool("check", "rules", FOLDER / "gisc-rules.yml").returncode == 0
    done = promtool("test", "rules", FOLDER / "gisc-rules-test.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    tests = (FOLDER / "gisc-rules-test.yml").read_text(encoding="utf-8")
    assert re.findall(r"^        alertname: (\w+)$", tests, flags=re.MULTILINE) == ALARMS, "each is set off once"
    assert set(re.findall(r"\{eval_time: 24h, alertname: (\w+)\}", tests)) == set(ALARMS), (
        "by a node that is well, none"
    )


def fired(folder: Path, samples: dict[str, float]) -> set[str]:
    """The alarms that these samples set off if they stay so for eight days."""
    shutil.copy(FOLDER / "gisc-rules.yml", folder)
    written = {math.inf: "Inf", -math.inf: "-Inf"}
    series = []
    for name, value in samples.items():
        if not math.isnan(value):
            text = written.get(value, repr(value))
            series.append(f"      - {{series: '{name}', values: '{' '.join([text] * 9)}'}}")
    checks = [f"      - {{eval_time: 8d, alertname: {alarm}}}" for alarm in ALARMS]
    test = folder / "test.yml"
    # Days are steps here, so that `for` of a day is over; the samples are looked up where they are.
    head = [
        "rule_files: [gisc-rules.yml]",
        "evaluation_interval: 1d",
        "tests:",
        "  - interval: 1d",
        "    input_series:",
    ]
    test.write_text("\n".join([*head, *series, "    alert_rule_test:", *checks]), encoding="utf-8")
    done = promtool("test", "rules", test)
    assert "parse error" not in done.stderr, done.stderr
    return set(re.findall(r"alertname: (\w+), time", done.stdout + done.stderr))


@needs_promtool
def test_alarms_that_others_follow_from_stay_for_two_minutes_after_their_end(tmp_path: Path) -> None:
    causes = {
        "GiscAbsent": 'up{job="gisc"}',
        "GiscDatabaseDown": "gisc_database_up",
        "GiscRedisDown": "gisc_redis_up",
        "GiscNoWorker": "gisc_workers_alive",
        "GiscNoBeat": "gisc_beats_alive",
    }
    shutil.copy(FOLDER / "gisc-rules.yml", tmp_path)
    series = [f"      - {{series: '{name}', values: '0x9 1x20'}}" for name in causes.values()]  # over after 5 minutes
    series.append("      - {series: 'gisc_ready', values: '1x29'}")
    checks = [f"      - {{eval_time: {at}, alertname: {name}}}" for name in causes for at in ("6m30s", "8m")]
    head = ["rule_files: [gisc-rules.yml]", "evaluation_interval: 30s", "tests:", "  - interval: 30s"]
    lines = [*head, "    input_series:", *series, "    alert_rule_test:", *checks]
    (tmp_path / "test.yml").write_text("\n".join(lines), encoding="utf-8")

    done = promtool("test", "rules", tmp_path / "test.yml")

    assert "parse error" not in done.stderr, done.stderr
    firing = re.findall(r"alertname: (\w+), time: (\w+)", done.stdout + done.stderr)
    assert set(firing) == {(name, "6m30s") for name in causes}, "promtool expects none, so it names those that fire"


@needs_promtool
@pytest.mark.django_db
def test_a_scrape_of_a_node_that_is_well_sets_off_nothing_and_one_that_is_not_what_it_should(
    client: Client, never: Link, tmp_path: Path, settings
) -> None:
    begin_all()
    with no_heartbeats():
        beat_as_worker_and_beat()
        well = scrape(client)
    # promtool's time begins in 1970: for eight days this link has never succeeded.
    assert fired(tmp_path, well) == OF_THESE_TESTS | {"GiscLinkSilent"}

    Canary.objects.update(last=timezone.now() - timedelta(hours=1))
    never.failures, never.skew_s = 3, 90.0
    never.save()
    settings.GISC_REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    troubles = {"GiscTicksLate", "GiscLinkFailing", "GiscLinkClock", "GiscRedisDown", "GiscLinkSilent"}
    assert fired(tmp_path, scrape(client)) == OF_THESE_TESTS | troubles


# --- As Alertmanager tells of them, and as the drill breaks the parts ----------------------------------

needs_alertmanager = pytest.mark.skipif(
    prometheus.ALERTMANAGER is None, reason="Alertmanager is not installed (Debian's package prometheus-alertmanager)"
)


def test_what_alertmanager_keeps_quiet_of_are_alarms_that_there_are() -> None:
    """And none is both the reason and what is kept quiet, so that two cannot hide each other."""
    read = yaml.safe_load(prometheus.ALERTMANAGER_CONFIGURATION.read_text(encoding="utf-8"))
    for rule in read["inhibit_rules"]:
        sources, targets = (
            {name for matcher in rule[matchers] for name in re.findall(r"Gisc\w+", matcher)}
            for matchers in ("source_matchers", "target_matchers")
        )
        assert sources and sources | targets <= set(ALARMS), rule
        assert not sources & targets, rule
        assert "instance" in rule["equal"], "another node is no reason"


@needs_alertmanager
def test_alertmanager_tells_of_the_cause_alone_and_of_the_same_at_another_node_all_the_same(tmp_path: Path) -> None:
    def alert(name: str, instance: str, **labels: str) -> dict[str, dict[str, str]]:
        severity = dict(zip(ALARMS, SEVERITIES, strict=True))[name]
        return {"labels": {"alertname": name, "instance": instance, "severity": severity, **labels}}

    sent = [
        *(alert(name, "away") for name in ("GiscDatabaseDown", "GiscTicksLate", "GiscNoWorker", "GiscNoBackup")),
        *(alert(name, "no worker") for name in ("GiscNoWorker", "GiscTicksLate", "GiscQueueStalled", "GiscClock")),
        *(alert(name, "ticks") for name in ("GiscTicksLate", "GiscChores")),
        *(alert(name, "links", link="toulouse") for name in ("GiscLinkFailing", "GiscLinkSilent")),
        alert("GiscLinkSilent", "links", link="tokyo"),
    ]
    with prometheus.alertmanager(tmp_path) as running:
        address = f"{running.alertmanager_url}/api/v2/alerts"
        assert requests.post(address, json=sent, timeout=10).ok

        def by_state() -> dict[str, set[tuple[str, str, str]]]:
            found: dict[str, set[tuple[str, str, str]]] = {}
            for each in requests.get(address, timeout=10).json():
                labels = each["labels"]
                name = (labels["instance"], labels["alertname"], labels.get("link", ""))
                found.setdefault(each["status"]["state"], set()).add(name)
            return found

        def is_settled() -> bool:
            found = by_state()
            return not found.get("unprocessed") and sum(map(len, found.values())) == len(sent)

        until(is_settled, timeout_s=30, what=lambda: f"Alertmanager has looked at all: {by_state()}")
        assert by_state()["active"] == {
            ("away", "GiscDatabaseDown", ""),
            ("no worker", "GiscNoWorker", ""),
            ("no worker", "GiscClock", ""),
            ("ticks", "GiscTicksLate", ""),
            ("ticks", "GiscChores", ""),
            ("links", "GiscLinkFailing", "toulouse"),
            ("links", "GiscLinkSilent", "tokyo"),
        }


def test_the_drill_shortens_times_and_nothing_else() -> None:
    short = prometheus.shorten_rules(RULES, 6)
    assert "        for: 10000ms\n" in short and "[100000ms]" in short and "], 14400)" in short
    assert len(re.findall(r"^        for: \d+ms$", short, re.MULTILINE)) == len(
        re.findall(r"^        for: ", RULES, re.M)
    )

    def without_times(text: str) -> str:
        text = re.sub(r"^(        (?:keep_firing_)?for: )\w+$", r"\1", text, flags=re.MULTILINE)
        return re.sub(r"\[\w+\]|(?<=\], )\d+(?=\))", "[]", text)

    assert without_times(short) == without_times(RULES) and short != RULES
    with pytest.raises(AssertionError):
        prometheus.shorten("soon", 6)


@needs_promtool
def test_prometheus_reads_the_shortened_rules(tmp_path: Path) -> None:
    file = tmp_path / "rules.yml"
    file.write_text(prometheus.shorten_rules(RULES, 6), encoding="utf-8")
    done = promtool("check", "rules", file)
    assert done.returncode == 0, done.stdout + done.stderr
