"""Page through tables of a million rows for people: never count all rows, and read only one page of them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Model, QuerySet

from catalogue.limits import Replaceable

if TYPE_CHECKING:
    _Paginator = Paginator[Any]
else:
    _Paginator = Paginator


@dataclass(frozen=True, slots=True)
class PagingLimits:
    """How many rows are counted, and so shown, at most."""

    rows: int = 10_000  # of a table in the admin


LIMITS = Replaceable(PagingLimits())


class EstimatedPaginator(_Paginator):
    """Takes the number of rows of a whole, large table from the database's own estimate.

    Takes a queryset that is ordered and not sliced.
    """

    object_list: QuerySet[Any]

    @cached_property
    def count(self) -> int:
        """The estimate for a whole table larger than `PagingLimits.rows`; else the number of rows, up to that."""
        most = LIMITS.in_force.rows
        if not self.object_list.query.where:
            estimate = _estimated_rows(self.object_list.model)
            if estimate > most:
                return estimate
        return self.object_list.order_by()[:most].count()

    def page(self, number: int | str) -> Page[Any]:
        """Read one page. The rows before it are skipped in the index, without reading their texts and joined rows."""
        number = self.validate_number(number)
        start = (number - 1) * self.per_page
        keys = list(self.object_list.values_list("pk", flat=True)[start : min(start + self.per_page, self.count)])
        rows = self.object_list.order_by()
        rows.query.clear_where()
        # Where the filter was by rows of another table, its join is still there, and a row may come several times.
        by_key = {row.pk: row for row in rows.filter(pk__in=keys)}
        return Page([by_key[key] for key in keys if key in by_key], number, self)


def _estimated_rows(model: type[Model]) -> int:
    """Return how many rows the table had when PostgreSQL last analysed it; -1 if it never did."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [model._meta.db_table])
        return int(cursor.fetchone()[0])
