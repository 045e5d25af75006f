"""Try a stylesheet before it is offered: on the shipped sample records and on the newest records of the catalogue."""

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from catalogue import seams
from catalogue.documents import iso19139, xml_tree
from catalogue.documents.sources import SAMPLES
from catalogue.models import Record
from catalogue.reading import lists
from catalogue.reading.scopes import WITH_HIDDEN
from oaiprovider.formats import sandbox, stylesheet
from oaiprovider.formats.stylesheet import Stylesheet


@dataclass(frozen=True, slots=True)
class TrialLimits:
    """How much is tried, and how long it may take."""

    newest: int = 20  # chosen: number of records of the catalogue
    total_s: float = 30.0  # chosen: an operator waits for the whole trial
    # Of processor time. Chosen: a quarter of `cpu_s` of the sandbox; a page of a hundred such records takes a minute.
    record_s: float = 0.5
    faults: int = 5  # that are reported
    shown: int = 12  # chosen: records whose results are shown beside one another


DEFAULTS = TrialLimits()


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial. With `faults` the stylesheet is refused; `warnings` name records that will lack the format.

    `slowest_s`: of processor time.
    """

    faults: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    records: int = 0
    slowest_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Tried:
    """One record that a stylesheet was tried on: what went in, what came out, or a sentence that says why nothing did."""

    identifier: str
    stored: bytes
    result: bytes = b""
    fault: str = ""
    took_ms: float = 0.0


def try_each(
    text: str, identifiers: Iterable[str], *, namespace: str, schema: str, limits: TrialLimits = DEFAULTS
) -> list[Tried]:
    """Try a stylesheet in which `stylesheet.faults` found nothing on these records, as long as the time lasts."""
    candidate = Stylesheet.of(text, namespace, schema)
    started = seams.monotonic()
    return [
        _try_one(candidate, identifier, in_time=seams.monotonic() - started <= limits.total_s)
        for identifier in list(dict.fromkeys(identifiers))[: limits.shown]
    ]


def _try_one(candidate: Stylesheet, identifier: str, *, in_time: bool) -> Tried:
    record = lists.find(identifier, WITH_HIDDEN)
    if record is None or record.payload is None:
        return Tried(identifier, b"", fault=gettext("There is no live record with this identifier."))
    if not in_time:
        return Tried(identifier, record.payload, fault=gettext("It was not tried: the records before took too long."))
    started = seams.monotonic()
    try:
        result = sandbox.transform(candidate, record.payload, record.identifier)
    except sandbox.StylesheetUnusable as exc:
        return Tried(identifier, record.payload, fault=_not_compiled(exc))
    except sandbox.SandboxBusy as exc:
        return Tried(
            identifier, record.payload, fault=gettext("This machine is too busy: {exc}. Try again.").format(exc=exc)
        )
    except sandbox.TransformFailed as exc:
        return Tried(identifier, record.payload, fault=gettext("The stylesheet {what}.").format(what=_what(exc)))
    return Tried(identifier, record.payload, result, took_ms=1000 * (seams.monotonic() - started))


def run(text: str, *, namespace: str, schema: str, limits: TrialLimits = DEFAULTS) -> Trial:
    """Try an uploaded stylesheet."""
    faults = stylesheet.faults(text)
    if faults:
        return Trial(tuple(faults))
    candidate = Stylesheet.of(text, namespace, schema)
    with contextlib.suppress(sandbox.TransformFailed, sandbox.SandboxBusy):
        sandbox.transform(candidate, b"<a/>", "urn:a")  # start a helper now, so that no record is charged for it
    warnings: list[str] = []
    times: list[float] = []
    started = seams.monotonic()
    for name, payload, is_sample in _records(limits.newest):
        if seams.monotonic() - started > limits.total_s:
            words = gettext("The trial took more than {limit_s:g} s, with {number} records done.")
            faults.append(words.format(limit_s=limits.total_s, number=len(times)))
            break
        try:
            took_s, failure = sandbox.measure(candidate, payload, iso19139.read(payload).identifier)
        except sandbox.StylesheetUnusable as exc:
            return Trial((_not_compiled(exc),))
        except sandbox.SandboxBusy as exc:
            words = gettext("The trial could not be finished, because this machine is too busy: {exc}. Try again.")
            return Trial((words.format(exc=exc),))
        if failure is not None:
            words = (
                gettext("sample {name}: the stylesheet {what}.")
                if is_sample
                else gettext("{name}: the stylesheet {what}.")
            )
            (faults if is_sample else warnings).append(words.format(name=name, what=_what(failure)))
            if len(faults) == limits.faults:
                break
        times.append(took_s)
    slowest = max(times, default=0.0)
    if not faults and slowest > limits.record_s:
        words = gettext(
            "The slowest record took {slowest_s:.1f} s of processor time; at most {limit_s:g} s are allowed, or lists take too long."
        )
        faults.append(words.format(slowest_s=slowest, limit_s=limits.record_s))
    return Trial(tuple(faults), tuple(warnings), len(times), slowest)


def _records(number: int) -> Iterator[tuple[str, bytes, bool]]:
    """Yield name, payload, and whether it is a sample: all samples, then the newest records, up to `number`.

    A failure on a sample is a fault.
    """
    for file in sorted(SAMPLES.glob("*/*.xml")):
        yield f"{file.parent.name}/{file.name}", xml_tree.root_element(file.read_bytes()), True
    newest = Record.objects.filter(deleted=False).order_by("-datestamp", "-pk").values_list("identifier", flat=True)
    for identifier in newest[:number]:
        record = lists.find(identifier, WITH_HIDDEN)
        if record is not None and record.payload is not None:
            yield identifier, record.payload, False


def _not_compiled(exc: sandbox.StylesheetUnusable) -> str:
    return gettext("The stylesheet does not compile: {exc}.").format(exc=exc)


def _what(exc: sandbox.TransformFailed) -> str:
    """Say what failed, as the end of a sentence that begins with "the stylesheet"."""
    return gettext("ends with: {exc}").format(exc=exc) if isinstance(exc, sandbox.LibraryFailed) else str(exc)
