"""The state of the links is kept for a moment for those who are not signed in, and for nobody else."""

from collections.abc import Callable, Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from catalogue.models import Category, MetadataSet
from harvester.models import Link

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _kept(settings) -> Iterator[None]:
    settings.GISC_STATUS_SECONDS = 60
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def add(toulouse: MetadataSet) -> Callable[..., Link]:
    def make(name: str, **values: object) -> Link:
        return Link.objects.create(
            name=name, base_url="http://x.example.org/oai", remote_set=name, local_set=toulouse, **values
        )

    return make


@pytest.mark.parametrize("path", ["/harvest/", "/harvest/status.json", "/harvest/runs.atom"])
def test_what_somebody_has_just_asked_for_is_not_made_anew(
    client: Client, django_assert_max_num_queries, add: Callable[..., Link], path: str
) -> None:
    add("first")
    before = client.get(path)
    assert before["Cache-Control"] == "max-age=60" and "Cookie" in before["Vary"]
    add("second")
    with django_assert_max_num_queries(3):  # the limits of public pages
        again = client.get(path)
    assert again.content == before.content and "second" not in again.content.decode()
    if not path.endswith(".atom"):  # the new link has no runs to tell of
        assert "second" in client.get(f"{path}?anew").content.decode()
        cache.clear()
        assert "second" in client.get(path).content.decode()


def test_who_is_signed_in_sees_the_present_and_leaves_nothing_for_others(
    client: Client, admin_client: Client, add: Callable[..., Link]
) -> None:
    members = Category.objects.create(name="members", signed_in=True)
    add("hidden", category=members)
    shown = admin_client.get("/harvest/")
    assert "hidden" in shown.content.decode() and "no-store" in shown["Cache-Control"]
    assert "hidden" not in client.get("/harvest/").content.decode()
    add("second")
    assert "second" in admin_client.get("/harvest/").content.decode()


def test_errors_are_not_kept(client: Client, add: Callable[..., Link]) -> None:
    assert client.get("/harvest/late/runs.atom").status_code == 404
    add("late")
    assert client.get("/harvest/late/runs.atom").status_code == 200
