"""The process that runs the servers of a test run: `python -m tests.support.serving DATA_DIR [postgres] [redis]`.

It prints `ready`, runs until its stdin is closed, which every end of the test run does, and then removes the data
directory.
"""

import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import redis

from gisc import embedded
from tests.support.waiting import until


def main(data_dir: Path, servers: list[str]) -> None:
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, data_dir, ignore_errors=True)
        if "postgres" in servers:
            stack.enter_context(embedded.database(data_dir, durable=False))
        if "redis" in servers:
            server = subprocess.Popen(
                embedded.redis_command(data_dir), stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
            )
            stack.callback(server.wait, timeout=60)
            stack.callback(server.terminate)
            client = stack.enter_context(redis.Redis.from_url(embedded.redis_url(data_dir)))
            until(lambda: answers(client), timeout_s=60, what="the embedded Redis answers")
        print("ready", flush=True)
        sys.stdin.read()


def answers(client: redis.Redis) -> bool:
    """Whether Redis answers; False while it starts."""
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
