"""Give a harvester's profile the right to see categories of records, or take it away; its harvester is told by tombstones.

The records follow in batches (`catalogue.writing.visibility.settle_pending`): what it may not see any more comes as deleted,
what it may see now with a new datestamp.
"""

from collections.abc import Iterable
from dataclasses import replace

from django.db import connection, transaction

from catalogue.models import Category, MetadataSet, VisibilityChange
from catalogue.reading import scopes
from catalogue.reading.scopes import EVERYTHING, Scope
from catalogue.writing import visibility
from oaiprovider.models import Profile


def scope_of(profile: Profile) -> Scope:
    """Return what the harvester of a profile sees of the catalogue."""
    sets = frozenset() if profile.everything else frozenset(profile.sets.values_list("pk", flat=True))
    whole = profile.sets.filter(kind=MetadataSet.Kind.CATALOGUE).exists()
    scope = EVERYTHING if profile.everything else Scope(sets, whole)
    return replace(scope, categories=profile.seen_categories(profile.categories.values_list("pk", flat=True)))


def audiences_of(profile: Profile) -> set[int]:
    """Return the audiences to which the harvester of a profile belongs, now."""
    scope = scope_of(profile)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT unnest({scopes.audiences(scope)})", scope.values)
        return {row[0] for row in cursor.fetchall()}


@transaction.atomic
def set_categories(profile: Profile, categories: Iterable[Category]) -> None:
    """Let a profile see exactly these categories; its harvester is told of the difference by the next batches."""
    before = audiences_of(profile)
    profile.categories.set(categories)
    note_difference(profile, before)


def note_difference(profile: Profile, before: set[int]) -> None:
    """Note which audiences a profile has lost and gained since `audiences_of` was `before`."""
    after = audiences_of(profile)
    visibility.add_change_for_profile(VisibilityChange.Kind.LOST, profile.pk, before - after)
    visibility.add_change_for_profile(VisibilityChange.Kind.GAINED, profile.pk, after - before)
