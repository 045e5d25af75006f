"""The provider as it is served: gunicorn with the node's configuration, on the database of the test."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil
from django.conf import settings
from django.db import connection

from tests.support.nodes import answers, environment, free_port
from tests.support.paths import ROOT
from tests.support.waiting import until


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs: where it is, its workers (one, unless more are asked for), what it has written."""

    port: int
    process: psutil.Process
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def workers(self) -> list[psutil.Process]:
        return self.process.children()

    def memory(self) -> int:
        """Bytes that the worker holds in memory."""
        return self.workers[0].memory_info().rss


@contextmanager
def served(folder: Path, **given: str) -> Iterator[Served]:
    """Serve until the block ends; what the test has written must be committed."""
    database = connection.settings_dict
    port = free_port()
    log = folder / "server.txt"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "-c", "python:gisc.gunicorn_conf", "gisc.wsgi"],
            cwd=ROOT,
            env=environment(
                DATABASE_URL=f"postgresql://{database['USER']}:{database['PASSWORD']}@/{database['NAME']}"
                f"?host={quote(database['OPTIONS'].get('host') or database['HOST'], safe='')}&port={database['PORT'] or 5432}",
                GISC_DATA_DIR=str(settings.GISC_DATA_DIR),
                GISC_JOURNAL_DIR=str(settings.GISC_JOURNAL_DIR),
                GISC_NAME=settings.GISC_NAME,
                SECRET_KEY=settings.SECRET_KEY,
                PORT=str(port),
                **({"GISC_WEB_WORKERS": "1", "ALLOWED_HOSTS": "*"} | given),
            ),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            server = Served(port, psutil.Process(process.pid), log)
            until(
                lambda: answers(f"{server.url}/oai?verb=Identify"),
                timeout_s=60,
                what=f"the server answers: {log.read_text()}",
            )
            yield server
        finally:
            process.terminate()
            process.wait(60)
