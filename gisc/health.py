"""Health: whether this process answers, and whether the node can do its work. Routes and two small views.

`live` touches nothing. `ready` asks the database and Redis, each with a short timeout, and tells no detail that
a stranger should not have: the logs have the reason. It also says whether the database is set to keep what is committed,
and how long ago a task came through beat, Redis, a worker and the database: a node on which none does any more still
serves, so it is ready, and degraded. `tasks` asks for that alone, for monitors that look at the status only.
"""

import logging

import redis
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from catalogue import checks
from gisc import database
from harvester.rows import health

_TIMEOUT_S = 2
logger = logging.getLogger(__name__)
# What has been migrated stays migrated for as long as this code runs, and reading all migrations is not cheap.
_migrated = False


@require_safe
@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers at all."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """200 when the database is reachable and migrated and Redis is reachable, else 503."""
    parts = {"database": _database(), "redis": _redis()}
    good = all(state == "ok" for state in parts.values())
    told: dict[str, object] = {}  # no reason to take the node off the network, but to be seen
    if parts["database"] != "not reachable":
        told["durable"] = _durable()
    tasks = _tasks() if parts["database"] == "ok" else None
    if parts["database"] == "ok" and (clock_state := health.host_clock_state()):
        told["clock"] = clock_state
    status = "not ready" if not good else "degraded" if tasks is None or tasks["late"] else "ok"
    answer = {"ready": good, "status": status, **parts, "tasks": tasks, "durable": None, **told}
    return JsonResponse(answer, status=200 if good else 503)


@require_safe
@never_cache
def tasks(request: HttpRequest) -> JsonResponse:
    """200 while tasks come through, 503 when the last one did longer ago than GISC_CANARY_SECONDS, or none ever did."""
    told = _tasks()
    return JsonResponse(told or {"age_s": None, "late": True}, status=503 if told is None or told["late"] else 200)


def _tasks() -> dict[str, object] | None:
    """The canary's age and what it means; None where the database does not tell."""
    try:
        age_s = health.tick_age_s()
    except DatabaseError as exc:
        logger.warning("database not reachable", extra={"reason": " ".join(str(exc).split())})
        return None
    return {"age_s": None if age_s is None else round(age_s, 1), "late": health.is_tick_late(age_s)}


def _durable() -> bool | None:
    """Whether PostgreSQL keeps what is committed: `manage.py check --database default` says what is off."""
    try:
        return not checks.disabled_durability()
    except DatabaseError:
        return None


def _database() -> str:
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


def _redis() -> str:
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
