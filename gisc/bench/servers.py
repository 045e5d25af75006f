"""The web servers of the benchmarks: that of a node, nginx before it, and for comparison a minimal WSGI program.

That program is `$GISC_SHARED/bench/raw_wsgi.py` (default `../shared`).
"""

import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from django.conf import settings

_SHARED = Path(os.environ.get("GISC_SHARED", settings.BASE_DIR.parent / "shared"))


@dataclass(frozen=True, slots=True)
class Server:
    """A running gunicorn; `base` is the path of its OAI-PMH endpoint."""

    name: str
    base: str
    port: int
    process: psutil.Process


def raw(stack: ExitStack, *, page: int) -> Server | None:
    program = _SHARED / "bench" / "raw_wsgi.py"
    if not program.exists():
        return None
    database = settings.DATABASES["default"]
    dsn = f"host={database['OPTIONS']['host']} dbname={database['NAME']} user={database['USER']}"
    command = ["-w", str(settings.GISC_WEB_WORKERS), "-k", "gthread", "--threads", "1", "--no-control-socket"]
    environment = {
        "BENCH_DSN": dsn,
        "BENCH_DRIVER": "psycopg2",
        "BENCH_PAGE": str(page),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return stack.enter_context(
        _gunicorn("raw", "/plain", [*command, "raw_wsgi:application"], environment, program.parent)
    )


@contextmanager
def node(workers: int, *, cached: int, **settings_: str) -> Iterator[Server]:
    command = ["-c", "python:gisc.gunicorn_conf", "-w", str(workers), "gisc.wsgi"]
    # No limit, because the clients send requests as fast as they can.
    environment = {"GISC_REQUESTS_AT_ONCE": "", "LOG_LEVEL": "ERROR", "GISC_READY_RECORDS": str(cached)} | settings_
    with _gunicorn("node", "/oai", command, environment, Path(settings.BASE_DIR)) as server:
        yield server


@contextmanager
def _gunicorn(name: str, base: str, command: list[str], environment: dict[str, str], folder: Path) -> Iterator[Server]:
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", *command, "-b", f"127.0.0.1:{port}", "--log-level", "warning"],
        cwd=folder,
        env=os.environ | environment,
    )
    with _running(Server(name, base, port, psutil.Process(process.pid)), process) as server:
        yield server


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(server: Server, process: "subprocess.Popen[bytes]") -> Iterator[Server]:
    """Wait until a server answers; end its process after the block."""
    try:
        deadline = time.monotonic() + 30
        while not _answers(server):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server {server.name} does not answer")
            time.sleep(0.1)
        yield server
    finally:
        process.terminate()
        process.wait(30)


def _answers(server: Server) -> bool:
    try:
        return bool(get(server, f"{server.base}?verb=ListIdentifiers&metadataPrefix=iso19139"))
    except OSError:
        return False


def get(server: Server, path: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    if response.status != 200 or b"<error" in body[:2000]:
        raise RuntimeError(f"{path} was answered with {response.status}: {body[:500]!r}")
    return body


# --- nginx ------------------------------------------------------------------------------------------

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")  # Debian's package is nginx-light
FILES_OF_NGINX = Path(settings.BASE_DIR) / "docker" / "nginx"
_CONFIGURATION = """
daemon off;
{account}
worker_processes 2;
pid {folder}/nginx.pid;
events {{ worker_connections 500; }}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/cache.conf;
    server {{
        listen 127.0.0.1:{port};
        location = /oai {{
            proxy_pass http://127.0.0.1:{behind};
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            {cached}
        }}
    }}
}}
"""


@contextmanager
def nginx(folder: Path, behind: Server, *, cached: bool) -> Iterator[Server]:
    """Run nginx before a server, with or without the cache of docker/nginx; its files are in a folder that is there."""
    assert NGINX is not None
    port = _free_port()
    for file in ("cache.conf", "cached.conf"):
        text = (FILES_OF_NGINX / file).read_text(encoding="utf-8").replace("/var/cache/nginx", str(folder))
        (folder / file).write_text(text, encoding="utf-8")
    configuration = _CONFIGURATION.format(
        account="user root;" if os.geteuid() == 0 else "",
        folder=folder,
        port=port,
        behind=behind.port,
        cached=f"include {folder}/cached.conf;" if cached else "",
    )
    (folder / "nginx.conf").write_text(configuration, encoding="utf-8")
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    name = "nginx that keeps pages" if cached else "nginx"
    process = subprocess.Popen(command)
    with _running(Server(name, behind.base, port, psutil.Process(process.pid)), process) as server:
        yield server
