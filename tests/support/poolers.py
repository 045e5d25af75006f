"""PgBouncer, of Debian, in front of a PostgreSQL."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.nodes import free_port
from tests.support.waiting import until

_PGBOUNCER = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
needs_pgbouncer = pytest.mark.skipif(
    _PGBOUNCER is None, reason="PgBouncer is not installed (apt-get install pgbouncer)"
)


@contextmanager
def pooler(folder: Path, database: str, mode: str) -> Iterator[str]:
    """PgBouncer in front of a database; yields the URL through it."""
    parts = urlsplit(database)
    user, name, port = parts.username, parts.path[1:], free_port()
    host, its_port = parts.hostname or parse_qs(parts.query)["host"][0], parts.port or 5432
    folder.mkdir()
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(
        f"[databases]\n{name} = host={host} port={its_port} user={user}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        f"unix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = 8\nignore_startup_parameters = options\n",
        encoding="ascii",
    )
    account: dict[str, Any] = {}
    if os.geteuid() == 0:  # it refuses to run as root; the server's socket is for this account alone
        owner = pwd.getpwnam("pgserver")
        account = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    for path in (folder, *folder.parents) if account else ():
        if not path.stat().st_mode & 0o001:
            path.chmod(path.stat().st_mode | 0o011)
    configuration.chmod(0o644)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([str(_PGBOUNCER), str(configuration)], stderr=log, stdout=log, **account)
    try:
        until(
            lambda: "process up" in (folder / "log").read_text(encoding="utf-8") or process.poll() is not None,
            60,
            lambda: (folder / "log").read_text(encoding="utf-8"),
        )
        assert process.poll() is None, (folder / "log").read_text(encoding="utf-8")
        yield f"postgresql://{user}@127.0.0.1:{port}/{name}"
    finally:
        process.terminate()
        process.wait(60)
