"""The WSGI application that gunicorn serves: one handler for `/oai`, one for everything else.

`/oai` needs no session, account, message or cookie (P11), so its requests skip the middleware for these.
"""

import os
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.db.backends.signals import connection_created

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")


class _Endpoint(WSGIHandler):
    """Django's handler with only the middleware that `/oai` needs."""

    def load_middleware(self, is_async: bool = False) -> None:
        all_middleware = settings.MIDDLEWARE
        settings.MIDDLEWARE = settings.GISC_OAI_MIDDLEWARE
        try:
            super().load_middleware(is_async)
        finally:
            settings.MIDDLEWARE = all_middleware


_site = get_wsgi_application()
_endpoint = _Endpoint()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    handler = _endpoint if environ.get("PATH_INFO") == "/oai" else _site
    return handler(environ, start_response)


def _limit_statements(connection: Any, **_: Any) -> None:
    """P117: limit the time of each SQL statement of a request; `/oai` then answers 503. Workers and commands have no limit."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{settings.GISC_WEB_STATEMENT_SECONDS}s"])


connection_created.connect(_limit_statements)
