"""A mail server on a real socket: takes messages by SMTP and keeps them. It refuses, or says nothing, when a test tells it to."""

import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage


class MailServer(socketserver.ThreadingTCPServer):
    """`refuses`: what is answered to MAIL instead of 250. `mails`: those that were taken."""

    allow_reuse_address = daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.mails: list[EmailMessage] = []
        self.refuses = ""
        self.after_taking: Callable[[], object] = lambda: None  # before the sender learns that it was taken
        self.asked = 0

    @property
    def port(self) -> int:
        return self.server_address[1]

    @property
    def titles(self) -> list[str]:
        return [str(mail["Subject"]) for mail in self.mails]


class _Conversation(socketserver.StreamRequestHandler):
    """The few commands of RFC 5321 that a client of Python's smtplib sends."""

    server: MailServer

    def handle(self) -> None:
        self._say("220 test")
        while line := self.rfile.readline():
            verb = line[:4].decode().upper().strip()
            if verb == "QUIT":
                self._say("221 bye")
                return
            if verb == "DATA":
                self._say("354 go on")
                self._take()
            elif verb == "MAIL":
                self.server.asked += 1
                self._say(self.server.refuses or "250 ok")
            else:
                self._say("250 ok")

    def _take(self) -> None:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b".") else line)
        mail = message_from_bytes(b"".join(lines), policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.server.mails.append(mail)
        self.server.after_taking()
        self._say("250 taken")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Serve until the block ends."""
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
