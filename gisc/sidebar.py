"""The sidebar of the admin: which pages, in which order, for whom."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

_PAGES = {
    "Harvest": (
        ("Links", "sync_alt", "harvester.link"),
        ("Runs", "history", "harvester.run"),
        ("Rejects", "report", "harvester.reject"),
        ("Conflicts", "call_split", "harvester.conflict"),
    ),
    "Catalogue": (
        ("Records", "description", "catalogue.record"),
        ("Sets", "folder", "catalogue.metadataset"),
        ("Claims", "rule", "catalogue.claim"),
        ("Crosswalks", "transform", "oaiprovider.oai_dc"),
        ("Waiting for the journal", "pending", "catalogue.journaloutbox"),
    ),
    "Provider": (
        ("Harvester profiles", "badge", "oaiprovider.profile"),
        ("Containers of Identify", "data_object", "oaiprovider.identifydescription"),
    ),
    "Access": (
        ("Users", "person", "auth.user"),
        ("Groups", "group", "auth.group"),
        ("Failed logins", "lock", "axes.accessattempt"),
    ),
}
_PUBLIC = (("Search", "search", "catalogue:search"), ("Harvest status", "monitor_heart", "harvester:status"))


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """What UNFOLD["SIDEBAR"]["navigation"] wants: the pages that the admin itself would show this account."""
    shown = {
        f"{app['app_label']}.{model['object_name'].lower()}"
        for app in admin.site.get_app_list(request)
        for model in app["models"]
    }
    groups = [
        {
            "title": title,
            "items": [
                {"title": name, "icon": icon, "link": reverse(f"admin:{model.replace('.', '_')}_changelist")}
                for name, icon, model in pages
                if model in shown
            ],
        }
        for title, pages in _PAGES.items()
    ]
    # Never marked as where one is: "/" begins every address.
    public = [{"title": name, "icon": icon, "link": reverse(route), "active": False} for name, icon, route in _PUBLIC]
    return [*groups, {"title": "Public pages", "items": public}]
