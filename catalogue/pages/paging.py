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

    hits: int = 1000  # of a search on the public pages
    rows: int = 10_000  # of a table in the admin


LIMITS = Replaceable(PagingLimits())


class CappedPaginator(_Paginator):
    """Counts up to `cap` rows, no further. Takes a queryset that is ordered and not sliced."""

    object_list: QuerySet[Any]

    @property
    def cap(self) -> int:
        return LIMITS.in_force.hits

    @cached_property
    def count(self) -> int:
        """The number of rows; `cap` if there are as many or more."""
        return self.object_list.order_by()[: self.cap].count()

    @property
    def is_capped(self) -> bool:
        return self.count >= self.cap

    def page(self, number: int | str) -> Page[Any]:
        """Read one page. The rows before it are skipped in the index, without reading their texts and joined rows."""
        number = self.validate_number(number)
        start = (number - 1) * self.per_page
        keys = list(self.object_list.values_list("pk", flat=True)[start : min(start + self.per_page, self.count)])
        rows = self.object_list.all()
        rows.query.clear_where()
        return Page(list(rows.filter(pk__in=keys)), number, self)


class EstimatedPaginator(CappedPaginator):
    """Takes the number of rows of a whole, large table from the database's own estimate."""

    @property
    def cap(self) -> int:
        return LIMITS.in_force.rows

    @cached_property
    def count(self) -> int:
        """The estimate for a whole table larger than `cap`; else the number of rows, up to `cap`."""
        if not self.object_list.query.where:
            estimate = _estimated_rows(self.object_list.model)
            if estimate > self.cap:
                return estimate
        return self.object_list.order_by()[: self.cap].count()


def _estimated_rows(model: type[Model]) -> int:
    """Return how many rows the table had when PostgreSQL last analysed it; -1 if it never did."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [model._meta.db_table])
        return int(cursor.fetchone()[0])
