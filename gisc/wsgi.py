"""The WSGI application that gunicorn serves: one handler for `/oai`, one for everything else.

`/oai` needs no session, account, message or cookie (P11), so its requests skip the middleware for these. A body that is
sent in chunks, without its length, is read here: Django takes a request without Content-Length for one without a body. Each request
has an id, in its answer and in the log.
"""

import os
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.db.backends.signals import connection_created

from catalogue import log_context
from catalogue.reading import replica
from gisc import access_log
from gisc.public_pages import is_public
from oaiprovider.protocol.arguments import LONGEST_BODY

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
_ENDPOINT_PATHS = ("/oai", "/oai/")


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    environ[access_log.REQUEST_ID] = request_id = access_log.request_id(environ)

    def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
        return start_response(status, [*headers, ("X-Request-ID", request_id)], *exc_info)

    with log_context.about(request_id=request_id):
        return _answer(environ, start)


def _answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    _forget_charset(environ)
    path = environ.get("PATH_INFO", "")
    handler = _endpoint if path in _ENDPOINT_PATHS else _site
    if "HTTP_TRANSFER_ENCODING" in environ and not is_public(path):  # public pages read no body
        _read_chunks(environ, LONGEST_BODY if handler is _endpoint else settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    return handler(environ, start_response)


def _forget_charset(environ: dict[str, Any]) -> None:
    """Remove the charset of the media type: all requests are read as UTF-8 (P2). For some names Django would answer 500."""
    kind, *parameters = environ.get("CONTENT_TYPE", "").split(";")
    kept = [each for each in parameters if each.partition("=")[0].strip().lower() != "charset"]
    if len(kept) < len(parameters):
        environ["CONTENT_TYPE"] = ";".join((kind, *kept))


def _read_chunks(environ: dict[str, Any], most: int) -> None:
    """Read a body whose length is not announced, and announce it; of a longer one so much that it is refused.

    gunicorn has made sure that there is no Content-Length besides, and drops the rest.
    """
    body = environ["wsgi.input"].read(most + 1)
    environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}


# Of a replica: a statement that takes too long there is asked of the primary, within the time that gunicorn gives a request.
_REPLICA_SHARE = 4


def _limit_statements(connection: Any, **_: Any) -> None:
    """P117: limit the time of each SQL statement of a request; `/oai` then answers 503. Workers and commands have no limit."""
    limit_ms = settings.GISC_WEB_STATEMENT_SECONDS * 1000
    if connection.alias == replica.ALIAS:
        limit_ms //= _REPLICA_SHARE
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{limit_ms}ms"])


connection_created.connect(_limit_statements)
