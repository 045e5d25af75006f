"""The access of a link as options of the command line.

A password is read from a file, never from an argument: everybody who may list processes sees arguments.
"""

import sys
from argparse import ArgumentParser, BooleanOptionalAction
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext

from harvester.models import Link
from harvester.net import access

_PLAIN = ("user", "proxy", "proxy_user", "post", "user_agent", "sender")


def add_to(parser: ArgumentParser) -> None:
    """Add the options; those that are not given are None."""
    options = parser.add_argument_group(
        gettext("access"), gettext("what the provider wants before it answers; '' takes a value away")
    )
    options.add_argument("--user", help=gettext("user name of HTTP basic authentication; '' forgets the password too"))
    options.add_argument(
        "--password-file", metavar="FILE", help=gettext("file whose first line is the password; - for stdin")
    )
    options.add_argument(
        "--certificates", metavar="FILE", help=gettext("PEM file of the authorities to trust; it is copied")
    )
    options.add_argument("--proxy", metavar="URL", help="http://host:port")
    options.add_argument("--proxy-user", metavar="USER")
    options.add_argument("--proxy-password-file", metavar="FILE")
    options.add_argument("--post", action=BooleanOptionalAction, help=gettext("ask by POST"))
    options.add_argument("--user-agent", metavar="TEXT")
    options.add_argument("--sender", metavar="MAIL", help=gettext("the From of requests"))


def apply(link: Link, options: Mapping[str, Any]) -> set[str]:
    """Set the fields of the link that were given, and return their names. Raises CommandError."""
    changed = {name for name in _PLAIN if options[name] is not None}
    for name in changed:
        setattr(link, name, options[name])
    if options["certificates"] is not None:
        link.certificates = _read_text(options["certificates"]) if options["certificates"] else ""
        changed.add("certificates")
    for user, set_password in (("user", link.set_password), ("proxy_user", link.set_proxy_password)):
        password = "proxy_password" if user == "proxy_user" else "password"
        file = options[f"{password}_file"]
        if file is None and (user not in changed or getattr(link, user)):
            continue  # neither a new password nor a user name taken away
        set_password(_read_password(file, of_proxy=user == "proxy_user") if file else "")
        changed.add(f"sealed_{password}")
        if file and not getattr(link, user):
            raise CommandError(
                gettext("A password needs a user name: --{option}.").format(option=user.replace("_", "-"))
            )
    return changed


def _read_password(file: str, *, of_proxy: bool) -> str:
    text = sys.stdin.readline() if file == "-" else _read_text(file)
    password = text.partition("\n")[0].rstrip("\r")
    fault = (
        access.password_fault(password, of_proxy=of_proxy)
        if password
        else gettext("{file} has no password in its first line").format(file=file)
    )
    if fault:
        raise CommandError(f"{fault}.")
    return password


def _read_text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise CommandError(
            gettext("{file} cannot be read: {reason}.").format(
                file=file, reason=getattr(exc, "strerror", None) or gettext("it is no text")
            )
        ) from exc
