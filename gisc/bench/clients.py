"""HTTP clients for `gisc.bench.provider`: get the same paths over several connections and measure the time.

`python -m gisc.bench.clients HOST PORT CONNECTIONS SECONDS ENCODING FILE` prints a JSON object. FILE has a path with its
query on each line. This is a separate process without Django, so that its load is not the server's. One thread and one
buffer serve all connections, so that clients do not wait for each other. Connections stay open if the server keeps them
open. Time is measured from sending to the last byte; nothing is decompressed.
"""

import json
import selectors
import socket
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

_BUFFER = memoryview(bytearray(1 << 20))
_TIMEOUT_S = 120


class Connection:
    """One connection, which gets one path after the other; `took` are the seconds of each answer."""

    def __init__(self, address: tuple[str, int], encoding: str, paths: Iterator[str]) -> None:
        self._address, self._encoding, self._paths = address, encoding, paths
        self.took: list[float] = []
        self.received = self.refused = 0
        self.connect()

    def connect(self) -> None:
        """Connect, or connect again after the server has closed the connection."""
        self.socket = socket.create_connection(self._address, _TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self) -> None:
        """Send the next request."""
        self._path, self._head, self._left = next(self._paths), b"", 0
        request = f"GET {self._path} HTTP/1.1\r\nHost: {self._address[0]}\r\nAccept-Encoding: {self._encoding}\r\n\r\n"
        self._started = time.perf_counter()
        self.socket.sendall(request.encode("ascii"))

    def receive(self) -> bool:
        """Receive a part of the answer; return whether it is complete. Raises RuntimeError for a wrong answer."""
        count = self.socket.recv_into(_BUFFER)
        if not count:
            raise RuntimeError(f"{self._path}: the connection was closed before the answer was complete")
        self.received += count
        if not self._left:
            self._head += bytes(_BUFFER[:count])
            head, found, body = self._head.partition(b"\r\n\r\n")
            if not found:
                return False
            self._left, count = self._length(head.decode("latin-1")), len(body)
        self._left -= count
        if self._left > 0:
            return False
        self.took.append(time.perf_counter() - self._started)
        return True

    def _length(self, head: str) -> int:
        status, *lines = head.split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        self.refused += " 503 " in status
        if not (" 200 " in status or " 503 " in status) or fields.get("content-encoding", "identity") != self._encoding:
            raise RuntimeError(f"{self._path} was answered with:\n{head}")
        self.closes = fields.get("connection", "").lower() == "close"
        return int(fields["content-length"])


def main(host: str, port: int, connections: int, seconds: float, encoding: str, paths: list[str]) -> dict[str, object]:
    """Send requests over all connections at once, each starting at another path of the list."""
    all_connections = [
        Connection((host, port), encoding, islice(cycle(paths), number * len(paths) // connections, None))
        for number in range(connections)
    ]
    started = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        for client in all_connections:
            selector.register(client.socket, selectors.EVENT_READ, client)
            client.send()
        while selector.get_map():
            events = selector.select(_TIMEOUT_S)
            if not events:
                raise RuntimeError(f"the server has sent nothing for {_TIMEOUT_S} s")
            for key, _ in events:
                client = key.data
                if not client.receive():
                    continue
                over = time.perf_counter() - started > seconds
                if over or client.closes:
                    selector.unregister(client.socket)
                    client.socket.close()
                if over:
                    continue
                if client.closes:
                    client.connect()
                    selector.register(client.socket, selectors.EVENT_READ, client)
                client.send()
    took = [seconds for client in all_connections for seconds in client.took]
    return {
        "seconds": time.perf_counter() - started,
        "took": took,
        "refused": sum(client.refused for client in all_connections),
        "bytes": sum(client.received for client in all_connections),
    }


if __name__ == "__main__":
    _host, _port, _connections, _seconds, _encoding, _file = sys.argv[1:]
    _paths = Path(_file).read_text(encoding="ascii").split()
    print(json.dumps(main(_host, int(_port), int(_connections), float(_seconds), _encoding, _paths)))
