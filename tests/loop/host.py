"""A stand-in for commands of a Debian host, as a test needs them: `sudo`, Debian's tools for clusters, and `systemctl`.

`python -m tests.loop.host NAME [ARGUMENT...]`. The clusters lie in TEST_CLUSTERS, with their configuration in
PG_CLUSTER_CONF_ROOT, and run under the account TEST_ACCOUNT; empty where the test is not run by root: then everything runs
under one account. What systemd would start is not started.
"""

import os
import subprocess
import sys
from pathlib import Path

_OWNERS = ("--owner=", "--group=")


def main(name: str, arguments: list[str]) -> int:
    """Run one command."""
    match name:
        case "sudo":
            _sudo(arguments)
        case "pg_createcluster":
            _pg_createcluster(*arguments)
        case "pg_ctlcluster":
            _pg_ctlcluster(*arguments)
        case "pg_dropcluster":
            os.execv("/usr/bin/pg_dropcluster", ["/usr/bin/pg_dropcluster", *arguments])
        case "systemctl":
            assert arguments[0] in ("daemon-reload", "enable"), arguments
    return 0


def _sudo(arguments: list[str]) -> None:
    account = os.environ["TEST_ACCOUNT"]
    if arguments[0] == "-u":
        assert arguments[1] == "postgres", arguments
        os.chdir("/")
        to_account = ["setpriv", f"--reuid={account}", f"--regid={account}", "--init-groups"] if account else []
        arguments = [*to_account, *arguments[2:]]
    elif not account:
        arguments = [argument for argument in arguments if not argument.startswith(_OWNERS)]
    os.execvp(arguments[0], arguments)


def _pg_createcluster(version: str, cluster: str, *options: str) -> None:
    folder = Path(os.environ["TEST_CLUSTERS"], version)
    places = {"user": os.environ["TEST_ACCOUNT"], "socketdir": os.environ["PGHOST"], "datadir": str(folder / cluster)}
    places["logfile"] = str(folder / f"{cluster}.log")
    given = [f"--{name}={value}" for name, value in places.items() if value]
    subprocess.run(["/usr/bin/pg_createcluster", *given, version, cluster, *options], check=True)
    # A server of Debian has the environment that this file gives it, and no other.
    file = Path(os.environ["PG_CLUSTER_CONF_ROOT"], version, cluster, "environment")
    lines = [f"{name} = '{value}'\n" for name, value in os.environ.items() if name.startswith("PGBACKREST_")]
    file.write_text("".join(lines), encoding="utf-8")


def _pg_ctlcluster(version: str, cluster: str, action: str) -> None:
    # Otherwise it asks systemd for a cluster of that name, and writes the pid into the file of that one.
    pid_file = Path(os.environ["TEST_CLUSTERS"], version, f"{cluster}.pid")
    options = [] if action == "stop" else ["-o", f"-c external_pid_file={pid_file}"]
    program = "/usr/bin/pg_ctlcluster"
    os.execv(program, [program, "--skip-systemctl-redirect", *options, version, cluster, action])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
