"""A catalogue that is rebuilt from its journal hides what it hid."""

from pathlib import Path

import pytest
from django.core.management import call_command

from catalogue import bootstrap, journal, replay
from catalogue.models import Category, MetadataSet, Record, RecordCategory, SourceCategory
from catalogue.writing import visibility
from tests.support import world

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_rebuild_from_the_journal_brings_back_who_sees_what(journal_dir: Path) -> None:
    own, partners = world.own_set(), Category.objects.create(name="partners")
    visibility.restrict_records(["urn:a"], partners)
    SourceCategory.objects.create(pk="one", category=partners)
    MetadataSet.objects.create(spec="closed", name="closed", category=partners, public=False)
    journal.flush()
    call_command("flush", interactive=False, verbosity=0)
    bootstrap.ensure_sets()
    assert not Category.objects.exists() and MetadataSet.objects.filter(spec=own.spec).exists()

    replay.replay([journal_dir])
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    again = Category.objects.get(name="partners")
    assert not again.signed_in, "for nobody, until an operator says who sees it"
    assert RecordCategory.objects.get().category == again and SourceCategory.objects.get().category == again
    closed = MetadataSet.objects.get(spec="closed")
    assert (closed.category, closed.public) == (again, False)
    assert {record.key: record.audience == 0 for record in Record.objects.all()} == {"urn:a": False, "urn:b": True}
