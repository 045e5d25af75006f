"""What a link's prefix brings is checked before the link is saved and before it is run: only ISO 19139 can be stored (H1, H2)."""

import json

import pytest
from django.core.management import CommandError
from django.test import Client

from catalogue.models import MetadataSet
from harvester.models import Alternative, Link
from harvester.monitoring import status
from tests.support.commands import command
from tests.support.link_admin import LINKS, form, messages, unchanged
from tests.support.provider import Provider, fill
from tests.support.runs import harvest
from tests.support.world import TOULOUSE

DUBLIN_CORE = ("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc/")
ISO = ("gmd", "http://www.isotc211.org/2005/gmd")
REFUSED = (
    "The prefix oai_dc brings http://www.openarchives.org/OAI/2.0/oai_dc/, and only ISO 19139 can be stored; "
    "ISO 19139 is called gmd there: correct the link's prefix."
)
NOWHERE = "http://127.0.0.1:9/oai"

pytestmark = [pytest.mark.django_db, pytest.mark.spec("H1", "H2")]


@pytest.fixture(autouse=True)
def _formats(provider: Provider) -> None:
    provider.formats = (DUBLIN_CORE, ISO, ("odd", "urn:own:namespace"))


def add(base_url: str, prefix: str) -> str:
    """Add a link by the command line; what it warns of."""
    *_, warned = command("link", "add", "other", base_url, "--set", TOULOUSE.spec, "--prefix", prefix)
    return warned


def test_a_link_whose_prefix_brings_something_else_is_not_added(toulouse: MetadataSet, provider: Provider) -> None:
    with pytest.raises(CommandError) as refused:
        add(provider.base_url, "oai_dc")
    assert str(refused.value) == f"The link was not added. {REFUSED}"
    with pytest.raises(CommandError, match="The prefix odd brings urn:own:namespace"):
        add(provider.base_url, "odd")
    assert not Link.objects.exists()
    assert add(provider.base_url, "gmd") == "" and Link.objects.exists()


@pytest.mark.spec("P61")
def test_dublin_core_is_refused_though_the_provider_cannot_be_asked(toulouse: MetadataSet) -> None:
    with pytest.raises(CommandError, match="only ISO 19139 can be stored"):
        add(NOWHERE, "oai_dc")


def test_what_cannot_be_known_is_warned_of_and_the_link_is_added(toulouse: MetadataSet, provider: Provider) -> None:
    warned = add(NOWHERE, "gmd")
    assert (
        "It is not known whether the prefix gmd brings ISO 19139" in warned
        and "could not be asked: no answer" in warned
    )
    Link.objects.all().delete()
    warned = add(provider.base_url, "iso19139")
    assert "The provider does not say what it brings. ISO 19139 is called gmd there." in warned
    assert Link.objects.exists()


def test_a_format_is_known_by_its_schema_too(toulouse: MetadataSet, provider: Provider) -> None:
    provider.edits.append(
        lambda a, body: body.replace(
            b"<schema>x</schema><metadataNamespace>urn:own",
            b"<schema>http://wis.wmo.int/2011/schemata/iso19139_2007/schema/gmd/gmd.xsd</schema><metadataNamespace>urn:own",
        )
    )
    assert add(provider.base_url, "odd") == ""


def test_the_form_refuses_the_prefix_and_says_what_to_write(
    admin_client: Client, toulouse: MetadataSet, provider: Provider
) -> None:
    page = admin_client.post(f"{LINKS}add/plain/", form(base_url=provider.base_url, prefix="oai_dc"))
    assert page.context["adminform"].form.errors == {"prefix": [REFUSED]}
    assert not Link.objects.exists()
    page = admin_client.post(f"{LINKS}add/plain/", form(base_url=NOWHERE, prefix="gmd"), follow=True)
    assert "It is not known whether the prefix gmd brings ISO 19139" in messages(page)
    link = Link.objects.get()
    asked = len(provider.asked)
    page = admin_client.post(
        f"{LINKS}{link.pk}/change/", unchanged(link) | {"prefix": "gmd", "schedule": "2 hours"}, follow=True
    )
    assert "It is not known" not in messages(page) and len(provider.asked) == asked, "it was not changed"
    page = admin_client.post(
        f"{LINKS}{link.pk}/change/", unchanged(link) | {"base_url": provider.base_url, "prefix": "oai_dc"}
    )
    assert page.context["adminform"].form.errors == {"prefix": [REFUSED]}


def test_an_alternative_is_checked_as_well(admin_client: Client, link: Link, provider: Provider) -> None:
    with pytest.raises(CommandError) as refused:
        command("link", "alternative", "toulouse", "relay", provider.base_url, "--prefix", "oai_dc")
    assert str(refused.value) == f"The alternative was not added. {REFUSED}"
    row = {"position": 1, "name": "relay", "base_url": provider.base_url, "prefix": "oai_dc", "remote_set": "X"}
    posted = unchanged(link) | {f"alternatives-0-{name}": value for name, value in row.items()}
    posted |= {"alternatives-TOTAL_FORMS": 1, "alternatives-0-link": link.pk}
    assert REFUSED.replace("'", "&#x27;") in admin_client.post(f"{LINKS}{link.pk}/change/", posted).content.decode()
    assert not Alternative.objects.exists()
    admin_client.post(f"{LINKS}{link.pk}/change/", posted | {"alternatives-0-prefix": "gmd"})
    assert Alternative.objects.get().prefix == "gmd"


def test_link_check_says_that_nothing_could_be_stored(link: Link) -> None:
    Link.objects.update(prefix="oai_dc")
    exit_status, out, _ = command("link", "check", "toulouse", "--json")
    assert (exit_status, json.loads(out)["faults"]) == (1, [REFUSED])


def test_a_run_of_a_link_that_was_added_before_fails_before_it_asks_for_the_list(
    link: Link, provider: Provider
) -> None:
    Link.objects.update(prefix="oai_dc")
    fill(provider, range(3))

    run = harvest(Link.objects.get())

    facts = {"prefix": "oai_dc", "namespace": DUBLIN_CORE[1], "iso_prefixes": ["gmd"]}
    assert run.state == "failed" and run.outcome_data["cause"] == {"code": "prefix-not-iso19139", "facts": facts}
    assert provider.lists == [] and Link.objects.get().harvested_to is None
    seen = status.with_last_run(Link.objects.all()).get()
    assert status.link_state(seen) == ("failed", "failed")
    assert "ISO 19139 is called gmd there: correct the link's prefix" in next(status.find_todos(seen)).text

    Link.objects.update(prefix="gmd")
    assert harvest(Link.objects.get()).state == "done"


def test_a_provider_that_does_not_list_its_formats_is_harvested_all_the_same(link: Link, provider: Provider) -> None:
    Link.objects.update(prefix="gmd")
    fill(provider, range(3))
    provider.edits.append(
        lambda a, body: (
            provider.envelope('<error code="badVerb">no</error>').encode()
            if a["verb"] == "ListMetadataFormats"
            else body
        )
    )
    assert harvest(Link.objects.get()).new == 3
