"""Measure what the messages say: the catalogue once a day, and the services of this node and of the other centres.

An address is asked once, for ten seconds at most. Nothing waits for it but the task that asks.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.db import transaction

from catalogue import seams
from catalogue.models import Record
from catalogue.reading import lists
from catalogue.reading.stats import live_of_everybody
from gisc.wis_monitoring import addresses
from gisc.wis_monitoring.addresses import SERVICES, Address
from gisc.wis_monitoring.models import DailyFigures, ResponseTimes
from harvester.errors import HarvestError
from harvester.net import client
from harvester.net.session import Session

NO_ANSWER = -1.0
_EVERY = timedelta(minutes=10)  # centres.json (WIS monitoring 1.1)
_AT_ONCE = 16  # addresses that are asked at the same time, chosen
# Chosen: a dozen centres that answer nothing at three addresses keep a worker for half a minute.
_LIMITS = client.Limits(connect_s=5, read_s=10, total_s=10)
_KEPT = timedelta(days=30)  # of response times, chosen: 4,320 rows
_KEPT_DAYS = timedelta(days=1100)  # of daily figures, chosen: three years


def is_due(now: datetime) -> bool:
    """Whether there is something to measure."""
    return _is_day_due(now) or _is_round_due(now)


def measure(now: datetime) -> None:
    """Measure what is due, and remove what is old."""
    if _is_day_due(now):
        take_day(now)
    if _is_round_due(now):
        ask_centres(now)
    ResponseTimes.objects.filter(at__lt=now - _KEPT).delete()
    DailyFigures.objects.filter(day__lt=(now - _KEPT_DAYS).date()).delete()


def _is_day_due(now: datetime) -> bool:
    return not DailyFigures.objects.filter(day=now.date()).exists()


def _is_round_due(now: datetime) -> bool:
    return not ResponseTimes.objects.filter(at__gt=now - _EVERY, at__lte=now).exists()


# --- The node itself ------------------------------------------------------------------------------------


def take_day(now: datetime) -> None:
    """Count the catalogue as everybody sees it, and what has changed since the figures before. Asks the node's own services."""
    services = _own_services()
    with transaction.atomic():
        until = lists.instant()
        before = DailyFigures.objects.filter(day__lt=now.date()).first()
        changes = Record.objects.filter(audience=0, datestamp__lt=until)
        if before is not None:
            changes = changes.filter(datestamp__gte=before.until)
        DailyFigures.objects.get_or_create(
            day=now.date(),
            defaults={
                "until": until,
                "since": before.until if before else None,
                "live": live_of_everybody(),
                "changed": changes.filter(deleted=False).count() if before else None,
                "deleted": changes.filter(deleted=True).count() if before else None,
                "services": services,
            },
        )


def _own_services() -> dict[str, bool | None]:
    """Return of each service whether it answers at its public address; None: it is not offered."""
    asked = addresses.of_this_node()
    seconds = dict(zip(asked, _ask_all(asked.values()), strict=True))
    return {name: seconds[name] != NO_ANSWER if name in seconds else None for name in SERVICES}


# --- The others -----------------------------------------------------------------------------------------


def ask_centres(now: datetime) -> None:
    """Ask the services of each centre that this node harvests, and store how long each took."""
    at = now.astimezone(UTC).replace(second=0, microsecond=0)
    at -= timedelta(minutes=at.minute % 10)
    asked = addresses.of_centres()
    keys = [(name, service) for name, services in asked.items() for service in services]
    seconds = dict(zip(keys, _ask_all(asked[name][service] for name, service in keys), strict=True))
    centres = [{"centre": name, **{service: seconds.get((name, service)) for service in SERVICES}} for name in asked]
    ResponseTimes.objects.get_or_create(at=at, defaults={"centres": centres})


def _ask_all(asked: Iterable[Address]) -> list[float]:
    with seams.thread_pool(_AT_ONCE) as pool:
        return list(pool.map(_ask, asked))


def _ask(address: Address) -> float:
    """Return how many seconds an address took to answer; NO_ANSWER where it did not, or with an error of HTTP."""
    session = Session()
    started = seams.monotonic()
    try:
        client.get(session, address.url, address.arguments, _LIMITS)
    except HarvestError:
        return NO_ANSWER
    finally:
        session.close()
    return round(seams.monotonic() - started, 3)
