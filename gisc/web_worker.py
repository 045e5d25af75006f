"""gunicorn's worker with threads, in which public pages have threads of their own, and raw bytes in a URL are read.

With one pool of threads, a crowd on the public pages would stand in one queue with the harvesters of `/oai`. Here a request
for a public page (`gisc/public_pages.py`) is seen by its first bytes and passed on to a second, small pool. Who waits
there occupies no thread; when too many wait, the answer is 503.

gunicorn refuses a URL with raw bytes beyond ASCII, in HTML. Here they are read as if they were percent-encoded, so that
`/oai` answers with the error of the protocol (P7), and a search in UTF-8 finds what it is for. What gunicorn still refuses, in
HTML that quotes the request, gets the headers for browsers that all answers have.
"""

import re
import socket
import struct
from concurrent.futures import Future
from typing import Any

from django.conf import settings
from gunicorn import util
from gunicorn.http import Request, RequestParser
from gunicorn.workers.gthread import _DEFER, DEFAULT_WORKER_DATA_TIMEOUT, TConn, ThreadWorker

from catalogue import seams
from gisc.public_pages import BUSY, RETRY_AFTER_S, is_public

_PEEKED_BYTES = 200  # chosen: method and path
_MOST_WAITING = 64  # chosen: of each process; with 20 ms a page, 55 of them have their turn within ten seconds
_STALLED_S = 10  # chosen: a client that neither sends nor reads so long is cut off
_SILENT_S = (
    2  # chosen: a new connection that sends nothing is closed then, and 5 s; `keepalive` is for those after an answer
)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_PUBLIC = object()
_FOR_BROWSERS = (
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: same-origin\r\n"
)
_REFUSAL = (
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
    f"Access-Control-Allow-Origin: *\r\n{_FOR_BROWSERS}"
    f"Retry-After: {RETRY_AFTER_S}\r\nContent-Length: {len(BUSY) + 1}\r\n\r\n{BUSY}\n"
).encode("ascii")


class _Request(Request):  # type: ignore[misc]
    """A request whose URL may have raw bytes beyond ASCII."""

    def parse_request_line(self, line_bytes: bytes) -> None:
        method, *rest = line_bytes.split(b" ", 2)
        if rest:
            rest[0] = _BEYOND_ASCII.sub(lambda found: b"%%%02X" % found[0][0], rest[0])
        super().parse_request_line(b" ".join((method, *rest)))


class _Parser(RequestParser):  # type: ignore[misc]
    mesg_class = _Request


class _RefusedSocket:
    """The socket of a client, which adds the headers for browsers to the answer that gunicorn itself writes into it."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def sendall(self, answer: bytes) -> None:
        self._sock.sendall(answer.replace(b"\r\n", f"\r\n{_FOR_BROWSERS}".encode("ascii"), 1))


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """A worker with a second pool of threads, for public pages."""

    def init_process(self) -> None:
        self._public_pool = seams.thread_pool(settings.GISC_PUBLIC_THREADS, thread_name_prefix="public")
        self._waiting = 0
        super().init_process()

    def handle(self, conn: TConn) -> Any:
        """Handle a request, in a thread of the first pool; tell the main thread instead if it is for a public page."""
        if not conn.initialized and not conn.wait_for_data(DEFAULT_WORKER_DATA_TIMEOUT):
            return _DEFER  # as gunicorn does: it waits on without a thread
        if conn.parser is None:
            conn.parser = _Parser(conn.cfg, conn.sock, conn.client)
        return _PUBLIC if _asks_for_public_page(conn) else super().handle(conn)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer what is no request of HTTP, or was not answered because of an error in gunicorn."""
        super().handle_error(req, _RefusedSocket(client), addr, exc)

    def finish_request(self, conn: TConn, fs: "Future[Any]") -> None:
        """Pass a request for a public page on to its pool. Runs in the main thread, as the count of those who wait does."""
        if not fs.cancelled() and fs.exception() is None and fs.result() is _PUBLIC:
            self._enqueue_public(conn)
        else:
            super().finish_request(conn, fs)
            if self.pending_conns and self.pending_conns[-1] is conn:
                conn.timeout = seams.monotonic() + _SILENT_S

    def _enqueue_public(self, conn: TConn) -> None:
        if self._waiting >= _MOST_WAITING:
            refused = self.tpool.submit(self._refuse, conn)
            refused.add_done_callback(lambda _: self.method_queue.defer(self._close, conn))
            return
        self._waiting += 1
        answered = self._public_pool.submit(self._handle_public, conn)
        answered.add_done_callback(lambda done: self.method_queue.defer(self._finish_public, conn, done))

    def _finish_public(self, conn: TConn, fs: "Future[Any]") -> None:
        self._waiting -= 1
        super().finish_request(conn, fs)

    def _close(self, conn: TConn) -> None:
        """Close a connection at once: gunicorn would have the main thread wait up to 2 s for the client to close it."""
        self.nr_conns -= 1
        conn.close()

    def _handle_public(self, conn: TConn) -> Any:
        """Handle a request in a thread of the second pool, which no client may occupy by doing nothing."""
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            conn.sock.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", _STALLED_S, 0))
        return super().handle(conn)

    def _refuse(self, conn: TConn) -> None:
        """Answer 503."""
        conn.sock.setblocking(True)
        conn.sock.recv(65536)  # else closing would reset the connection before the client has read the answer
        util.write(conn.sock, _REFUSAL)


def _asks_for_public_page(conn: TConn) -> bool:
    """Whether the first bytes of a request, which stay unread, ask for a public page."""
    if conn.parser is not None and conn.parser.unreader.buf.getvalue():
        return False  # the request was read together with the last one
    try:
        start = conn.sock.recv(_PEEKED_BYTES, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except OSError:
        return False
    _, _, rest = start.decode("latin-1").partition(" ")
    return bool(rest) and is_public(rest.partition(" ")[0].partition("?")[0])
