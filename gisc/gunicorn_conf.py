"""Configuration of gunicorn; whatever an operator can change comes from the settings."""

import gc
import os
import sys
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from gunicorn import glogging

from gisc import access_log, file_modes

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")

# WhiteNoise serves static files from their apps (WHITENOISE_USE_FINDERS); collectstatic is not needed.
warnings.filterwarnings("ignore", message="No directory at")

bind = f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}"
workers = settings.GISC_WEB_WORKERS
# One thread can wait for a slow harvester while others answer, and connections stay open between pages.
worker_class = "gisc.web_worker.Worker"
threads = settings.GISC_WEB_THREADS
# Seconds; enough for a page of ten thousand records to a slow harvester, and a worker that hangs is killed.
timeout = 120
graceful_timeout = 5
# Seconds. Longer than the 60 for which proxies keep a connection to the node: else one would use it as it is closed.
keepalive = 75
# No limit here: the endpoint has its own one (P12), above gunicorn's largest, with its own message.
limit_request_line = 0
# `gisc.web_worker` mends what the parser in Python would refuse.
http_parser = "python"
# By default a client of this host may set SCRIPT_NAME by a header, and gets 500 where the path does not begin with it.
forwarder_headers = ""
_SWITCH_INTERVAL_S = 0.0005  # chosen: a tenth of Python's
# The file by which a worker shows that it lives; a new worker starts also when the disk is full.
if Path("/dev/shm").is_dir():  # nosec B108
    worker_tmp_dir = "/dev/shm"  # gunicorn makes its file there by mkstemp  # nosec B108
# Not needed, and two nodes of one account would share the default socket.
control_socket_disable = True
_logging: dict[str, Any] = settings.LOGGING
logconfig_dict = {**_logging, "loggers": {**_logging["loggers"], "gunicorn.error": {"level": settings.LOG_LEVEL}}}


class Logger(glogging.Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's logger, with our access log."""

    def access(self, resp: Any, req: object, environ: dict[str, Any], request_time: timedelta) -> None:
        if settings.LOG_ACCESS:
            ms = request_time // timedelta(milliseconds=1)
            access_log.write(environ, status=str(resp.status), sent=resp.sent, ms=ms)


logger_class = Logger


def post_fork(_server: object, _worker: object) -> None:
    """Keep files from strangers. Let a thread that builds a page give way to one that answers a harvester sooner than after 5 ms."""
    file_modes.keep_from_strangers()
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


def post_worker_init(_worker: object) -> None:
    """Leave what has been loaded out of all garbage collections: it stays as long as the process, and each takes some 20 ms."""
    gc.collect()
    gc.freeze()


def child_exit(server: object, worker: Any) -> None:
    """Drop the gauges of this worker from the metrics when it has ended."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
