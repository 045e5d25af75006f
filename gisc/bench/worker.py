"""The harvester of `gisc.bench.harvest`: a process of its own, with a node and an embedded database of its own.

`python -m gisc.bench.worker prepare BASE_URL SET` arranges the link, `... harvest` asks for its whole list as the task
and the command line do, and prints a JSON object: what it took of this process, of those it started and of PostgreSQL.
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
_EARLY_PAGES = 50  # the memory after so many is set beside the memory at the end


def prepare(base_url: str, spec: str) -> dict[str, Any]:
    """A database of this version, and the link."""
    from catalogue.writing import set_inclusion
    from gisc import database
    from harvester.models import Link

    database.prepare()
    local = set_inclusion.ensure_set(spec, name=spec)
    Link.objects.create(name=LINK, base_url=base_url, remote_set=spec, local_set=local, enabled=False)
    return {}


def harvest() -> dict[str, Any]:
    """Ask for the whole list, in slices as the tasks do; what it took."""
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
    begun, own, helpers, server = time.perf_counter(), time.process_time(), _of_children(), _of_postgresql()
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
        "seconds": time.perf_counter() - begun,
        "cpu_s": time.process_time() - own,
        "helpers_cpu_s": _of_children() - helpers,
        "database_cpu_s": _of_postgresql() - server,
        "early_mib": early,
        "early_pages": early_pages,
        "peak_mib": peak_mib(),
    }


def peak_mib() -> float:
    """The most that this process has ever had in memory."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage tells of a process begins with what its parent had
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _of_children() -> float:
    """CPU seconds of the processes that this one has started, those that live and those that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return _of_tree(psutil.Process()) + ended.ru_utime + ended.ru_stime


def _of_tree(parent: psutil.Process) -> float:
    seconds = 0.0
    for child in parent.children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        # With those that it started and that have ended: the processes that read records are not this one's children.
        seconds += times.user + times.system + times.children_user + times.children_system
    return seconds


def _of_postgresql() -> float:
    """CPU seconds of all processes of the embedded PostgreSQL, which serves nobody else."""
    from django.conf import settings

    pid = int((settings.GISC_DATA_DIR / "postgres" / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
    postmaster = psutil.Process(pid)
    times = postmaster.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system) + _of_tree(postmaster)


def main(action: str, *arguments: str) -> dict[str, Any]:
    """Do what is asked with the embedded database running."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    import django

    django.setup()
    from django.conf import settings

    from gisc import embedded

    with embedded.database(settings.GISC_DATA_DIR):
        return prepare(*arguments) if action == "prepare" else harvest()


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
