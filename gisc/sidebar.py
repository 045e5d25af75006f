"""The sidebar of the admin: its pages, in order."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

_PAGES = {
    "Harvest": (
        ("Links", "sync_alt", "harvester.link"),
        ("Runs", "history", "harvester.run"),
        ("Rejects", "report", "harvester.reject"),
        ("Daily sums", "calendar_month", "harvester.linkday"),
        ("Conflicts", "call_split", "harvester.conflict"),
    ),
    "Catalogue": (
        ("Records", "description", "catalogue.record"),
        ("Sets", "folder", "catalogue.metadataset"),
        ("Claims", "rule", "catalogue.claim"),
        ("Crosswalks", "transform", "oaiprovider.crosswalk"),
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
    """Return UNFOLD["SIDEBAR"]["navigation"]: the pages that this account may see in the admin."""
    permitted = {
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
                if model in permitted
            ],
        }
        for title, pages in _PAGES.items()
    ]
    # active=False, because unfold marks by prefix, and "/" is a prefix of every address.
    public = [{"title": name, "icon": icon, "link": reverse(route), "active": False} for name, icon, route in _PUBLIC]
    return [*groups, {"title": "Public pages", "items": public}]
