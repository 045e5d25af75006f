"""Read XML that costs far more than its size, each piece in a child with limits: a program, `python -m tests.support.bomb_squad`.

Standard input: lines of JSON, `[how it is read, kind of shape, name or seed]`. Standard output: for each of them what it
cost and what became of it. The entry points are those of the product.
"""

import json
import os
import resource
import sys
import tempfile
from pathlib import Path

import django

from tests.support import bombs

CPU_S, MEMORY_MB = 2, 500
_SAFETY_BYTES = 3 * 1024**3  # of addresses, so that a failure does not take the machine with it


def as_document(content: bytes) -> str:
    """Ingest: one document."""
    from catalogue.payloads import payload
    from catalogue.reasons import Reason
    from catalogue.writing import read_document

    result = read_document.read_or_describe_fault(content, None)  # here, so that its cost is measured
    if isinstance(result, Reason):
        return str(result.code)
    assert isinstance(result, read_document.ParsedDocument)
    payload.pack(result.element_of(content))
    return "stored"


def as_file(content: bytes) -> str:
    """Ingest: a file, which may be a saved answer."""
    from catalogue.documents import sources

    with tempfile.TemporaryDirectory() as folder:
        (file := Path(folder) / "a.xml").write_bytes(content)
        found = [
            str(each.fault.code) if each.fault else as_document(each.content) for each in sources.documents([file])
        ]
    return " ".join(found[-2:])


def as_answer(content: bytes) -> str:
    """Harvest: an answer, parsed, repaired, checked and prepared."""
    from harvester.errors import HarvestError
    from harvester.protocol import answers, list_checks, names, repair
    from harvester.runs import prepare_entries

    verbs = ("ListIdentifiers", "ListSets", "Identify")
    verb = next((verb for verb in verbs if f"<{verb}>".encode() in content[:1000]), "ListRecords")
    try:
        if verb == "ListSets":
            return f"{len(answers.parse_sets(content)[0])} sets"
        if verb == "Identify":
            return f"{len(answers.parse_identify(content).friends)} friends"
        page = repair.read_page(content, verb=verb, continued=False)
        page = list_checks.ListChecker().check(page)
        for each in page.entries:
            names.identify(each)
        if verb == "ListIdentifiers":
            return f"{len(page.entries)} headers"
        source = prepare_entries.EntrySource("a", "http://p/", False, False, "2024-01-01T00:00:00Z")
        prepared = prepare_entries.prepare_page(page.entries, source, {})
    except HarvestError as exc:
        return f"{type(exc).__name__} {exc.code}"
    good = bombs.GOOD in [entry.identifier for _, entry in prepared.checked]
    reasons = {str(refusal.reason.code) for _, refusal in prepared.refused}
    return f"{len(prepared.checked)} stored{' good' * good} {' '.join(sorted(reasons))}".strip()


READERS = {"document": as_document, "file": as_file, "answer": as_answer}


def make(kind: str, name: str | int) -> bytes:
    """The content that a line of the input names."""
    if kind == "mixture":
        return bombs.mixture(int(name), bombs.SIZE)
    if kind == "mixture in a record":
        return bombs.record(bombs.mixture(int(name), bombs.SIZE))
    if kind == "mixture in a page":
        return bombs.answer(bombs.mixture(int(name), bombs.SIZE))
    if kind == "record in a page":
        return bombs.beside_a_good_record(bombs.RECORDS[str(name)](bombs.SIZE))
    return {"record": bombs.RECORDS, "page": bombs.PAGES}[kind][str(name)](bombs.SIZE)


def run(how: str, content: bytes) -> tuple[float, float, str]:
    """Read the content in a child: its CPU time in s, its memory in MB, and what became of the content."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (4 * CPU_S, 4 * CPU_S))
        resource.setrlimit(resource.RLIMIT_AS, (_SAFETY_BYTES, _SAFETY_BYTES))
        try:
            outcome = READERS[how](content)
        except BaseException as exc:
            outcome = f"CRASH {type(exc).__name__}: {exc}"[:300]
        os.write(writing, outcome[:3000].encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        outcome = pipe.read().decode()
    _, status, usage = os.wait4(child, 0)
    outcome = outcome if status == 0 else f"KILLED by signal {os.WTERMSIG(status)}"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, outcome


def main() -> None:
    """Read the lines of the standard input."""
    django.setup()
    from catalogue.payloads import payload

    payload._cache.newest = payload.NewestDictionary(0, b"")  # the children have no database
    payload._cache.refreshed = float("inf")
    for reader in READERS.values():
        reader(bombs.record())  # imports everything
    for line in sys.stdin:
        how, kind, name = json.loads(line)
        print(json.dumps([how, kind, name, *run(how, make(kind, name))]), flush=True)


if __name__ == "__main__":
    main()
