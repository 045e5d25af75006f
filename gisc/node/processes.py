"""The processes of a node, and the configuration by which the package `supervisor` starts and stops them."""

import os
import shlex
from pathlib import Path

from django.conf import settings

from gisc import embedded, installation

# A stop ends web server, worker and beat together, then the embedded servers: 6 s and 2 s at worst.
_STOP_WAIT_S = 6
# Children flush each line, and take memory from one arena of glibc: each thread of a run would else begin one of its own, and what it
# frees stays there. Measured: docs/benchmarks.md. What the environment says of a name goes before this. Containers have the same (Dockerfile).
ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "MALLOC_ARENA_MAX": "1"}


def _programs() -> dict[str, list[list[str]]]:
    """Return the programs of the node by supervisor group: name and command of each."""
    celery = installation.module("celery", "-q", "-A", "gisc.node.worker")
    return {
        "servers": [
            *([["postgres", *installation.module("gisc.node.keeper")]] if settings.GISC_EMBEDDED_DATABASE else []),
            *([["redis", *embedded.redis_command(settings.GISC_DATA_DIR)]] if settings.GISC_EMBEDDED_REDIS else []),
        ],
        "node": [
            ["web", *installation.module("gunicorn", "-c", "python:gisc.gunicorn_conf", "gisc.wsgi")],
            [
                "worker",
                *celery,
                "worker",
                f"--hostname={settings.GISC_NAME}-{settings.PORT}@%h",
                f"--concurrency={settings.GISC_HARVEST_WORKERS}",
                "--without-gossip",
                "--without-mingle",
            ],
            ["beat", *celery, "beat", "--pidfile="],
            *([["backup", *installation.command("backup", "--schedule")]] if settings.GISC_BACKUP_DIR else []),
            *([["watch", *_watch_command()]] if settings.GISC_WATCH_FOLDER else []),
        ],
    }


def _watch_command() -> list[str]:
    into = ["--set", settings.GISC_WATCH_SET] if settings.GISC_WATCH_SET else []
    return installation.command("ingest", "--watch", str(Path(settings.GISC_WATCH_FOLDER).resolve()), *into)


def write_configuration(file: Path) -> None:
    """Write supervisor's configuration. It has no secrets: the children get them from the environment."""
    lines = [
        "; Written by gisc/node/processes.py at each start.",
        "[supervisord]",
        "nodaemon = true",
        "nocleanup = true",
        "logfile = /dev/null",
        "logfile_maxbytes = 0",
        f"pidfile = {_escaped(str(file.with_suffix('.pid')))}",
    ]
    environment = ",".join(f'{name}="{value}"' for name, value in ENVIRONMENT.items() if not os.environ.get(name))
    for priority, (group, programs) in enumerate(_programs().items(), start=1):
        if not programs:
            continue
        # Groups start in the order of rising priority and stop, one after the other, in the order of falling priority.
        lines += ["", f"[group:{group}]", f"programs = {','.join(name for name, *_ in programs)}"]
        lines += [f"priority = {priority}"]
        for name, *command in programs:
            lines += [
                "",
                f"[program:{name}]",
                f"command = {_escaped(shlex.join(command))}",
                f"directory = {_escaped(str(settings.BASE_DIR))}",
                f"environment = {environment}",
                "autorestart = true",
                # A child that ends sooner is started again after a pause, which grows by one second each time.
                "startsecs = 5",
                "startretries = 1000000",
                "stopsignal = TERM",
                f"stopwaitsecs = {_STOP_WAIT_S}",
                "killasgroup = true",
                "redirect_stderr = true",
                "stdout_logfile = /dev/null",
                "stdout_logfile_maxbytes = 0",
            ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _escaped(text: str) -> str:
    return text.replace("%", "%%")
