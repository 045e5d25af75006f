"""How gunicorn serves the node. Everything an operator may set comes from the settings."""

import os
import warnings
from typing import Any

from django.conf import settings
from gunicorn import glogging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")

# WhiteNoise finds the files where they are (WHITENOISE_USE_FINDERS); nothing need be collected.
warnings.filterwarnings("ignore", message="No directory at")

bind = f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}"
workers = settings.GISC_WEB_WORKERS
# A thread waits for a slow harvester while the others answer, and connections are kept open between pages.
worker_class = "gthread"
threads = settings.GISC_WEB_THREADS
# A list page of ten thousand records to a slow harvester takes a while; a worker that hangs does not stay for ever.
timeout = 120
graceful_timeout = 5
# The endpoint has its own limit, above gunicorn's largest (P12), and says so in its own words.
limit_request_line = 0
# The node needs no second way to be controlled, and two nodes of one account would share the default one.
control_socket_disable = True
_logging: dict[str, Any] = settings.LOGGING
logconfig_dict = {**_logging, "loggers": {**_logging["loggers"], "gunicorn.error": {"level": settings.LOG_LEVEL}}}


class Logger(glogging.Logger):  # type: ignore[misc]  # gunicorn has no types
    """Without lines for single requests, which gunicorn would put together whether anybody reads them or not."""

    def access(self, *_args: Any, **_kwargs: Any) -> None:
        pass


logger_class = Logger


def child_exit(server: object, worker: Any) -> None:
    """Tell the metrics that this worker is gone, so that its gauges no longer count."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
