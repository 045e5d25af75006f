"""The sidebar of the admin: its pages, in order."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from catalogue.outage import ERRORS
from gisc.parts import parts

_PAGES = {
    _("Harvest"): (
        (_("Links"), "sync_alt", "harvester.link"),
        (_("Runs"), "history", "harvester.run"),
        (_("Rejects"), "report", "harvester.reject"),
        (_("Daily sums"), "calendar_month", "harvester.linkday"),
        (_("Conflicts"), "call_split", "harvester.conflict"),
        (_("Centres"), "hub", "harvester.centre"),
    ),
    _("Catalogue"): (
        (_("Records"), "description", "catalogue.record"),
        (_("Uploads"), "upload_file", "catalogue.upload"),
        (_("Sets"), "folder", "catalogue.metadataset"),
        (_("Categories"), "visibility_lock", "catalogue.category"),
        (_("Other versions"), "rule", "catalogue.claim"),
        (_("Quality"), "grade", "catalogue.quality"),
        (_("Crosswalks"), "transform", "oaiprovider.crosswalk"),
        (_("Journal"), "menu_book", "catalogue.journaloutbox"),
    ),
    _("Provider"): (
        (_("Harvester profiles"), "badge", "oaiprovider.profile"),
        (_("Descriptions in Identify"), "data_object", "oaiprovider.identifydescription"),
    ),
    _("Alerts"): (
        (_("Recipients"), "notifications", "alerts.recipient"),
        (_("Alert log"), "outbox", "alerts.message"),
    ),
    _("Access"): (
        (_("Users"), "person", "auth.user"),
        (_("Groups"), "group", "auth.group"),
        (_("Failed logins"), "lock", "axes.accessattempt"),
        (_("Audit log"), "manage_search", "audit.act"),
    ),
}
_PUBLIC = (
    (_("Search"), "search", "catalogue:search"),
    (_("Harvest status"), "monitor_heart", "harvester:status"),
    (_("Glossary"), "menu_book", "glossary"),
)


# What waits for a person, by the page where it is done. Each is found by an index.
_BADGES = """
    SELECT (SELECT count(*) FROM harvester_link WHERE enabled AND failures > 0),
        (SELECT count(*) FROM (SELECT FROM harvester_conflict WHERE settled IS NULL LIMIT 1000) AS waiting),
        (SELECT count(*) FROM (SELECT FROM harvester_reject WHERE settled IS NULL LIMIT 1000) AS standing)
"""
_MOST = 1000  # are counted, as pages are opened often: more are "1,000+"
_BADGED = ("harvester.link", "harvester.conflict", "harvester.reject")


def _badges() -> dict[str, int]:
    """Return how many links fail, conflicts wait and rejects stand; nothing, where the database cannot say."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(_BADGES)
            return dict(zip(_BADGED, cursor.fetchone(), strict=True))
    except ERRORS:
        return {}


def _item(name: str, icon: str, model: str, badges: dict[str, int]) -> dict[str, Any]:
    item = {"title": gettext(name), "icon": icon, "link": reverse(f"admin:{model.replace('.', '_')}_changelist")}
    return item | _badge(badges.get(model, 0))


def _badge(number: int) -> dict[str, str]:
    return {"badge": f"{number:,}{'+' if number >= _MOST else ''}", "badge_variant": "warning"} if number else {}


def _is_permitted(request: HttpRequest, model: str) -> bool:
    """Whether the admin lists this model for the account, by the rules of `get_app_list`, which makes the addresses of all models besides."""
    page = admin.site.get_model_admin(apps.get_model(model))
    return page.has_module_permission(request) and any(page.get_model_perms(request).values())


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return UNFOLD["SIDEBAR"]["navigation"]: the pages that this account may see in the admin."""
    permitted = {model for pages in _PAGES.values() for _name, _icon, model in pages if _is_permitted(request, model)}
    badges = _badges() if permitted.intersection(_BADGED) else {}
    groups = [
        {
            "title": gettext(title),
            "items": [_item(name, icon, model, badges) for name, icon, model in pages if model in permitted],
        }
        for title, pages in _PAGES.items()
    ]
    # active=False, because unfold marks by prefix, and "/" is a prefix of every address.
    public = [
        {"title": gettext(name), "icon": icon, "link": reverse(route), "active": False} for name, icon, route in _PUBLIC
    ]
    dashboard = {"title": gettext("Dashboard"), "icon": "dashboard", "link": reverse("admin:index")}
    start = {"title": "", "items": [dashboard | _badge(len(parts.recent().unwell))]}
    return [start, *groups, {"title": gettext("Public pages"), "items": public}]
