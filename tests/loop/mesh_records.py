"""The records of the mesh, and the name by which the test itself asks its nodes."""

from datetime import date, timedelta

from tests.support.world import iso_record

OBSERVER = "observer"  # User-Agent
_FIRST_DAY = date(2024, 1, 1)


def document(identifier: str, edition: int, *, metadata_date: str = "") -> bytes:
    """An edition of a record. A later one has a later gmd:dateStamp, unless `metadata_date` says otherwise."""
    day = metadata_date or (_FIRST_DAY + timedelta(days=edition)).isoformat()
    return iso_record(identifier, title=f"Edition {edition}", metadata_date=day)
