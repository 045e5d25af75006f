"""The embedded servers: PostgreSQL and Redis from Python packages, with their files in the node's data directory.

They are used if `DATABASE_URL` and `REDIS_URL` are not set. The settings import this package before Django is set up, so
it reads no setting and imports no app; the packages with the servers are imported only to start one. Its sentences are in the
language of the command that asked (`gisc.early_texts`); the keeper, which writes them into the log, is no command and gets English.
"""

from gisc.embedded.folder import (
    ServerFailed,
    forget_former_keys,
    former_keys,
    prepare,
    restrict,
    rotate_key,
    secret_key,
)
from gisc.embedded.postgres_server import database, database_url, is_running, program_folders, restart_if_dead
from gisc.embedded.redis_server import broker_url, has_socket, redis_command, redis_url
from gisc.embedded.reserved_room import give_room, keep_room
from gisc.embedded.server_logs import rotate_broker_log, rotate_database_log

__all__ = [
    "ServerFailed",
    "broker_url",
    "database",
    "database_url",
    "forget_former_keys",
    "former_keys",
    "give_room",
    "has_socket",
    "is_running",
    "keep_room",
    "prepare",
    "program_folders",
    "redis_command",
    "redis_url",
    "restart_if_dead",
    "restrict",
    "rotate_broker_log",
    "rotate_database_log",
    "rotate_key",
    "secret_key",
]
