"""The process that keeps the embedded PostgreSQL running for a node: `python -m gisc.node.keeper`.

It needs the server as a command does, and starts the server again if it has died, or if its socket or pid file was removed. It is one of the node's supervised
processes, so the server stops soon after the node has died.
"""

import logging
import signal
import sys
from threading import Event

from django.conf import settings
from django.utils.log import configure_logging

from gisc import embedded

_POLL_S = 1.0
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
logger = logging.getLogger("gisc.node.keeper")


def main() -> int:
    stop_requested = Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: stop_requested.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # the node has blocked them until now
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)  # and no apps: it needs no more, and starts at once
    try:
        # The node has started the server before this process, so a server that had to be started had died.
        with embedded.database(settings.GISC_DATA_DIR) as had_died:
            trouble = "it had died" if had_died else ""
            while True:
                if trouble:
                    logger.warning("embedded PostgreSQL was started again: %s", trouble)
                if stop_requested.wait(_POLL_S):
                    return 0
                trouble = embedded.restart_if_dead(settings.GISC_DATA_DIR)
    except embedded.ServerFailed as exc:
        logger.error("embedded PostgreSQL does not run", extra={"reason": str(exc)})
        return 1


if __name__ == "__main__":
    sys.exit(main())
