"""Rejects as CSV, to send to the provider whose records they are."""

import csv
from collections.abc import Iterator

from django.db.models import QuerySet

from harvester.models import Reject

COLUMNS = ("identifier", "datestamp", "reason")
XML = "xml"


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


def _harmless(value: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would take for a formula: strangers wrote it."""
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
