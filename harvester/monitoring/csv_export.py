"""Write runs as CSV, for reports, and rejects as CSV, to send to the provider whose records they are."""

import csv
import json
from collections.abc import Iterator

from django.db.models import QuerySet

from catalogue import datestamps
from catalogue.pages.csv_lines import Echo, escape_formula
from harvester.models import LinkDay, Reject, Run
from harvester.monitoring.status import COUNTERS
from harvester.protocol import warnings

COLUMNS = ("identifier", "datestamp", "reason", "xml", "code", "first_seen", "last_seen", "count", "settled")
_CODES = ("outcome", "outcome_data", "warning_codes")
RUN_COLUMNS = ("link", "purpose", "started by", "begun", "finished", "state", *COUNTERS, "message", "warnings", *_CODES)
MAX_PUBLIC = 500  # chosen: rejects that strangers are given at once

DAY_COLUMNS = ("link", "day", "runs", "failed", *COUNTERS[1:], "pages", "seconds")


def rejects_csv(rejects: QuerySet[Reject], at_most: int | None = None) -> Iterator[str]:
    """Yield a line of column names, then a line for each reject; `xml` is the metadata as received."""
    writer = csv.writer(Echo())
    yield str(writer.writerow(COLUMNS))
    for reject in rejects.order_by("pk")[:at_most].iterator(chunk_size=100):
        texts = map(escape_formula, (reject.identifier, reject.datestamp, reject.reason_text))
        xml = "" if reject.raw is None else bytes(reject.raw).decode(errors="replace")
        times = (datestamps.write(reject.first_seen), datestamps.write(reject.last_seen), reject.count)
        settled = reject.settled and datestamps.write(reject.settled)
        yield str(writer.writerow([*texts, xml, reject.reason, *times, settled or ""]))


def runs_csv(runs: QuerySet[Run]) -> Iterator[str]:
    """Yield a line of column names, then a line for each run.

    Its warnings are in one column, their codes in another, a line for each.
    """
    writer = csv.writer(Echo())
    yield str(writer.writerow(RUN_COLUMNS))
    for run in runs.select_related("link").defer("token").iterator(chunk_size=100):
        finished = run.finished and datestamps.write(run.finished)
        facts = (run.link.name, run.purpose, run.trigger, datestamps.write(run.begun), finished or "", run.state)
        texts = (escape_formula(run.message), escape_formula("\n".join(warnings.describe_warnings(run.warnings))))
        codes = (run.outcome, json.dumps(run.outcome_data, ensure_ascii=False), "\n".join(_codes_of(run)))
        yield str(writer.writerow([*facts, *(getattr(run, name) for name in COUNTERS), *texts, *codes]))


def days_csv(days: QuerySet[LinkDay]) -> Iterator[str]:
    """Yield a line of column names, then a line for each link and day."""
    writer = csv.writer(Echo())
    yield str(writer.writerow(DAY_COLUMNS))
    for day in days.select_related("link").iterator(chunk_size=100):
        yield str(writer.writerow([day.link.name, *(getattr(day, name) for name in DAY_COLUMNS[1:])]))


def _codes_of(run: Run) -> list[str]:
    return [warning["code"] for warning in run.warnings]
