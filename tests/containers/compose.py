"""Read a compose file as `docker compose` does: values of the environment put in, merged, with the services of the profiles."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_NAME = re.compile(r"\$(?:(\$)|\{([A-Za-z_]\w*)(:?[-?+])?|([A-Za-z_]\w*))")
_UNITS = {"s": 1, "m": 60, "h": 3600}


class ComposeError(Exception):
    """The file cannot be used: a value that it asks for is missing, or it has something that is not known here."""


@dataclass(frozen=True)
class ComposeFile:
    """The services, networks, volumes and secrets of a file, with all values put in. `folder`: what relative paths begin at."""

    folder: Path
    services: dict[str, dict[str, Any]]
    networks: dict[str, dict[str, Any]]
    volumes: dict[str, dict[str, Any]]
    secrets: dict[str, Path]

    def path(self, written: str) -> Path:
        return (self.folder / written).resolve()

    def in_order(self) -> list[str]:
        """The services, each after those that it depends on."""
        found: list[str] = []

        def add(name: str) -> None:
            for other in self.services[name].get("depends_on", {}):
                add(other)
            if name not in found:
                found.append(name)

        for name in self.services:
            add(name)
        return found


def read(file: Path, environment: Mapping[str, str]) -> ComposeFile:
    """Read a file. `environment`: what .env and the caller's environment have. Raises ComposeError."""
    with file.open(encoding="utf-8") as stream:
        whole = yaml.safe_load(stream)
    # What begins with x- is there for its anchors alone.
    whole = {key: _put_in(value, environment) for key, value in whole.items() if not key.startswith("x-")}
    profiles = set(environment.get("COMPOSE_PROFILES", "").split(",")) - {""}
    services = {
        name: service
        for name, service in whole["services"].items()
        if not service.get("profiles") or profiles & set(service["profiles"])
    }
    for service in services.values():
        given = service.get("environment", {})
        service["environment"] = {
            name: str(environment[name] if value is None else value)
            for name, value in given.items()
            if value is not None or name in environment
        }
    secrets = {name: file.parent / secret["file"] for name, secret in whole.get("secrets", {}).items()}
    return ComposeFile(
        file.parent,
        services,
        {name: network or {} for name, network in whole.get("networks", {}).items()},
        {name: volume or {} for name, volume in whole.get("volumes", {}).items()},
        secrets,
    )


def read_environment(file: Path) -> dict[str, str]:
    """Read a file .env."""
    lines = file.read_text(encoding="utf-8").splitlines()
    pairs = [line.partition("=") for line in lines if "=" in line and not line.startswith("#")]
    return {name.strip(): value.strip().strip("'\"") for name, _, value in pairs}


def seconds(written: str) -> int:
    """Return how many seconds `90s` or `10m` are."""
    return int(written[:-1]) * _UNITS[written[-1]]


def _put_in(value: Any, environment: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return interpolate(value, environment)
    if isinstance(value, list):
        return [_put_in(each, environment) for each in value]
    if isinstance(value, dict):
        return {key: _put_in(each, environment) for key, each in value.items()}
    return value


def interpolate(text: str, environment: Mapping[str, str]) -> str:
    """Put values in: `${NAME}`, `${NAME:-default}`, `${NAME:+instead}`, `${NAME:?message}`, nested; `$$` is `$`."""
    done, rest = "", text
    while match := _NAME.search(rest):
        done += rest[: match.start()]
        rest = rest[match.end() :]
        dollar, name, operator, plain = match.groups()
        if dollar:
            done += "$"
            continue
        if plain:
            done += environment.get(plain, "")
            continue
        argument, rest = _up_to_brace(rest)
        value = environment.get(name)
        is_there = bool(value) if operator and operator[0] == ":" else value is not None
        kind = operator[-1] if operator else ""
        if kind == "?" and not is_there:
            raise ComposeError(f"{name} is missing: {argument}")
        if kind == "+":
            done += interpolate(argument, environment) if is_there else ""
        elif kind == "-" and not is_there:
            done += interpolate(argument, environment)
        else:
            done += value or ""
    return done + rest


def _up_to_brace(text: str) -> tuple[str, str]:
    """Return what is before the brace that closes, and what is after it."""
    depth = 0
    for place, letter in enumerate(text):
        if letter == "{":
            depth += 1
        elif letter == "}":
            if not depth:
                return text[:place], text[place + 1 :]
            depth -= 1
    raise ComposeError(f"a brace is not closed: {text}")
