"""Measure how long pycsw's own repository takes for a word and a box, for `manage.py bench --pycsw PYTHON`.

A program of its own, run by a Python that has pycsw 2.6 (and setuptools below 81): the node does not need it.

    PYTHON -P pycsw_peer.py FOLDER_WITH_XML NEW_DATABASE_FILE ROUNDS < QUERIES > MILLISECONDS

QUERIES: a JSON list of [word, west, south, east, north]; MILLISECONDS: a JSON list of [milliseconds, hits], in the same order; of so many rounds the fastest.
The statement is the one that pycsw makes of a filter with PropertyIsLike of csw:AnyText and BBOX (pycsw/ogc/fes/fes1.py).
"""

import json
import logging
import os
import sys
import time
from typing import Any

_WHERE = "anytext like :pvalue0 and query_spatial(wkt_geometry,:pvalue1,'bbox','false') = 'true'"
_PAGE = 20


def main() -> None:
    """Load the records into SQLite, ask, and print the times."""
    from pycsw.core import admin, config, repository

    logging.disable()
    folder, file, rounds = sys.argv[1:4]
    database = f"sqlite:///{file}"
    admin.setup_db(database, "records", os.path.dirname(admin.__file__))
    context = config.StaticContext()
    admin.load_records(context, database, "records", folder)
    admin.optimize_db(context, database, "records")
    own = repository.Repository(database, context, table="records")
    print(json.dumps([min(_ask(own, *asked) for _ in range(int(rounds))) for asked in json.load(sys.stdin)]))


def _ask(own: Any, word: str, west: float, south: float, east: float, north: float) -> tuple[float, int]:
    corners = ((west, south), (west, north), (east, north), (east, south), (west, south))
    box = f"POLYGON(({', '.join(f'{x} {y}' for x, y in corners)}))"
    began = time.perf_counter()
    total, found = own.query({"type": "filter", "where": _WHERE, "values": [f"%{word}%", box]}, maxrecords=_PAGE)
    assert len(found) <= _PAGE
    return (time.perf_counter() - began) * 1000, int(total)


if __name__ == "__main__":
    main()
