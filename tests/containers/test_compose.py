"""How the drill reads docker-compose.yml: values are put in as Docker does, and nothing in the file is passed over."""

import re
from pathlib import Path

import pytest

from tests.containers import compose, stand_ins
from tests.containers.podman import Deployment
from tests.support.paths import ROOT

NAMES = {"GISC_NAME": "WIS-GISC-X", "GISC_BASE_URL": "https://x.example.org", "ALLOWED_HOSTS": "x.example.org"}
NAMES |= {"GISC_ADMIN_EMAIL": "x@example.org", "NTP_SERVER": "ntp", "LOG_LEVEL": "DEBUG"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("${SET}", "value"),
        ("${EMPTY}x${UNSET}", "x"),
        ("${UNSET:-default}", "default"),
        ("${EMPTY:-default}", "default"),
        ("${EMPTY-default}", ""),
        ("${SET:-default}", "value"),
        ("${UNSET:-${SET:-no}/rest}", "value/rest"),
        ("${UNSET:-${EMPTY:-inner}}", "inner"),
        ("${SET:+instead}", "instead"),
        ("${UNSET:+instead}", ""),
        ("a$$(cat b)", "a$(cat b)"),
        ("$SET.", "value."),
    ],
)
def test_values_are_put_in_as_docker_does(written: str, read: str) -> None:
    assert compose.interpolate(written, {"SET": "value", "EMPTY": ""}) == read


def test_what_is_required_and_missing_is_named() -> None:
    with pytest.raises(compose.ComposeError, match="NAME is missing: write it"):
        compose.interpolate("${NAME:?write it}", {})


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    (tmp_path / "docker-compose.yml").write_text(
        (ROOT / "docker-compose.yml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    lines = [f"{name}={value}" for name, value in NAMES.items()]
    (tmp_path / ".env").write_text("# a line that says nothing\n" + "\n".join(lines), encoding="utf-8")
    return Deployment(tmp_path)


def test_the_environment_is_what_the_file_and_env_say(deployment: Deployment) -> None:
    web = deployment.file.services["web"]["environment"]
    assert (web["GISC_NAME"], web["ALLOWED_HOSTS"], web["LOG_LEVEL"]) == (
        "WIS-GISC-X",
        "x.example.org,gisc-web,gisc-proxy",
        "DEBUG",
    )
    assert web["GISC_NTP_SERVERS"] == "ntp" and "LOG_JSON" not in web


@pytest.mark.parametrize("profiles", ["", "monitoring", "monitoring,steer-clock"])
def test_profiles_choose_services_which_begin_after_what_they_need(deployment: Deployment, profiles: str) -> None:
    deployment.more["COMPOSE_PROFILES"] = profiles
    order = deployment.file.in_order()
    assert ("grafana" in order, "chrony-steer" in order) == ("monitoring" in profiles, "steer-clock" in profiles)
    assert order.index("postgres") < order.index("migrate") < order.index("web") < order.index("proxy")


def test_nothing_of_the_file_is_passed_over(deployment: Deployment) -> None:
    """A key that the drill does not know ends it, and each service becomes a command with its limits and its secrets."""
    deployment.more["COMPOSE_PROFILES"] = "monitoring,steer-clock"
    file = deployment.file
    for name, service in file.services.items():
        arguments = deployment._arguments(name, file)
        assert f"--memory={service['mem_limit']}" in arguments and "--security-opt=no-new-privileges:true" in arguments
        assert all(
            any(argument.endswith(f":/run/secrets/{secret}:ro") for argument in arguments)
            for secret in service.get("secrets", [])
        )
    file.services["web"]["devices"] = ["/dev/null"]
    with pytest.raises(compose.ComposeError, match="web has devices, which is not known here"):
        deployment._arguments("web", file)


def test_there_is_a_stand_in_for_each_image_of_others(deployment: Deployment) -> None:
    deployment.more["COMPOSE_PROFILES"] = "monitoring"
    services = deployment.file.services
    images = {
        service["image"]
        for name, service in services.items()
        if "build" not in service and name not in stand_ins.WITHOUT
    }
    assert images == set(stand_ins._FILES)
    (base,) = re.findall(r"^ARG BASE=(.*)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert base == stand_ins.BASE
