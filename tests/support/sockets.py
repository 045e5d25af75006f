"""A server on a socket of 127.0.0.1 whose answers a test writes byte by byte."""

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def serving(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """Have each connection answered, in a thread of its own, within the block. Yields the port."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            answer(self.request)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()
