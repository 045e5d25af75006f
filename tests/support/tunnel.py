"""An HTTP proxy that makes tunnels (CONNECT) for those who know its password."""

import base64
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.sockets import serving


@dataclass
class Tunnel:
    """`asked`: the targets of those who were let through."""

    user: str = "gisc"
    password: str = "pröxy:s3cret"
    asked: list[str] = field(default_factory=list)
    url: str = ""

    @contextmanager
    def serving(self) -> Iterator["Tunnel"]:
        """Serve on 127.0.0.1 within the block."""
        with serving(self._answer) as port:
            self.url = f"http://127.0.0.1:{port}"
            yield self

    def _answer(self, client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(65536)
            if not piece:
                return
            head += piece
        method, target, _ = head.decode("latin-1").split(maxsplit=2)
        secret = base64.b64encode(f"{self.user}:{self.password}".encode("latin-1"))
        if method != "CONNECT" or b"Proxy-Authorization: Basic " + secret not in head:
            client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        self.asked.append(target)
        host, port = target.rsplit(":", 1)
        with socket.create_connection((host, int(port))) as provider:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            ends = {client: provider, provider: client}
            while True:
                for end in select.select(list(ends), [], [])[0]:
                    piece = end.recv(65536)
                    if not piece:
                        return
                    ends[end].sendall(piece)
