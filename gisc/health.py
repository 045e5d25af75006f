"""Health checks: routes and views of `/health/live`, `/health/ready` and `/health/tasks`.

`live` checks nothing but the process. `ready` has each part of the node (`gisc.parts`) with its state, and is 503 only
while `/oai` cannot answer rightly: the database away or not migrated, or behind the journal. A node without Redis, ticks or
room on its disk still serves, so it is ready but degraded. The answer has no details for strangers, which are in the logs.
`tasks` reports the ticks and the queue alone, for monitors that read only the status.
"""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from catalogue.ticks import TickAges
from gisc import disk_space
from gisc.parts import parts
from gisc.parts.parts import Node
from harvester.rows.clocks import describe_clock


@require_safe
@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as the process runs."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 if `/oai` can answer rightly, else 503, with all parts of the node."""
    node = parts.read()
    answer = {"ready": node.is_ready, "status": node.status, **_facts(node)}
    answer["parts"] = {part.name: part.report() for part in node.parts}
    return JsonResponse(answer, status=200 if node.is_ready else 503, json_dumps_params={"indent": 1})


@require_safe
@never_cache
def tasks(request: HttpRequest) -> JsonResponse:
    """Answer 503 if a tick is older than GISC_CANARY_SECONDS, or never was, or if no run gets through; else 200."""
    found = parts.read().read
    answer = {**(_ticks(found.ticks) or {"age_s": None, "late": True}), "queue": found.queue and found.queue.report()}
    is_well = (
        found.ticks is not None and not found.ticks.is_late and found.queue is not None and not found.queue.is_stalled
    )
    return JsonResponse(answer, status=200 if is_well else 503)


def _facts(node: Node) -> dict[str, object]:
    """Return what was read, by the names that monitors know; what is not set up or cannot be read is left out."""
    found = node.read
    facts: dict[str, object] = {"database": str(found.database), "redis": str(found.broker.state)}
    if found.has_database:
        facts |= _journal(node)
    facts["tasks"] = _ticks(found.ticks)
    facts["durable"] = None if found.disabled_durability is None else not found.disabled_durability
    if found.queue is not None:
        facts["queue"] = found.queue.report()
    if found.clock is not None and found.clock.has_servers:
        facts["clock"] = describe_clock(found.clock)
    facts["backup"] = found.backup.report()
    facts["disk"] = disk_space.report(found.disks)
    return facts


def _journal(node: Node) -> Mapping[str, object]:
    """Return the state of the journal, and the codes of its warnings; `manage.py journal status` describes them."""
    facts = node.read.journal
    if facts is None:
        return {"journal": "not readable"}
    if facts.status is None:
        return {"journal": "ok", "journal_warnings": ["not-readable"]}
    state = "ok" if facts.status.problem is None else str(facts.status.problem.code)
    warnings = [str(warning.code) for warning in facts.status.warnings]
    return {"journal": state} | ({"journal_warnings": warnings} if warnings else {})


def _ticks(ticks: TickAges | None) -> dict[str, object] | None:
    """Return the ages of the ticks, the oldest one first, and whether it is late; None if the database cannot be read."""
    if ticks is None:
        return None
    ages_s = {app: None if age_s is None else round(age_s, 1) for app, age_s in ticks.by_app.items()}
    oldest_s = None if ticks.oldest_s is None else round(ticks.oldest_s, 1)
    return {"age_s": oldest_s, "late": ticks.is_late, "ages_s": ages_s}


urlpatterns = [
    path("live", live, name="health-live"),
    path("ready", ready, name="health-ready"),
    path("tasks", tasks, name="health-tasks"),
]
