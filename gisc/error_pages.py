"""What is answered when a page ends in an error: one sentence if this node's disk is full, its database away or damaged.

Django calls this for every error that no view has met, also for those of its own middleware, as when a session is stored.
"""

import logging
import sys

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views import defaults

from catalogue import outage

logger = logging.getLogger(__name__)
_AWAY = _("The database of this node cannot be used at the moment, so nothing was stored; try again in a minute.")
_DAMAGED = _(
    "The database of this node cannot read what it has stored, as its files are damaged. Look at the disk, and restore the node "
    "from a backup."
)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 503 where trying again will help, else 500. Called within the `except` of the error."""
    error = sys.exc_info()[1]
    if outage.is_data_damaged(error):
        template, sentence, status = "500.html", _DAMAGED, 500
    elif found := _sentence(error):
        template, sentence, status = "503.html", found, 503
    else:
        return defaults.server_error(request)
    logger.error("page not made", extra={"path": request.path, "reason": " ".join(str(error).split())})
    answer = render(request, template, {"reason": gettext(sentence)}, status=status)
    answer["Cache-Control"] = "no-store"
    return answer


def _sentence(error: BaseException | None) -> str | None:
    if outage.is_disk_full(error):
        return f"{gettext(outage.DISK_FULL).capitalize()}."
    return _AWAY if isinstance(error, Exception) and outage.is_outage(error) else None
