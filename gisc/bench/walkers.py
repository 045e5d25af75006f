"""The clients of `gisc.bench.load`: harvesters that read the whole list, and people: `python -m gisc.bench.walkers PORT HARVESTERS PEOPLE FOLDER`.

Each harvester has an address of its own (127.0.1.x), asks for ListRecords from the first page to the last with its own tokens,
and obeys Retry-After. FOLDER/paths.txt has the paths that people ask for, one after the other with a second between them, until
all harvesters have ended. Writes FOLDER/walks.json, FOLDER/identifiers.txt and, for each harvester, FOLDER/seen-N: a byte for each
identifier, how often it was seen. Without Django, so that its memory and its work are not the node's.
"""

import http.client
import json
import re
import sys
import threading
import time
import zlib
from dataclasses import asdict, dataclass, field
from itertools import cycle, islice
from pathlib import Path

_TIMEOUT_S = 120
_PAUSE_S = 1.0
_FIRST = "/oai?verb=ListRecords&metadataPrefix=iso19139"
_IDENTIFIER = re.compile(rb"<header[^>]*>\s*<identifier>([^<]+)</identifier>")
_TOKEN = re.compile(rb"<resumptionToken[^>]*>([^<]+)</resumptionToken>")
_SIZE = re.compile(rb'completeListSize="(\d+)"')
_DATE = re.compile(rb"<responseDate>([^<]+)</responseDate>")
_ERROR = re.compile(rb'<error code="(\w+)"')
_ASKED_FOR = b"Too many"  # how the node begins when it asks a client to wait; what it says when it cannot answer is another sentence


@dataclass
class Client:
    """What one client has met. `waits`: answers that asked it to wait; `faults`: what must not be."""

    name: str
    took_s: list[float] = field(default_factory=list)
    waits: int = 0
    waited_s: float = 0.0
    faults: dict[str, int] = field(default_factory=dict)
    first_date: str = ""
    list_size: int | None = None
    entries: int = 0
    is_complete: bool = False
    seconds: float = 0.0

    def count_fault(self, fault: str) -> None:
        """Count something that must not be."""
        self.faults[fault[:200]] = self.faults.get(fault[:200], 0) + 1


class _Connection:
    """One connection, opened again whenever the server has closed it."""

    def __init__(self, port: int, address: str) -> None:
        self._port, self._address = port, address
        self._http: http.client.HTTPConnection | None = None

    def get(self, path: str, client: Client) -> bytes:
        """The body of an answer, after the waits that the server asks for. Raises OSError if there is no other."""
        while True:
            began = time.perf_counter()
            response, body = self._ask(path)
            took_s = time.perf_counter() - began
            if response.status == 503 and response.headers["Retry-After"] and _ASKED_FOR in body:
                wait_s = float(response.headers["Retry-After"])
                client.waits, client.waited_s = client.waits + 1, client.waited_s + wait_s
                time.sleep(wait_s)
                continue
            client.took_s.append(took_s)
            if response.status != 200:
                raise OSError(f"{response.status} without asking to wait")
            return body

    def _ask(self, path: str) -> tuple[http.client.HTTPResponse, bytes]:
        for last in (False, True):
            if self._http is None:
                source = (self._address, 0)
                self._http = http.client.HTTPConnection("127.0.0.1", self._port, _TIMEOUT_S, source_address=source)
                last = True
            try:
                self._http.request("GET", path, headers={"Accept-Encoding": "gzip", "User-Agent": "gisc-bench-load"})
                response = self._http.getresponse()
                body = response.read()
            except (OSError, http.client.HTTPException):
                self._http.close()
                self._http = None
                if last:  # the connection was new, so nobody had closed it meanwhile as one that is idle
                    raise
                continue
            if response.will_close:
                self._http.close()
                self._http = None
            is_packed = response.headers["Content-Encoding"] == "gzip"
            return response, zlib.decompress(body, zlib.MAX_WBITS | 16) if is_packed else body
        raise AssertionError("unreachable")


@dataclass
class _Numbers:
    """A number for each identifier, the same for all harvesters."""

    by_identifier: dict[bytes, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, identifiers: list[bytes]) -> list[int]:
        with self.lock:
            return [self.by_identifier.setdefault(each, len(self.by_identifier)) for each in identifiers]


def _walk(port: int, number: int, client: Client, numbers: _Numbers, seen: bytearray) -> None:
    """Read the whole list."""
    connection = _Connection(port, f"127.0.1.{number + 1}")
    began = time.monotonic()
    path = _FIRST
    try:
        while True:
            body = connection.get(path, client)
            if error := _ERROR.search(body):
                raise OSError(f"error {error[1].decode()}")
            if not client.first_date:
                client.first_date = _group(_DATE, body)
                client.list_size = int(_group(_SIZE, body) or 0) or None
            found = numbers.of(_IDENTIFIER.findall(body))
            client.entries += len(found)
            if (lacking := max(found, default=-1) + 1 - len(seen)) > 0:
                seen.extend(bytes(lacking))
            for each in found:
                seen[each] = min(seen[each] + 1, 255)
            token = _group(_TOKEN, body)
            if not token:
                break
            path = f"/oai?verb=ListRecords&resumptionToken={token.replace('&amp;', '&')}"
        client.is_complete = True
    except (OSError, http.client.HTTPException, zlib.error) as exc:
        client.count_fault(f"{type(exc).__name__}: {exc}")
    client.seconds = time.monotonic() - began


def _group(pattern: re.Pattern[bytes], body: bytes) -> str:
    found = pattern.search(body)
    return found[1].decode() if found else ""


def _read(port: int, number: int, paths: list[str], client: Client, over: threading.Event) -> None:
    """Ask for pages as a person does, until all harvesters have ended."""
    connection = _Connection(port, f"127.0.2.{number + 1}")
    for path in islice(cycle(paths), number, None):
        try:
            connection.get(path, client)
        except (OSError, http.client.HTTPException, zlib.error) as exc:
            client.count_fault(f"{path.partition('?')[0]}: {type(exc).__name__}: {exc}")
        if over.wait(_PAUSE_S):
            return


def main(port: int, harvesters: int, people: int, folder: Path) -> None:
    """Run all clients to their end, and write what they have met."""
    numbers, over = _Numbers(), threading.Event()
    walks = [(Client(f"harvester {number}"), bytearray()) for number in range(harvesters)]
    readers = [Client(f"reader {number}") for number in range(people)]
    paths = (folder / "paths.txt").read_text(encoding="ascii").split()
    walking = [
        threading.Thread(target=_walk, args=(port, number, client, numbers, seen))
        for number, (client, seen) in enumerate(walks)
    ]
    reading = [
        threading.Thread(target=_read, args=(port, number, paths, client, over))
        for number, client in enumerate(readers)
    ]
    for thread in (*walking, *reading):
        thread.start()
    for thread in walking:
        thread.join()
    over.set()
    for thread in reading:
        thread.join()
    for number, (_, seen) in enumerate(walks):
        (folder / f"seen-{number}").write_bytes(seen)
    identifiers = sorted(numbers.by_identifier, key=numbers.by_identifier.__getitem__)
    (folder / "identifiers.txt").write_bytes(b"\n".join(identifiers))
    written = {"walks": [asdict(client) for client, _ in walks], "readers": [asdict(client) for client in readers]}
    (folder / "walks.json").write_text(json.dumps(written), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
