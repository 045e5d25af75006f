"""Read and check environment variables.

Every function returns a checked value or raises `ImproperlyConfigured` with a sentence that says what to write. A secret
may also be in a file: `SECRET_KEY_FILE=/run/secrets/key` is read if `SECRET_KEY` is not set. Imports no app.
"""

import os
import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode, urlsplit

from django.core.exceptions import ImproperlyConfigured

from gisc.early_texts import gettext


def text(name: str, default: str = "") -> str:
    """Read a text without surrounding white space; `default` if it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool) -> bool:
    """Read `True` or `False`, spelled so."""
    raw = text(name, str(default))
    if raw not in ("True", "False"):
        raise ImproperlyConfigured(gettext("{name} is {value}; write True or False").format(name=name, value=repr(raw)))
    return raw == "True"


def number(name: str, default: int, *, low: int, high: int) -> int:
    """Read a whole number from `low` to `high`, both included."""
    raw = text(name, str(default))
    if not raw.isascii() or not raw.isdigit() or not low <= int(raw) <= high:
        sentence = gettext("{name} is {value}; write a whole number from {low} to {high}")
        raise ImproperlyConfigured(sentence.format(name=name, value=repr(raw), low=low, high=high))
    return int(raw)


def number_or_none(name: str, default: int, *, low: int, high: int) -> int | None:
    """Read a number as `number` does; None, for no limit, if the variable is set and empty."""
    if os.environ.get(name, str(default)).strip() == "":
        return None
    return number(name, default, low=low, high=high)


def secret(name: str) -> str:
    """Read the secret in `NAME`, or in the file that `NAME_FILE` names; empty if both are unset."""
    value = text(name)
    file = text(f"{name}_FILE")
    if value or not file:
        return value
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except OSError as exc:
        sentence = gettext(
            "{name}_FILE names {file}, which cannot be read ({reason}); "
            "write the path of a readable file, or set {name} itself"
        )
        raise ImproperlyConfigured(sentence.format(name=name, file=repr(file), reason=exc.strerror)) from exc


def secrets(name: str) -> list[str]:
    """Read secrets as `secret` does: several, separated by commas, blanks or lines."""
    return secret(name).replace(",", " ").split()


def url(name: str, schemes: tuple[str, ...], default: str = "", example: str = "") -> str:
    """Read an absolute URL with one of `schemes`; `default` if it is unset."""
    raw = text(name, default)
    return raw and _checked(name, raw, schemes, example)


def _checked(name: str, raw: str, schemes: tuple[str, ...], example: str) -> str:
    try:
        parts = urlsplit(raw)
        _port = parts.port  # raises if it is no number
    except ValueError as exc:
        # The reason has a part of the URL, which may be one of its password.
        sentence = gettext(
            "{name} is no URL: its port is no number, or it has a bracket too many; write a URL such as {example}, and "
            "characters such as / # ? @ [ ] in a password percent-encoded"
        )
        raise ImproperlyConfigured(sentence.format(name=name, example=example)) from exc
    if parts.scheme not in schemes or not (parts.netloc or parts.path):
        # The URL may contain a password, so the message has only its scheme.
        sentence = gettext("{name} has the scheme {scheme}; write a URL such as {example}")
        raise ImproperlyConfigured(sentence.format(name=name, scheme=repr(parts.scheme), example=example))
    return raw


def database_url(name: str, host: str, wanted: str) -> str:
    """Read the URL of a PostgreSQL; empty if it is unset. `host`: that of the example in a sentence.

    Several hosts, which libpq tries one after the other (`a:5432,b:5432`), stand in its query then, where every program
    that reads URLs takes them. `wanted`: which of these is taken (target_session_attrs), unless the URL says otherwise.
    """
    raw, example = text(name), f"postgresql://gisc:password@{host}:5432/gisc"
    if not raw:
        return raw
    found = _checked(name, _with_hosts_in_query(raw, wanted), ("postgres", "postgresql"), example)
    parts = urlsplit(found)
    if not parts.path.strip("/") and "service" not in parse_qs(parts.query):
        sentence = gettext("{name} names no database; write a URL such as {example}")
        raise ImproperlyConfigured(sentence.format(name=name, example=example))
    return found


_HOST = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?")


def _with_hosts_in_query(address: str, wanted: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    account, at, hosts = parts.netloc.rpartition("@")
    found = [match for host in hosts.split(",") if (match := _HOST.fullmatch(host))]
    if len(found) == 1 or len(found) <= hosts.count(","):
        return address
    query = {
        "host": ",".join(unquote(match[1].strip("[]")) for match in found),
        "port": ",".join(match[2] or "5432" for match in found),
        "target_session_attrs": wanted,
    }
    return parts._replace(netloc=account + at, query=urlencode(query | dict(parse_qsl(parts.query)))).geturl()


def with_password(address: str, password: str, name: str) -> str:
    """Put a password into a URL that has none; the URL itself if one of the two is empty. `name`: of the URL's variable."""
    if not address or not password:
        return address
    parts = urlsplit(address)
    user, _, host = parts.netloc.rpartition("@")
    if ":" in user:
        sentence = gettext("{name} has a password, and {other} is set too; write the password in one of them")
        raise ImproperlyConfigured(sentence.format(name=name, other=name.replace("_URL", "_PASSWORD")))
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}").geturl()


def comma_separated(name: str, default: str = "") -> list[str]:
    """Read a comma-separated list."""
    return [item.strip() for item in text(name, default).split(",") if item.strip()]


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Read a comma-separated list of networks in CIDR notation or addresses."""
    found = []
    for item in comma_separated(name):
        try:
            found.append(ip_network(item))
        except ValueError as exc:
            sentence = gettext(
                "{name} has {item} ({reason}); write addresses or networks separated by commas, such as "
                "192.0.2.7, 10.0.0.0/8"
            )
            raise ImproperlyConfigured(sentence.format(name=name, item=repr(item), reason=exc)) from exc
    return found
