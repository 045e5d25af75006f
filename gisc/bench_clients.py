"""Clients for `gisc.bench_provider`: ask for the same addresses over so many connections and tell how long it took.

`python -m gisc.bench_clients HOST PORT CONNECTIONS SECONDS ENCODING FILE` prints a JSON object. FILE holds a path with its
query on each line. A process of its own without Django, so that the server's load is not its own. Connections are
kept open where the server keeps them. Time is taken from sending to the last byte; nothing is decompressed.
"""

import http.client
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def ask(host: str, port: int, paths: list[str], start: int, until: float, encoding: str, took: list[float]) -> int:
    """Ask for one path after the other until the time is over; the bytes received. Appends the seconds of each."""
    received = 0
    link = http.client.HTTPConnection(host, port, timeout=120)
    number = start
    while time.perf_counter() < until:
        begun = time.perf_counter()
        link.request("GET", paths[number % len(paths)], headers={"Accept-Encoding": encoding})
        response = link.getresponse()
        body = response.read()
        took.append(time.perf_counter() - begun)
        if response.status != 200 or (response.getheader("Content-Encoding") or "identity") != encoding:
            raise RuntimeError(f"{paths[number % len(paths)]} was answered with {response.status}: {body[:300]!r}")
        received += len(body)
        number += 1
    link.close()
    return received


def main(host: str, port: int, connections: int, seconds: float, encoding: str, paths: list[str]) -> dict[str, object]:
    """Ask over all connections at once, each beginning elsewhere in the list."""
    begun = time.perf_counter()
    took: list[list[float]] = [[] for _ in range(connections)]

    def work(number: int) -> int:
        return ask(host, port, paths, number * len(paths) // connections, begun + seconds, encoding, took[number])

    with ThreadPoolExecutor(connections) as pool:
        received = sum(pool.map(work, range(connections)))
    return {"seconds": time.perf_counter() - begun, "took": [one for each in took for one in each], "bytes": received}


if __name__ == "__main__":
    _host, _port, _connections, _seconds, _encoding, _file = sys.argv[1:]
    _paths = Path(_file).read_text(encoding="ascii").split()
    print(json.dumps(main(_host, int(_port), int(_connections), float(_seconds), _encoding, _paths)))
