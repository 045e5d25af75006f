"""One measurement of `gisc.bench.queue`, in the environment of its node: `... PORT FAST SLOW` makes so many links that are
due at once, waits until each fast one is harvested, and prints a JSON object; then all links are removed again.
"""

import json
import os
import sys
import time
from typing import Any

_LIMIT_S = 900


def measure(port: int, fast: int, slow: int) -> dict[str, Any]:
    """Return how long the fast links took, and the most messages and waiting runs that were seen meanwhile."""
    import redis
    from django.conf import settings

    from catalogue import bootstrap, seams
    from catalogue.writing import set_inclusion
    from harvester.messages import WaitsFor
    from harvester.models import Link, Run
    from harvester.rows import queue

    bootstrap.own_set()
    local = set_inclusion.ensure_set("WIS-GISC-BENCH", name="bench")
    Link.objects.bulk_create(
        Link(
            name=f"{kind} {number}",
            base_url=f"http://127.0.0.1:{port}/{kind}{number}",
            remote_set="",
            local_set=local,
            interval_s=86_400,
            enabled=False,
        )
        for kind, size in (("slow", slow), ("swift", fast))  # opened by name: the slow ones first
        for number in range(size)
    )
    started, messages, asking = time.perf_counter(), 0, 0
    Link.objects.update(enabled=True)
    with redis.Redis.from_url(settings.GISC_REDIS_URL) as client:
        while Run.objects.filter(state=Run.State.DONE, link__name__startswith="swift").count() < fast:
            if time.perf_counter() - started > _LIMIT_S:
                raise RuntimeError("the fast links are not harvested")
            messages = max(messages, _messages(client))
            state = queue.queue_state(seams.now())
            asking = max(asking, state.waiting[WaitsFor.PROVIDER])
            time.sleep(0.25)
    seconds = time.perf_counter() - started
    Link.objects.all().delete()
    return {"seconds": seconds, "messages": messages, "asking": asking}


def _messages(client: Any) -> int:
    return sum(int(client.llen(key)) for key in client.keys("*") if client.type(key) == b"list")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    import django

    django.setup()
    print(json.dumps(measure(*map(int, sys.argv[1:]))))
