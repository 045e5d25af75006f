"""All secrets that are sealed in the database: which SECRET_KEY opens them, and sealing them anew after a change of the key."""

from django.db import connection

from gisc.alerts import models as alerts
from harvester.rows import sealed
from harvester.rows.sealed import KeysFound, SealedColumn

COLUMNS = (
    *sealed.COLUMNS,
    *(SealedColumn(alerts.Recipient, field, purpose) for field, purpose in alerts.SEALED.items()),
)


def find_keys() -> KeysFound:
    """Count all sealed secrets by the key that opens them."""
    return _sum([sealed.find_keys(column) for column in COLUMNS])


def reseal() -> KeysFound:
    """Seal what a former key opens under the present one; what was found is returned. Safe beside a running node."""
    return _sum([sealed.reseal(column) for column in COLUMNS])


def are_there() -> bool:
    """Whether the database has the tables: not before the first migration."""
    return {column.model._meta.db_table for column in COLUMNS} <= set(connection.introspection.table_names())


def _sum(found: list[KeysFound]) -> KeysFound:
    return KeysFound(
        sum(each.present for each in found),
        sum(each.former for each in found),
        tuple(name for each in found for name in each.unreadable),
    )
