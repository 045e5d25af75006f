"""The process that keeps the embedded PostgreSQL running for a node: `python -m gisc.node.keeper`.

It holds the server as a command does, and starts it again when it has died. The node's supervisor watches this
process as it watches the others, so that the server survives the node's own death for a moment only.
"""

import logging
import os
import signal
import sys
from threading import Event

import django

from gisc import embedded

_POLL_S = 1.0
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
logger = logging.getLogger("gisc.node.keeper")


def main() -> int:
    leave = Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: leave.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # the node has blocked them until now
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    django.setup()
    from django.conf import settings

    try:
        with embedded.database(settings.GISC_DATA_DIR) as died:
            # The node holds the server before this process begins, so that it should run.
            while True:
                if died:
                    logger.warning("embedded PostgreSQL had died and was started again")
                if leave.wait(_POLL_S):
                    return 0
                died = embedded.revive(settings.GISC_DATA_DIR)
    except embedded.ServerFailed as exc:
        logger.error("embedded PostgreSQL does not run", extra={"reason": str(exc)})
        return 1


if __name__ == "__main__":
    sys.exit(main())
