"""Which of the centres are harvested, and which addresses are told to others."""

from importlib import import_module

import pytest
from django.core.exceptions import ValidationError

from catalogue.models import MetadataSet
from harvester.models import Centre, Link
from harvester.monitoring import status
from harvester.monitoring.coverage import CoverageState, read_coverage
from tests.support.world import OFFENBACH, TOULOUSE

KNOWN = import_module("harvester.migrations.0020_centres").KNOWN


@pytest.fixture
def centres(db: None) -> None:
    """The templates, as a new node has them."""
    Centre.objects.all().delete()
    Centre.objects.bulk_create(
        Centre(name=name, country=country, set_spec=spec, latitude=latitude, longitude=longitude)
        for name, country, spec, latitude, longitude in KNOWN
    )


def test_the_templates_are_valid_and_count_for_nothing(centres: None, settings) -> None:
    settings.GISC_NAME = "WIS-GISC-TOKYO"
    for centre in Centre.objects.all():
        centre.full_clean()
        assert not centre.is_active
        assert centre.base_urls == [], "nobody has told us one"
    coverage = read_coverage()
    assert (len(coverage.centres), coverage.counted) == (16, ())
    own = next(each for each in coverage.centres if each.state == CoverageState.OWN)
    assert own.centre.name == "Tokyo"


def test_a_centre_counts_with_a_link_or_when_the_operator_says_so(
    centres: None, link: Link, settings, django_assert_num_queries
) -> None:
    settings.GISC_NAME = "WIS-GISC-TOKYO"
    Centre.objects.filter(name__in=["Exeter", "Offenbach", "Tokyo"]).update(is_active=True)
    offenbach = MetadataSet.objects.create(spec=OFFENBACH.spec, name="Offenbach")
    Link.objects.create(name="dwd", base_url=OFFENBACH.base_url, local_set=offenbach, enabled=False)

    with django_assert_num_queries(2):
        before = read_coverage()
    link.harvested_to = "2026-03-01T00:00:00Z"
    link.save()
    after = read_coverage()
    Link.objects.filter(pk=link.pk).update(failures=2)

    assert [(each.centre.name, each.state) for each in before.missing] == [
        ("Exeter", CoverageState.NO_LINK),
        ("Offenbach", CoverageState.DISABLED),
        ("Toulouse", CoverageState.NOT_YET),
    ]
    assert after.text == "1 of 3 centres harvested, 2 missing: Exeter (no link), Offenbach (its link is disabled)."
    assert after.report()["missing"] == [
        {"name": "Exeter", "set": "WIS-GISC-EXETER", "why": "no-link"},
        {"name": "Offenbach", "set": OFFENBACH.spec, "why": "disabled"},
    ]
    failing = next(each for each in read_coverage().counted if each.centre.set_spec == TOULOUSE.spec)
    assert (failing.state, failing.is_harvested) == (CoverageState.FAILING, True)


@pytest.mark.parametrize(
    "base_urls",
    ["http://a.example", ["nowhere"], ["https://me:secret@a.example/oai"], ["https://a.example/oai?verb=x"]],
)
def test_a_list_of_addresses_is_checked(base_urls: object) -> None:
    centre = Centre(name="X", set_spec="WIS-GISC-X", base_urls=base_urls)
    with pytest.raises(ValidationError) as refused:
        centre.clean()
    assert list(refused.value.message_dict) == ["base_urls"]


@pytest.mark.spec("P127")
def test_a_link_may_keep_its_address_to_itself(link: Link) -> None:
    assert status.friend_base_urls() == [link.base_url]
    Link.objects.update(is_told=False)
    assert status.friend_base_urls() == []
