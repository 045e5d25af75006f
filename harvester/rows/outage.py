"""Wait while our own database is away: restarted, killed, or a connection to it cut."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import connection

from catalogue import seams
from catalogue.outage import ERRORS, is_outage
from catalogue.reasons import describe_error

logger = logging.getLogger(__name__)

_PAUSE_S = 0.5  # chosen


def retry_while_away(action: Callable[[], object]) -> None:
    """Run a small write, and repeat it while the database cannot be reached, for as long as a lease lasts.

    After that another worker takes the run over. Raises the last error of the database then.
    """
    deadline = seams.monotonic() + settings.GISC_LEASE_SECONDS
    while True:
        try:
            action()
            return
        except ERRORS as exc:
            if not is_outage(exc):
                raise
            connection.close()  # else the broken one would be used for ever
            if seams.monotonic() >= deadline:
                raise
            logger.info("waiting for the database", extra={"reason": describe_error(exc)})
        seams.sleep(_PAUSE_S)
