"""Count the days that this node has lived: the age of tombstones, which no wrong clock can raise (P85).

A day is added after 20 hours of running time by the monotonic clock of one host, however far the clocks of host and
database are off. `catalogue.writing.purge` goes by these days.
"""

from datetime import datetime

from django.db import transaction

from catalogue import seams
from catalogue.models import DayLived, HostUptime
from catalogue.writing import clock

HOURS_PER_DAY = 20  # a node that is restarted, or stands still for some hours, has its day all the same
_MAX_GAP_S = 600  # chosen: between two ticks; a node that was stopped for longer has not lived meanwhile


@transaction.atomic
def count() -> bool:
    """Add the time since the last call to the running time of this host, and a day once that is enough.

    Several hosts may call it: each has a running time of its own, and a day that one adds starts all anew. Returns
    whether a day was added.
    """
    host = seams.host_boot()
    now_s = seams.monotonic()
    uptime = HostUptime.objects.select_for_update().filter(pk=host).first()
    if uptime is None:
        HostUptime.objects.get_or_create(pk=host, defaults={"monotonic_s": now_s})
        return False
    uptime.lived_s += min(max(now_s - uptime.monotonic_s, 0.0), _MAX_GAP_S)
    uptime.monotonic_s = now_s
    uptime.save(update_fields=["lived_s", "monotonic_s"])
    return uptime.lived_s >= HOURS_PER_DAY * 3600 and _add_day(uptime)


def _add_day(uptime: HostUptime) -> bool:
    stamp = clock.take_stamp()  # the lock: another host may have added the day meanwhile
    if not HostUptime.objects.filter(pk=uptime.pk, lived_s=uptime.lived_s).exists():
        return False
    HostUptime.objects.exclude(pk=uptime.pk).delete()
    HostUptime.objects.filter(pk=uptime.pk).update(lived_s=0)
    DayLived.objects.create(mark=stamp)
    return True


def began_before(days: int) -> datetime | None:
    """Return the datestamp before which everything was written so many days ago at least; None if fewer were lived."""
    return DayLived.objects.order_by("-pk").values_list("mark", flat=True)[days - 1 : days].first()
