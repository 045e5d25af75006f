"""The language of pages and commands (GISC_LANGUAGE): one for all who work with this node. Programs and logs get English.

The language of a process is English. It changes for as long as a page for people, a message or a command is made, so that JSON,
CSV, OAI-PMH, metrics and logs are the same in all countries. CONTRIBUTING.md says how to translate. What is said before Django is
set up has a module of its own, `gisc.early_texts`.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from gisc import early_texts

_FOR_PROGRAMS = ("/oai", "/health/", "/metrics", "/static/", "/robots.txt", "/dcat/")
_FILES_FOR_PROGRAMS = (".json", ".xml", ".csv", ".svg", ".atom")


def for_people() -> AbstractContextManager[None]:
    """Within the block, texts are in the language of this node."""
    return translation.override(settings.GISC_LANGUAGE)


def for_programs() -> AbstractContextManager[None]:
    """Within the block, texts are English, as in a process that no command of a person has started."""
    return translation.override(settings.LANGUAGE_CODE)


def for_command(arguments: Sequence[str]) -> AbstractContextManager[None]:
    """Within the block, a command speaks the language of this node, unless a program reads what it prints.

    Django has to be set up. That holds for its help, too: options are described when the parser is made.
    """
    return for_programs() if any(map(early_texts.asks_for_json, arguments)) else for_people()


def is_for_people(path: str) -> bool:
    return not path.startswith(_FOR_PROGRAMS) and not path.endswith(_FILES_FOR_PROGRAMS)


class PageLanguage:
    """Middleware that makes pages for people in the language of this node."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_for_people(request.path):
            return self._get_response(request)
        with for_people():
            response = self._get_response(request)
        response.headers.setdefault("Content-Language", settings.GISC_LANGUAGE)
        return response
