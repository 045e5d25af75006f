"""The settings as a whole: each bad value stops the start with a sentence, and docs/settings.md lists what may be set."""

import ast
import os
import re
import runpy
from pathlib import Path

import pytest
import redis
from django.core.exceptions import ImproperlyConfigured

from tests.support.nodes import environment
from tests.support.paths import ROOT

EXTERNAL = {"DATABASE_URL": "postgresql://gisc@db/gisc", "SECRET_KEY": "x" * 50, "ALLOWED_HOSTS": "gisc.example.org"}
BAD = {
    "PORT": ({"PORT": "http"}, "PORT is 'http'; write a whole number from 1 to 65535"),
    "DEBUG": ({"DEBUG": "1"}, "DEBUG is '1'; write True or False"),
    "retention": (
        {"GISC_TOMBSTONE_RETENTION_DAYS": "30"},
        "GISC_TOMBSTONE_RETENTION_DAYS is '30'; write a whole number from 92 to 36500",
    ),
    "base URL": (
        {"GISC_BASE_URL": "gisc.example.org"},
        "GISC_BASE_URL has the scheme ''; write a URL such as https://gisc.example.org",
    ),
    "database": (
        EXTERNAL | {"DATABASE_URL": "mysql://gisc@db/gisc"},
        "DATABASE_URL has the scheme 'mysql'; write a URL such as postgresql://gisc:password@host:5432/gisc",
    ),
    "Redis": ({"REDIS_URL": "amqp://mq"}, "REDIS_URL has the scheme 'amqp'; write a URL such as redis://host:6379/0"),
    "no secret key": (EXTERNAL | {"SECRET_KEY": ""}, "SECRET_KEY is not set; with DATABASE_URL every process"),
    "no hosts": (EXTERNAL | {"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS is not set; write the host names"),
    "schemas": (
        {"GISC_SCHEMA_DIR": "/dev/null"},
        "GISC_SCHEMA_DIR is '/dev/null', where no catalog.xml can be read; write the path of the folder",
    ),
    "log level": ({"LOG_LEVEL": "verbose"}, "LOG_LEVEL is 'verbose'; write DEBUG, INFO, WARNING or ERROR"),
    "proxies": (
        {"GISC_TRUSTED_PROXIES": "127.0.0.1,proxy"},
        "GISC_TRUSTED_PROXIES has 'proxy' ('proxy' does not appear to be an IPv4 or IPv6 network); write addresses",
    ),
    "language": ({"GISC_LANGUAGE": "qq"}, "GISC_LANGUAGE is 'qq'; write one of en, or add a translation"),
    "roles": (
        {"GISC_SECOND_FACTOR_ROLES": "operator,operators"},
        "GISC_SECOND_FACTOR_ROLES has operators; write some of superuser, administrator, data manager, operator, viewer",
    ),
    "interfaces": (
        {"GISC_INTERFACES_OFF": "sru,z3950"},
        "GISC_INTERFACES_OFF has z3950; write some of ogcapi, sru, csw, dcat, monitoring",
    ),
    "private pages": (
        {"GISC_PRIVATE_PAGES": "metrics,admin"},
        "GISC_PRIVATE_PAGES has admin; write some of metrics, harvest, health",
    ),
    "monitors": (
        {"GISC_MONITORING_ADDRESSES": "prometheus"},
        "GISC_MONITORING_ADDRESSES has 'prometheus' ('prometheus' does not appear to be an IPv4 or IPv6 network); write",
    ),
    "data directory": (
        {"GISC_DATA_DIR": "/dev/null/x"},
        "GISC_DATA_DIR is '/dev/null/x', where nothing can be written",
    ),
}


@pytest.fixture
def read_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Read the settings afresh, in an environment that has nothing but what is given."""

    def read(**given: str) -> dict[str, object]:
        clean = environment()
        with monkeypatch.context() as patch:
            for name in set(os.environ) - set(clean):
                patch.delenv(name)
            for name, value in ({"GISC_DATA_DIR": str(tmp_path)} | given).items():
                patch.setenv(name, value)
            return runpy.run_path(str(ROOT / "gisc" / "settings.py"))

    return read


@pytest.mark.parametrize("case", BAD)
def test_a_bad_value_stops_the_start_with_a_sentence(read_settings, case: str) -> None:
    given, sentence = BAD[case]
    with pytest.raises(ImproperlyConfigured) as why:
        read_settings(**given)
    assert str(why.value).startswith(sentence)


def test_without_any_setting_the_node_is_an_embedded_one(read_settings, tmp_path: Path) -> None:
    read = read_settings()
    assert read["GISC_EMBEDDED_DATABASE"] is True
    assert read["GISC_EMBEDDED_REDIS"] is True
    assert read["DEBUG"] is False
    assert read["SECRET_KEY"] == (tmp_path / "secret_key").read_text()
    assert read["SECRET_KEY"] == read_settings()["SECRET_KEY"]


def test_keys_of_before_are_read_from_the_data_directory_and_from_the_environment(
    read_settings, tmp_path: Path
) -> None:
    (tmp_path / "secret_key").write_text("present")
    (tmp_path / "secret_key_fallbacks").write_text("second\nfirst\n")
    assert read_settings()["SECRET_KEY_FALLBACKS"] == ["second", "first"]
    file = tmp_path / "keys"
    file.write_text("second, first\n")
    of_environment = {**EXTERNAL, "REDIS_URL": "redis://mq:6379/1", "SECRET_KEY_FALLBACKS_FILE": str(file)}
    assert read_settings(**of_environment)["SECRET_KEY_FALLBACKS"] == ["second", "first"]


@pytest.mark.parametrize(("base_url", "given", "seconds"), [
    ("http://gisc.example.org", {}, 0),
    ("https://gisc.example.org", {}, 86_400),
    ("https://gisc.example.org", {"GISC_HSTS_SECONDS": "0"}, 0),
])  # fmt: skip
def test_browsers_are_told_to_use_https_for_a_day_where_the_node_is_published_so(
    read_settings, base_url: str, given: dict[str, str], seconds: int
) -> None:
    assert read_settings(GISC_BASE_URL=base_url, **given)["SECURE_HSTS_SECONDS"] == seconds


def test_servers_of_ones_own_are_used_and_nothing_is_written(read_settings, tmp_path: Path) -> None:
    read = read_settings(**EXTERNAL, REDIS_URL="redis://mq:6379/1")
    assert read["GISC_EMBEDDED_DATABASE"] is False
    assert read["CELERY_BROKER_URL"] == "redis://mq:6379/1"
    assert list(tmp_path.iterdir()) == []


def test_passwords_of_servers_may_be_in_files(read_settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever characters they have; the file ends with a line break, as editors write it."""
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "database").write_text("a/b:c@d\n")
    (folder / "redis").write_text("e f#g\n")
    files = {"DATABASE_PASSWORD_FILE": str(folder / "database"), "REDIS_PASSWORD_FILE": str(folder / "redis")}
    read = read_settings(**EXTERNAL, REDIS_URL="redis://mq:6379/1", **files)
    assert read["DATABASES"]["default"]["PASSWORD"] == "a/b:c@d"
    with redis.Redis.from_url(read["GISC_REDIS_URL"]) as client:
        assert client.connection_pool.connection_kwargs["password"] == "e f#g"


def test_a_replica_is_a_second_database_with_the_password_of_the_first_unless_it_has_one(read_settings) -> None:
    for user, password in (("gisc", "a/b"), ("gisc:own", "own")):
        url = f"postgresql://{user}@standby:5433/gisc?sslmode=require"
        read = read_settings(**EXTERNAL, DATABASE_REPLICA_URL=url, DATABASE_PASSWORD="a/b")
        replica = read["DATABASES"]["replica"]
        assert [replica[name] for name in ("HOST", "PORT", "NAME", "PASSWORD")] == ["standby", 5433, "gisc", password]
        assert replica["OPTIONS"]["sslmode"] == "require"
        assert read["DATABASE_ROUTERS"] == ["catalogue.reading.replica.Router"]
    assert "replica" not in read_settings(**EXTERNAL)["DATABASES"]


def variables_read() -> set[str]:
    """The names that the wiring reads through gisc.env, taken from the code itself."""
    found = set()
    for file in (ROOT / "gisc").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "env"
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.add(str(node.args[0].value))
    return found


def variables_documented() -> set[str]:
    """The names in backticks of the first column of the table in docs/settings.md; `NAME_FILE` stands for `NAME`."""
    rows = [
        line
        for line in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    names = {name for row in rows for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", row.split("|")[1])}
    return {name.removesuffix("_FILE") for name in names}


def test_the_table_lists_every_variable_that_is_read_and_no_other() -> None:
    assert variables_documented() == variables_read()


def test_no_app_reads_the_environment_itself() -> None:
    for app in ("catalogue", "oaiprovider", "harvester"):
        for file in (ROOT / app).rglob("*.py"):
            assert "os.environ" not in file.read_text(encoding="utf-8"), file
