"""Make the messages of WIS monitoring, version 1.1, as the other centres and the common dashboard read them."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, datetime
from statistics import median
from typing import Any

from django.conf import settings

from catalogue import datestamps
from catalogue.pages import interfaces
from gisc.wis_monitoring.addresses import SERVICES
from gisc.wis_monitoring.measuring import NO_ANSWER
from gisc.wis_monitoring.models import DailyFigures, ResponseTimes

VERSION = "1.1"
Message = dict[str, Any]


def monitor(figures: DailyFigures) -> Message:
    """Return monitor.json of a day. What this node is not, such as the 24-hour cache, is null."""
    base = settings.GISC_BASE_URL
    services = {name: {"status": figures.services.get(name)} for name in SERVICES}
    return {
        **_header(f"{figures.day.isoformat()}T00:00:00Z"),
        "gisc_properties": {
            "portal_url": f"{base}/",
            "oaipmh_url": f"{base}/oai",
            "sru_url": f"{base}/sru" if interfaces.is_offered(interfaces.SRU) else None,
            "monitor_url": f"{base}/monitoring/monitor.json",
            "cache_url": None,
            "centres_url": f"{base}/monitoring/centres.json",
            "events_url": None,
            "backup_giscs": settings.GISC_BACKUP_GISCS or None,
            "rmdcn": {"main": None, "sub": None, "DR_main": None},
            "contact_info": {"voice": settings.GISC_CONTACT_VOICE or None, "email": settings.GISC_ADMIN_EMAIL},
        },
        "metrics": {
            "metadata_catalogue": {
                "number_of_metadata": figures.live,
                "number_of_changes_insert_modify": figures.changed,
                "number_of_changes_delete": figures.deleted,
            },
            "cache_24h": dict.fromkeys(
                (
                    "number_of_product_instances",
                    "number_of_product_instances_missing_metadata",
                    "size_of_cache",
                    "size_of_product_instances_missing_metadata",
                    "number_of_unique_products_missing_metadata",
                    "number_of_unique_products_missing_metadata_AoR",
                )
            ),
            "services": services | {"distribution_system": {"status": None}},
        },
        "remarks": _remarks(figures),
    }


def _header(timestamp: str) -> Message:
    return {"wmo_wis_monitoring": VERSION, "centre": settings.GISC_NAME, "timestamp": timestamp}


def _remarks(figures: DailyFigures) -> str:
    """Say over which time changes are counted: a node that stood for a day counts two."""
    if figures.since is None:
        return "These are the first figures: changes are counted from now on."
    return f"Changes from {datestamps.write(figures.since)} on and before {datestamps.write(figures.until)}."


def centres(times: ResponseTimes) -> Message:
    """Return centres.json: seconds, -1 for no answer, null where no address is known."""
    return {
        **_header(datestamps.write(times.at)),
        "centres": [
            {
                "centre": each["centre"],
                "metrics": {f"{name}_response_time": each[name] for name in SERVICES},
            }
            for each in times.centres
        ],
    }


def history(days: Iterable[DailyFigures], rounds: Iterable[ResponseTimes]) -> Message:
    """Return the figures of days, the newest first, and what each centre's services were over the rounds: asked, answered, median."""
    asked: dict[tuple[str, str], list[float]] = defaultdict(list)
    for times in rounds:
        for each in times.centres:
            for name in SERVICES:
                if each[name] is not None:
                    asked[each["centre"], name].append(each[name])
    return {
        "centre": settings.GISC_NAME,
        "days": [
            {
                "day": figures.day.isoformat(),
                "number_of_metadata": figures.live,
                "number_of_changes_insert_modify": figures.changed,
                "number_of_changes_delete": figures.deleted,
                "since": figures.since and datestamps.write(figures.since),
                "until": datestamps.write(figures.until),
                "services": figures.services,
            }
            for figures in days
        ],
        "centres": [
            {"centre": centre, "service": name, **_summary(seconds)}
            for (centre, name), seconds in sorted(asked.items())
        ],
    }


def _summary(seconds: list[float]) -> Message:
    answered = [each for each in seconds if each != NO_ANSWER]
    return {
        "asked": len(seconds),
        "answered": len(answered),
        "median_s": round(median(answered), 3) if answered else None,
    }


def newest_day(today: date, day: date | None) -> DailyFigures | None:
    """Return the figures of a day, or the newest ones; none of a day to come, which a clock that was ahead has left."""
    days = DailyFigures.objects.filter(day__lte=today)
    return (days if day is None else days.filter(day=day)).first()


def newest_round(now: datetime) -> ResponseTimes | None:
    """Return the newest response times up to now."""
    return ResponseTimes.objects.filter(at__lte=now).first()
