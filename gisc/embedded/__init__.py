"""The embedded servers: PostgreSQL and Redis from Python packages, kept under the node's data directory.

Used where `DATABASE_URL` and `REDIS_URL` are not set. The settings import this package before Django is set up, so it
reads no setting and imports no app; the packages with the servers are imported when one is started.
"""

from gisc.embedded.folder import ServerFailed, prepare, secret_key
from gisc.embedded.postgres_server import database, database_url, is_running, revive
from gisc.embedded.redis_server import broker_url, redis_command, redis_url

__all__ = [
    "ServerFailed",
    "broker_url",
    "database",
    "database_url",
    "is_running",
    "prepare",
    "redis_command",
    "redis_url",
    "revive",
    "secret_key",
]
