"""Texts of what happens before Django is set up: settings, running nodes, embedded servers, the start of a command.

Django translates only when the settings are read and the apps are loaded. These texts are in the same files of translations as all
others, and Python's own gettext reads them. The language is English, as in workers and logs, but for a command that a person has
started: within `for_command` it is that of GISC_LANGUAGE, before and after Django is set up. Imports nothing of Django.
"""

import gettext as python_gettext
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from gisc import installation

_language = ContextVar("language of early texts", default="en")


def translations() -> dict[str, Path]:
    """Return the files of translations by their languages, written as in GISC_LANGUAGE; English has none."""
    files = installation.LOCALE.glob("*/LC_MESSAGES/django.mo")
    return {file.parent.parent.name.lower().replace("_", "-"): file for file in files}


def gettext(text: str) -> str:
    """Translate a text; it stays English where its language is not known, or its file cannot be read."""
    language = _language.get()
    file = None if language == "en" else translations().get(language)
    if file is None:
        return text
    try:
        with file.open("rb") as stream:
            return python_gettext.GNUTranslations(stream).gettext(text)
    except (OSError, ValueError, LookupError, struct.error):  # damaged, or written by something else than gettext
        return text


@contextmanager
def for_command(arguments: Sequence[str]) -> Iterator[None]:
    """Within the block, texts are in the language of GISC_LANGUAGE, unless a program reads what the command prints."""
    before = _language.set(
        "en" if any(map(asks_for_json, arguments)) else os.environ.get("GISC_LANGUAGE", "").strip().lower()
    )
    try:
        yield
    finally:
        _language.reset(before)


def asks_for_json(argument: str) -> bool:
    """Whether an argument is --json, which argparse takes shortened as well."""
    return len(argument) > len("--") and "--json".startswith(argument)
