"""Try a stylesheet before harvesters get it: on the sample records that ship, and on the newest of the catalogue."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from catalogue.documents import iso19139, xml_tree
from catalogue.documents.sources import SAMPLES
from catalogue.models import Record
from catalogue.reading import lists
from oaiprovider.formats import sandbox, stylesheet
from oaiprovider.formats.stylesheet import Stylesheet

NEWEST = 20  # chosen: as many records of the catalogue are tried
LONGEST_S = 30.0  # chosen: an operator waits for it
SLOWEST_S = 0.5  # chosen: a quarter of what ends a helper, and a page of a hundred such records takes a minute
_FAULTS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it. With `faults` the stylesheet is refused; `warnings` name records that will lack the format."""

    faults: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    records: int = 0
    slowest_s: float = 0.0


def run(text: str, *, namespace: str, schema: str) -> Trial:
    """Try a stylesheet as it was uploaded."""
    faults = stylesheet.faults(text)
    if faults:
        return Trial(tuple(faults))
    made_with = Stylesheet.of(text, namespace, schema)
    with contextlib.suppress(sandbox.Failed, sandbox.Busy):
        sandbox.transform(made_with, b"<a/>", "urn:a")  # so that no record is charged for the start of a helper
    warnings: list[str] = []
    times: list[float] = []
    started = time.perf_counter()
    for name, payload, is_sample in _records():
        begun = time.perf_counter()
        if begun - started > LONGEST_S:
            faults.append(f"The trial took more than {LONGEST_S:g} s, with {len(times)} records done.")
            break
        try:
            sandbox.transform(made_with, payload, iso19139.read(payload).identifier)
        except sandbox.Unusable as exc:
            return Trial((f"The stylesheet does not compile: {exc}.",))
        except sandbox.Busy as exc:
            return Trial((f"The trial could not be ended, because this machine is too busy: {exc}. Try again.",))
        except sandbox.Failed as exc:
            (faults if is_sample else warnings).append(f"{name}: the stylesheet {_sentence(exc)}")
            if len(faults) == _FAULTS_SHOWN:
                break
        times.append(time.perf_counter() - begun)
    slowest = max(times, default=0.0)
    if not faults and slowest > SLOWEST_S:
        faults.append(
            f"The slowest record took {slowest:.1f} s; at most {SLOWEST_S:g} s are allowed, or lists stand still."
        )
    return Trial(tuple(faults), tuple(warnings), len(times), slowest)


def _records() -> Iterator[tuple[str, bytes, bool]]:
    """Name, payload, and whether it is one of the samples: the stylesheet must do with those."""
    for file in sorted(SAMPLES.glob("*/*.xml")):
        yield f"sample {file.parent.name}/{file.name}", xml_tree.root_element(file.read_bytes()), True
    newest = Record.objects.filter(deleted=False).order_by("-datestamp", "-pk").values_list("identifier", flat=True)
    for identifier in newest[:NEWEST]:
        record = lists.find(identifier)
        if record is not None and record.payload is not None:
            yield identifier, record.payload, False


def _sentence(exc: sandbox.Failed) -> str:
    """What failed, as the end of a sentence that begins with the stylesheet."""
    text = str(exc)
    return f"{text}." if text.startswith(("makes", "takes", "needs")) else f"ends with: {text}."
