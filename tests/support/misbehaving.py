"""What the fault table is made of: a link to a provider that misbehaves, and a server that can misbehave below HTTP."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from werkzeug import Response

from harvester.models import Link
from tests.support.provider import Provider, xml
from tests.support.sockets import serving

Arguments = dict[str, str]
# Answers in its own way on the socket, or returns False and leaves it to the server.
Misbehaviour = Callable[[socket.socket, Arguments], bool]


@dataclass
class RawServer:
    """Speaks HTTP by hand, so that an answer can break off, drip or be no HTTP at all."""

    provider: Provider
    misbehaviours: list[Misbehaviour] = field(default_factory=list)
    context: ssl.SSLContext | None = None
    asked: list[Arguments] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    base_url: str = ""

    @contextmanager
    def serving(self) -> Iterator["RawServer"]:
        """Serve on 127.0.0.1 within the block."""
        with serving(self._answer) as port:
            self.base_url = f"{'https' if self.context else 'http'}://127.0.0.1:{port}/oai"
            yield self

    def _answer(self, connection: socket.socket) -> None:
        try:
            if self.context is not None:
                connection = self.context.wrap_socket(connection, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            request = head.decode("latin-1")
            self.heads.append(request)
            arguments = dict(parse_qsl(urlsplit(request.split()[1]).query))
            self.asked.append(arguments)
            for misbehave in self.misbehaviours:
                if misbehave(connection, arguments):
                    return
            connection.sendall(whole(self.provider.say(arguments)))
        except OSError:
            pass  # the client has gone, as it may
        finally:
            connection.close()


def whole(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A well-formed HTTP answer."""
    lines = [
        f"HTTP/1.1 {status}",
        "Content-Type: text/xml",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@dataclass
class World:
    """Where a case happens: a link, complete up to 15 January, to a provider that has five records of 1 February."""

    link: Link
    provider: Provider
    raw: RawServer
    monkeypatch: pytest.MonkeyPatch
    until_end: ExitStack  # what is put in place for the length of the case
    notes: dict[str, Any] = field(default_factory=dict)

    def on_raw_server(self, misbehave: Misbehaviour) -> None:
        """Point the link to the server that can misbehave below HTTP."""
        self.raw.misbehaviours.append(misbehave)
        self.point_to(self.raw.base_url)

    def point_to(self, base_url: str) -> None:
        self.link.base_url = base_url
        self.link.save()

    def replace(self, old: bytes, new: bytes, *, verbs: tuple[str, ...] = ("ListRecords", "GetRecord")) -> None:
        """Have bytes of the provider's answers replaced."""
        self.provider.edits.append(lambda a, body: body.replace(old, new) if a["verb"] in verbs else body)

    def answer(self, when: Callable[[Arguments], bool], with_: Callable[[Arguments], Response | bytes]) -> None:
        """Have requests for which `when` holds answered otherwise."""

        def fault(arguments: Arguments) -> Response | None:
            if not when(arguments):
                return None
            said = with_(arguments)
            return said if isinstance(said, Response) else xml(said)

        self.provider.faults.append(fault)

    def error(self, *codes: str) -> bytes:
        """The body of an answer with these errors."""
        return self.provider.envelope("".join(f'<error code="{code}">{code} it is</error>' for code in codes)).encode()


def listing(arguments: Arguments) -> bool:
    """Any request of a list of records."""
    return arguments.get("verb") == "ListRecords"


def first_page(arguments: Arguments) -> bool:
    return listing(arguments) and "resumptionToken" not in arguments


def later_page(arguments: Arguments) -> bool:
    return listing(arguments) and "resumptionToken" in arguments


def first_time(when: Callable[[Arguments], bool], number: int = 1) -> Callable[[Arguments], bool]:
    """Holds the first `number` times that `when` does."""
    left = number

    def holds(arguments: Arguments) -> bool:
        nonlocal left
        if left and when(arguments):
            left -= 1
            return True
        return False

    return holds
