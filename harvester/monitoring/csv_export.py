"""Runs as CSV, for reports; rejects as CSV, to send to the provider whose records they are."""

import csv
from collections.abc import Iterator

from django.db.models import QuerySet

from catalogue import datestamps
from harvester.models import Reject, Run
from harvester.monitoring.status import COUNTERS
from harvester.protocol import warnings

COLUMNS = ("identifier", "datestamp", "reason")
XML = "xml"
RUN_COLUMNS = ("link", "purpose", "started by", "begun", "finished", "state", *COUNTERS, "message", "warnings")


class _Line:
    """A file that hands each line back instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def rejects_csv(rejects: QuerySet[Reject]) -> Iterator[str]:
    """The lines, with a line of column names first; `xml` is the metadata as received. Read as the lines are taken."""
    writer = csv.writer(_Line())
    yield str(writer.writerow([*COLUMNS, XML]))
    for *values, raw in rejects.order_by("pk").values_list(*COLUMNS, "raw").iterator(chunk_size=100):
        yield str(
            writer.writerow([*map(_harmless, values), "" if raw is None else bytes(raw).decode(errors="replace")])
        )


def runs_csv(runs: QuerySet[Run]) -> Iterator[str]:
    """The lines, with a line of column names first: a run each, its warnings in one column. Read as the lines are taken."""
    writer = csv.writer(_Line())
    yield str(writer.writerow(RUN_COLUMNS))
    for run in runs.select_related("link").defer("token").iterator(chunk_size=100):
        finished = run.finished and datestamps.write(run.finished)
        what = (run.link.name, run.purpose, run.trigger, datestamps.write(run.begun), finished or "", run.state)
        told = (_harmless(run.message), _harmless("\n".join(warnings.describe_warnings(run.warnings))))
        yield str(writer.writerow([*what, *(getattr(run, name) for name in COUNTERS), *told]))


def _harmless(value: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would take for a formula: strangers wrote it."""
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
