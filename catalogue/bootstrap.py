"""Create what a node needs before its first record: its own set, `WIS-CATALOGUE`, the clock, a dictionary for payloads."""

from datetime import UTC, datetime

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.utils.translation import gettext

from catalogue import oai, seams
from catalogue.models import MetadataSet
from catalogue.payloads import dictionaries


@transaction.atomic
def ensure_sets() -> None:
    """Create the own set, the catalogue set, the clock and the first dictionary where they are missing.

    Raises ImproperlyConfigured if the own set of this database has another name than GISC_NAME: a node
    that changes its name would tell its peers that every record has left the old set.
    """
    Kind = MetadataSet.Kind
    own = MetadataSet.objects.filter(kind=Kind.OWN).first()
    if own is None:
        name = settings.GISC_NAME.removeprefix("WIS-").replace("-", " ")
        MetadataSet.objects.create(
            spec=settings.GISC_NAME,
            name=f"Area of responsibility of {name}",
            description="Records this node is responsible for.",
            kind=Kind.OWN,
        )
    elif own.spec != settings.GISC_NAME:
        sentence = gettext(
            "GISC_NAME is {name}, but the own set of this database is {own}; "
            "write GISC_NAME={spec}, or start with another database"
        )
        raise ImproperlyConfigured(sentence.format(name=repr(settings.GISC_NAME), own=repr(own.spec), spec=own.spec))
    MetadataSet.objects.get_or_create(
        spec=oai.CATALOGUE_SET, defaults={"name": "Whole WIS catalogue", "kind": Kind.CATALOGUE}
    )
    # P55: a lower bound that never moves: 1 January of the year of installation.
    new_year = datetime(seams.now().year, 1, 1, tzinfo=UTC)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO catalogue_datestampclock (id, stamp, earliest) VALUES (1, %s, %s) ON CONFLICT DO NOTHING",
            [new_year, new_year],
        )
    dictionaries.ensure()


def own_set() -> MetadataSet:
    """Return this node's own set."""
    return MetadataSet.objects.get(kind=MetadataSet.Kind.OWN)
