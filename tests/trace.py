"""Count what a piece of work touches: functions, files, and changes of file, over all threads (`sys.setprofile`).

Functions are those with a name: what a comprehension or a lambda does belongs to the function that it stands in.
`python -m tests.trace` prints the walks of one harvested record and of one ListRecords, call by call with `--calls`.
"""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1]
APPS = tuple(f"{ROOT / app}{os.sep}" for app in ("catalogue", "oaiprovider", "harvester", "gisc"))
CALLS = "TRACE_CALLS"  # an environment variable: a file to write the calls to


@dataclass(slots=True)
class Trace:
    """Calls of product functions, in their order within each thread."""

    calls: dict[int, list[CodeType]] = field(default_factory=dict)
    arguments: Counter[tuple[str, object]] = field(
        default_factory=Counter
    )  # function and first argument, where asked for

    @property
    def functions(self) -> int:
        """How many different functions were called."""
        return len({code for thread in self.calls.values() for code in thread})

    @property
    def files(self) -> int:
        return len({code.co_filename for thread in self.calls.values() for code in thread})

    @property
    def changes_of_file(self) -> int:
        """How often a call was of a function in another file than the call before it in the same thread."""
        return sum(
            before.co_filename != after.co_filename
            for thread in self.calls.values()
            for before, after in zip(thread, thread[1:], strict=False)
        )

    def count(self, qualified_name: str) -> int:
        """How often functions of this name were called."""
        return sum(code.co_qualname == qualified_name for thread in self.calls.values() for code in thread)

    def lines(self) -> Iterator[str]:
        """Each call as `file:function`, thread by thread."""
        for number, thread in enumerate(self.calls.values()):
            for code in thread:
                yield f"{number} {Path(code.co_filename).relative_to(ROOT)}:{code.co_qualname}"

    def __str__(self) -> str:
        return f"{self.changes_of_file:4d} changes of file, {self.functions:4d} functions, {self.files:3d} files"


@contextmanager
def traced(*with_arguments: str) -> Iterator[Trace]:
    """Trace this thread and all that begin meanwhile, for the length of the block.

    `with_arguments`: names of functions whose first arguments are counted.
    """
    trace = Trace()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(APPS) and not code.co_name.startswith("<"):
            trace.calls.setdefault(threading.get_ident(), []).append(code)
            if code.co_qualname in with_arguments:
                trace.arguments[code.co_qualname, frame.f_locals[code.co_varnames[0]]] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def report(what: str, trace: Trace) -> None:
    """Print the figures of a walk, and write its calls where the environment asks for it."""
    print(f"\n{what:40} {trace}")
    if os.environ.get(CALLS):
        with Path(os.environ[CALLS]).open("a", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in (f"# {what}: {trace}", *trace.lines()))


if __name__ == "__main__":
    tests = ["tests/harvester/runs/test_walk.py", "tests/oaiprovider/lists/test_walk.py"]
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-q", "-s", *tests], cwd=ROOT))
