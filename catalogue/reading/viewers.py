"""Tell which records the reader of a page may see: everybody's, and of people who are signed in those of their categories.

Harvesters have a scope instead (`catalogue.reading.scopes`).
"""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Q, QuerySet

from catalogue.models import Audience, MetadataSet, Record

EVERYBODY = (0,)  # the audiences of which everybody is


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who reads a page, by the audiences that he belongs to. Signed-in people see records of unlisted sets, too."""

    audiences: tuple[int, ...] = EVERYBODY
    is_signed_in: bool = False

    def records(self) -> QuerySet[Record]:
        """The records that he may see, live and deleted."""
        return Record.objects.filter(audience__in=self.audiences)

    def sets(self) -> QuerySet[MetadataSet]:
        """The sets that he may see."""
        if not self.is_signed_in:
            return MetadataSet.objects.filter(public=True, category=None)
        return MetadataSet.objects.filter(Q(category=None) | Q(category__signed_in=True))


ANYBODY = Viewer()

_OF_SIGNED_IN = """
    SELECT 0 UNION ALL SELECT a.id FROM catalogue_audience a WHERE NOT EXISTS (
        SELECT FROM unnest(a.categories) AS needed (id) LEFT JOIN catalogue_category c USING (id)
        WHERE c.signed_in IS NOT TRUE
    )
"""


def signed_in() -> Viewer:
    """Return what people who are signed in see."""
    with connection.cursor() as cursor:
        cursor.execute(_OF_SIGNED_IN)
        return Viewer(tuple(row[0] for row in cursor.fetchall()), True)


def administration() -> Viewer:
    """Return what the administration sees: every record."""
    return Viewer((*EVERYBODY, *Audience.objects.values_list("pk", flat=True)), is_signed_in=True)
