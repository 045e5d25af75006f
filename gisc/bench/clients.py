"""Clients for `gisc.bench.provider`: ask for the same addresses over so many connections and tell how long it took.

`python -m gisc.bench.clients HOST PORT CONNECTIONS SECONDS ENCODING FILE` prints a JSON object. FILE holds a path with its
query on each line. A process of its own without Django, so that the server's load is not its own; and one thread and one
buffer for all connections, so that clients which wait for each other are not what is measured. Connections are kept
open where the server keeps them. Time is taken from sending to the last byte; nothing is decompressed.
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
_PATIENCE_S = 120


class Connection:
    """One connection, which asks for one path after the other; `took` are the seconds of each answer."""

    def __init__(self, address: tuple[str, int], encoding: str, paths: Iterator[str]) -> None:
        self._address, self._encoding, self._paths = address, encoding, paths
        self.took: list[float] = []
        self.received = 0
        self.connect()

    def connect(self) -> None:
        """Connect, anew where the server has closed the connection after its answer."""
        self.socket = socket.create_connection(self._address, _PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self) -> None:
        """Send the next request."""
        self._path, self._head, self._left = next(self._paths), b"", 0
        request = f"GET {self._path} HTTP/1.1\r\nHost: {self._address[0]}\r\nAccept-Encoding: {self._encoding}\r\n\r\n"
        self._begun = time.perf_counter()
        self.socket.sendall(request.encode("ascii"))

    def receive(self) -> bool:
        """Take what has come of the answer; whether that was the rest. Raises RuntimeError where it is not as asked."""
        count = self.socket.recv_into(_BUFFER)
        if not count:
            raise RuntimeError(f"{self._path}: the connection was closed before the answer was whole")
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
        self.took.append(time.perf_counter() - self._begun)
        return True

    def _length(self, head: str) -> int:
        status, *lines = head.split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if " 200 " not in status or fields.get("content-encoding", "identity") != self._encoding:
            raise RuntimeError(f"{self._path} was answered with:\n{head}")
        self.closes = fields.get("connection", "").lower() == "close"
        return int(fields["content-length"])


def main(host: str, port: int, connections: int, seconds: float, encoding: str, paths: list[str]) -> dict[str, object]:
    """Ask over all connections at once, each beginning elsewhere in the list."""
    every = [
        Connection((host, port), encoding, islice(cycle(paths), number * len(paths) // connections, None))
        for number in range(connections)
    ]
    begun = time.perf_counter()
    with selectors.DefaultSelector() as waiting:
        for one in every:
            waiting.register(one.socket, selectors.EVENT_READ, one)
            one.ask()
        while waiting.get_map():
            come = waiting.select(_PATIENCE_S)
            if not come:
                raise RuntimeError(f"the server has sent nothing for {_PATIENCE_S} s")
            for key, _ in come:
                one = key.data
                if not one.receive():
                    continue
                over = time.perf_counter() - begun > seconds
                if over or one.closes:
                    waiting.unregister(one.socket)
                    one.socket.close()
                if over:
                    continue
                if one.closes:
                    one.connect()
                    waiting.register(one.socket, selectors.EVENT_READ, one)
                one.ask()
    took = [seconds for one in every for seconds in one.took]
    return {"seconds": time.perf_counter() - begun, "took": took, "bytes": sum(one.received for one in every)}


if __name__ == "__main__":
    _host, _port, _connections, _seconds, _encoding, _file = sys.argv[1:]
    _paths = Path(_file).read_text(encoding="ascii").split()
    print(json.dumps(main(_host, int(_port), int(_connections), float(_seconds), _encoding, _paths)))
