"""A proxy in front of a node: passes bytes between its own port and the node's, and ends when a test says so."""

import select
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.support.nodes import free_port


class Forwarder:
    """Listens to `port` of 127.0.0.1 while it runs. What goes through it ends with it, connections that stay open too."""

    def __init__(self, to_port: int) -> None:
        self.port = free_port()
        self._to_port = to_port
        self._open: set[socket.socket] = set()
        self._server: socketserver.ThreadingTCPServer | None = None

    def start(self) -> None:
        """Listen, in a thread."""
        pass_on = self._pass_on

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                pass_on(self.request)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True
            block_on_close = False

        self._server = Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Listen no more: who comes is refused."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for client in list(self._open):
            with suppress(OSError):  # it has ended meanwhile
                client.shutdown(socket.SHUT_RDWR)

    def _pass_on(self, client: socket.socket) -> None:
        self._open.add(client)
        try:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._to_port), timeout=5) as node:
                _pass_on(client, node)
        finally:
            self._open.discard(client)


def _pass_on(client: socket.socket, node: socket.socket) -> None:
    ends = {client: node, node: client}
    while True:
        for end in select.select(list(ends), [], [])[0]:
            piece = end.recv(65536)
            if not piece:
                return
            ends[end].sendall(piece)


@contextmanager
def forwarding(to_port: int) -> Iterator[Forwarder]:
    """Run a proxy within the block."""
    forwarder = Forwarder(to_port)
    forwarder.start()
    try:
        yield forwarder
    finally:
        forwarder.stop()
