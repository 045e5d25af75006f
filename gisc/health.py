"""Health checks: routes and views of `/health/live`, `/health/ready` and `/health/tasks`.

`live` checks nothing but the process. `ready` queries the database and Redis, each with a short timeout, and compares
the journal with the database; the answer has no details for strangers, which are in the logs. It also reports whether
PostgreSQL is set to keep committed data, and the ages of the last scheduler ticks, the harvester's and the
catalogue's, which pass beat, Redis, a worker and the database; how many runs wait, for what and for how long, and whether
workers take them; how old the last verified backup is, and the room on the disks. A node without ticks, whose queue is
stalled, whose backup is late, or whose disk is nearly full, still serves, so it is ready but degraded. `tasks` reports the
ticks and the queue alone, for monitors that read only the status.
"""

import logging
from dataclasses import asdict

import redis
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from catalogue import checks, journal_state, seams
from gisc import database, disk_space
from gisc.backup.schedule import backup_state
from harvester.rows import health, queue

_TIMEOUT_S = 2
logger = logging.getLogger(__name__)
# True once all migrations were found applied: it stays so while this code runs, and the check is not cheap.
_migrated = False


@require_safe
@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as the process runs."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 if the database is reachable, migrated and not behind the journal, and Redis is reachable; else 503."""
    parts = {"database": _database_state(), "redis": _redis_state()}
    if parts["database"] == "ok":
        parts["journal"], journal_warnings = _journal_state()
    else:
        journal_warnings = []
    is_ready = all(state == "ok" for state in parts.values())
    further: dict[str, object] = {}  # reported, but no reason to take the node off the network
    if parts["database"] != "not reachable":
        further["durable"] = _is_durable()
    ticks = _tick_state() if parts["database"] == "ok" else None
    queue_state = _queue_state() if parts["database"] == "ok" else None
    if queue_state is not None:
        further["queue"] = queue_state.report()
    if parts["database"] == "ok" and (clock_state := health.host_clock_state()):
        further["clock"] = clock_state
    if journal_warnings:
        further["journal_warnings"] = journal_warnings
    backups = backup_state()
    disks = disk_space.report()
    is_stalled = queue_state is None or queue_state.is_stalled
    is_short = any(disk["low"] for disk in disks.values())
    is_degraded = ticks is None or ticks["late"] or is_stalled or backups.is_late or is_short
    status = "not ready" if not is_ready else "degraded" if is_degraded else "ok"
    answer = {"ready": is_ready, "status": status, **parts, "tasks": ticks, "durable": None, **further}
    answer["backup"] = backups.report()
    answer["disk"] = disks
    return JsonResponse(answer, status=200 if is_ready else 503)


@require_safe
@never_cache
def tasks(request: HttpRequest) -> JsonResponse:
    """Answer 503 if a tick is older than GISC_CANARY_SECONDS, or never was, or if no run gets through; else 200."""
    ticks, queue_state = _tick_state(), _queue_state()
    answer = {**(ticks or {"age_s": None, "late": True}), "queue": queue_state and queue_state.report()}
    is_well = ticks is not None and not ticks["late"] and queue_state is not None and not queue_state.is_stalled
    return JsonResponse(answer, status=200 if is_well else 503)


def _queue_state() -> queue.QueueState | None:
    """Return how many runs wait, for what and how long; None if the database cannot be read."""
    try:
        return queue.queue_state(seams.now())
    except DatabaseError as exc:
        logger.warning("database not reachable", extra={"reason": " ".join(str(exc).split())})
        return None


def _tick_state() -> dict[str, object] | None:
    """Return the ages of the ticks, the older one first, and whether it is late; None if the database cannot be read."""
    try:
        ticks = health.tick_ages()
    except DatabaseError as exc:
        logger.warning("database not reachable", extra={"reason": " ".join(str(exc).split())})
        return None
    ages_s = {app: None if age_s is None else round(age_s, 1) for app, age_s in asdict(ticks).items()}
    oldest_s = None if ticks.oldest_s is None else round(ticks.oldest_s, 1)
    return {"age_s": oldest_s, "late": ticks.is_late, "ages_s": ages_s}


def _is_durable() -> bool | None:
    """Whether PostgreSQL is set to keep committed data; `manage.py check --database default` names a wrong setting."""
    try:
        return not checks.disabled_durability()
    except DatabaseError:
        return None


def _database_state() -> str:
    global _migrated
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = '{_TIMEOUT_S}s'")
                cursor.execute("SELECT 1")
            if not _migrated:
                _migrated = not database.unapplied()
    except DatabaseError as exc:
        logger.warning("database not reachable", extra={"reason": " ".join(str(exc).split())})
        return "not reachable"
    except ImproperlyConfigured as exc:
        logger.warning("database not migrated", extra={"reason": str(exc)})
    return "ok" if _migrated else "not migrated"


def _journal_state() -> tuple[str, list[str]]:
    """Return the state of the journal, and the codes of its warnings; `manage.py journal status` describes them."""
    try:
        status = journal_state.status()
    except DatabaseError as exc:
        logger.warning("database not reachable", extra={"reason": " ".join(str(exc).split())})
        return "not readable", []
    except OSError as exc:
        # Events wait in the database then. That the files are ahead cannot be seen.
        logger.warning("journal not readable", extra={"reason": str(exc)})
        return "ok", ["not-readable"]
    if status.problem is not None:
        logger.warning("node not ready: %s", status.problem)
    state = "ok" if status.problem is None else str(status.problem.code)
    return state, [str(warning.code) for warning in status.warnings]


def _redis_state() -> str:
    try:
        with redis.Redis.from_url(
            settings.GISC_REDIS_URL, socket_connect_timeout=_TIMEOUT_S, socket_timeout=_TIMEOUT_S
        ) as client:
            client.ping()
    except redis.RedisError as exc:
        logger.warning("Redis not reachable", extra={"reason": str(exc)})
        return "not reachable"
    return "ok"


urlpatterns = [
    path("live", live, name="health-live"),
    path("ready", ready, name="health-ready"),
    path("tasks", tasks, name="health-tasks"),
]
