"""The WSGI application that gunicorn serves."""

import os
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db.backends.signals import connection_created

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
application = get_wsgi_application()


def _limit_statements(connection: Any, **_: Any) -> None:
    """P117: no statement of a request runs for ever; `/oai` then answers 503. Workers and commands have no such limit."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{settings.GISC_WEB_STATEMENT_SECONDS}s"])


connection_created.connect(_limit_statements)
