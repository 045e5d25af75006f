"""An SNTP server on a real UDP socket, whose clock a test sets."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SINCE_1900_S = 2_208_988_800


class SntpServer:
    """A server whose clock is `ahead_s` ahead of this host's, and which does not answer while it `is_silent`."""

    def __init__(self, udp: socket.socket) -> None:
        self._udp = udp
        self.ahead_s = 0.0
        self.is_silent = False
        self.address = f"127.0.0.1:{udp.getsockname()[1]}"

    def run(self) -> None:
        while True:
            asked, peer = self._udp.recvfrom(512)
            if not asked:
                return
            if self.is_silent:
                continue
            stamp = int((time.time() + _SINCE_1900_S + self.ahead_s) * 2**32)
            head = struct.pack(
                "!BBbb11I", 0x24, 1, 6, -20, 0, 0, 0, 0, 0, *struct.unpack("!2I", asked[40:48]), 0, 0, 0, 0
            )
            self._udp.sendto(head[:32] + struct.pack("!QQ", stamp, stamp), peer)


@contextmanager
def sntp_server() -> Iterator[SntpServer]:
    """Serve until the block ends; then the port is silent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        server = SntpServer(udp)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
                last.sendto(b"", udp.getsockname())
            thread.join(10)
