"""The harvester of `gisc.bench.harvest`: a separate process, with its own node and embedded database.

`python -m gisc.bench.worker prepare BASE_URL SET` adds the link; `... harvest` harvests its whole list as the task and
the command line do, and prints a JSON object: CPU time of this process, of its children and of PostgreSQL, and memory.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import psutil

LINK = "provider"
_EARLY_PAGES = 50  # the memory after so many pages is compared with the memory at the end


def prepare(base_url: str, spec: str) -> dict[str, Any]:
    """Migrate the database and add the link."""
    from catalogue.writing import set_inclusion
    from gisc import database
    from harvester.models import Link

    database.prepare()
    local = set_inclusion.ensure_set(spec, name=spec)
    Link.objects.create(name=LINK, base_url=base_url, remote_set=spec, local_set=local, enabled=False)
    return {}


def harvest() -> dict[str, Any]:
    """Harvest the whole list, in slices as the tasks do; return the measurements."""
    from harvester.models import Link, Run
    from harvester.monitoring.status import COUNTERS
    from harvester.runs import lifecycle

    early, early_pages = 0.0, 0

    def progress(run: Run) -> None:
        nonlocal early, early_pages
        if run.pages <= _EARLY_PAGES:
            early, early_pages = peak_mib(), run.pages

    run = lifecycle.open_run(Link.objects.get(name=LINK), trigger="benchmark", full=True)
    assert run is not None
    started, cpu_started = time.perf_counter(), time.process_time()
    children_started, database_started = _children_cpu_s(), _postgresql_cpu_s()
    while run.is_open:
        lifecycle.work(run.pk, progress=progress)
        run.refresh_from_db()
        if run.is_open and run.message:
            raise RuntimeError(run.message)
    return {
        "state": run.state,
        "message": run.message,
        **{name: getattr(run, name) for name in COUNTERS},
        "pages": run.pages,
        "seconds": time.perf_counter() - started,
        "cpu_s": time.process_time() - cpu_started,
        "helpers_cpu_s": _children_cpu_s() - children_started,
        "database_cpu_s": _postgresql_cpu_s() - database_started,
        "early_mib": early,
        "early_pages": early_pages,
        "peak_mib": peak_mib(),
    }


def peak_mib() -> float:
    """Return the peak memory of this process."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage also counts the memory of the parent before exec
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _children_cpu_s() -> float:
    """Return the CPU seconds of the children of this process, running or ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return _tree_cpu_s(psutil.Process()) + ended.ru_utime + ended.ru_stime


def _tree_cpu_s(parent: psutil.Process) -> float:
    seconds = 0.0
    for child in parent.children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        # With ended children of the child: the processes that read records are not direct children of this one.
        seconds += times.user + times.system + times.children_user + times.children_system
    return seconds


def _postgresql_cpu_s() -> float:
    """Return the CPU seconds of all processes of the embedded PostgreSQL."""
    from django.conf import settings

    pid = int((settings.GISC_DATA_DIR / "postgres" / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
    postmaster = psutil.Process(pid)
    times = postmaster.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system) + _tree_cpu_s(postmaster)


def main(action: str, *arguments: str) -> dict[str, Any]:
    """Prepare or harvest, with the embedded database running."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    import django

    django.setup()
    from django.conf import settings

    from gisc import embedded

    with embedded.database(settings.GISC_DATA_DIR):
        return prepare(*arguments) if action == "prepare" else harvest()


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
