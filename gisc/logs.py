"""Log formatters that print the fields of `extra`, and what the thread is about: JSON for machines, one line for people.

Whatever a client sends, a record is one line: control characters, and what no terminal should get, are escaped.
"""

import json
import logging
import re
from datetime import UTC, datetime

from catalogue import log_context

# `request` is what Django adds: an object whose text has the query, which may hold what is for nobody's eyes.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "request"}
# C0 and C1 controls, line and paragraph separators, changes of direction, halves of surrogate pairs.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _fields(record: logging.LogRecord) -> dict[str, object]:
    own = {name: value for name, value in vars(record).items() if name not in _STANDARD}
    return {**log_context.facts.get(), **own}


def _is_anybodys(record: logging.LogRecord) -> bool:
    """Whether anybody can cause this error, by a wrong Host or too many fields: then nobody needs to know where it was raised."""
    return record.name.startswith("django.security")


def _escaped(unsafe: re.Match[str]) -> str:
    return f"\\u{ord(unsafe[0]):04x}"


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, the fields of the thread and those of `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info and not _is_anybodys(record):
            line["traceback"] = self.formatException(record.exc_info)
        return _UNSAFE.sub(_escaped, json.dumps(line, default=str, ensure_ascii=False))


class LineFormatter(logging.Formatter):
    """`2026-02-01 12:00:00 INFO harvester.runs.lifecycle page stored link=toulouse page=3`, for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        clock = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%S")
        line = _UNSAFE.sub(_escaped, f"{clock} {record.levelname} {record.name} {record.getMessage()}{fields}")
        if record.exc_info and not _is_anybodys(record):
            return f"{line}\n{self.formatException(record.exc_info)}"
        return line
