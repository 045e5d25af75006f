"""Profiles from the command line."""

import json

import pytest
from django.core.management import CommandError

from oaiprovider import models
from oaiprovider.models import Profile
from oaiprovider.terms import ANY
from tests.support import world
from tests.support.commands import printed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def driver() -> Profile:
    models.ensure_any(using="default")
    made = Profile.objects.create(
        name="DRIVER",
        match="DRIVER",
        networks=["192.0.2.0/24"],
        everything=False,
        page_records=5,
        repository_name="Tokyo",
    )
    made.sets.set([world.own_set()])
    return made


def run(*arguments: str) -> str:
    return printed("profile", *arguments)


def test_the_profiles_are_listed_for_people_and_for_scripts() -> None:
    shown = run("list")
    assert [word for word in (ANY, "everything", "DRIVER", "192.0.2.0/24", world.OUR_SPEC) if word not in shown] == []
    everybody, one = json.loads(run("list", "--json"))
    assert (everybody["name"], everybody["sets"], everybody["repository_name"]) == (ANY, None, None)
    assert (one["sets"], one["page"], one["networks"]) == (
        [world.OUR_SPEC],
        {"records": 5, "headers": None, "sets": None},
        ["192.0.2.0/24"],
    )


@pytest.mark.spec("G2", "G13")
def test_what_a_harvester_would_see_is_told_with_the_reason() -> None:
    inside = json.loads(run("preview", "DRIVER/2.1", "--address", "192.0.2.7", "--json"))
    assert (inside["profile"], inside["sets"], inside["repository_name"]) == ("DRIVER", [world.OUR_SPEC], "Tokyo")
    outside = run("preview", "DRIVER/2.1")
    assert outside.startswith(f"profile: {ANY}\n")
    assert "DRIVER: The User-Agent fits, but an unknown address is in none of its networks.\n" in outside
    assert "  WIS-CATALOGUE\n" in outside and "  oai_dc\n" in outside


def test_an_address_that_is_none_is_refused_with_a_sentence() -> None:
    with pytest.raises(CommandError, match="'here' is no address; write one"):
        run("preview", "DRIVER", "--address", "here")
