"""Arguments of the administration's lists that no page of ours links to: a list, another page or "not found", never a fault."""

import pytest
from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG, ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.test import Client, RequestFactory
from django.urls import reverse

from catalogue import bootstrap
from catalogue.models import MetadataSet
from tests.support import world

admin.autodiscover()
ODD = ("x", "-1", "0", "9" * 30, "\x00")


def parameters(model_admin: admin.ModelAdmin) -> set[str]:
    """The arguments that the filters of a list take."""
    names = {SEARCH_VAR, PAGE_VAR, ORDER_VAR}
    for each in model_admin.list_filter:
        if isinstance(each, str):
            names |= {f"{each}__exact", f"{each}__in", f"{each}__isnull"}
        elif isinstance(each, type):
            names |= {str(getattr(each, "parameter_name", ""))}
    return names - {""}


@pytest.mark.parametrize("model", sorted(admin.site._registry, key=lambda model: model._meta.label))
def test_odd_arguments_of_a_list_are_no_fault(admin_client: Client, model: type) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0"))
    model_admin: admin.ModelAdmin = admin.site.get_model_admin(model)
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    request = RequestFactory().get(url)
    assert model_admin.get_list_filter(request) == model_admin.list_filter, "else not all are asked for"
    for name in sorted(parameters(model_admin)):
        for value in ODD:
            answer = admin_client.get(url, {name: value})
            assert answer.status_code in (200, 302, 404), (name, value)
            if answer.status_code == 302:
                assert answer["Location"].endswith(f"?{ERROR_FLAG}=1") or answer["Location"].startswith("/admin/")


def test_a_path_with_a_null_character_is_not_found(admin_client: Client) -> None:
    assert admin_client.get("/admin/catalogue/record/%00/change/").status_code == 404


def test_a_set_that_there_is_not_is_no_list_of_all_records(admin_client: Client) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0"))
    url = reverse("admin:catalogue_record_changelist")
    unknown = str(max(MetadataSet.objects.values_list("pk", flat=True)) + 1)
    for value in ("WIS-GISC-TOKYO", unknown, "9" * 30):
        assert admin_client.get(url, {"set": value})["Location"].endswith(f"?{ERROR_FLAG}=1"), value
    assert admin_client.get(reverse("admin:catalogue_quality_records"), {"of": "x"}).status_code == 404
