"""The roles of people in the administration: what each may do with each table, in one place.

A role is one of Django's groups. `manage.py migrate` writes the groups from this table (`write_groups`), so that a new version's
tables belong to the right roles at once; permissions beyond a role are given to an account itself, or by a group of one's own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.apps import apps
from django.db import connections, transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Role(StrEnum):
    """The name of a group that the node keeps."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    DATA_MANAGER = "data manager"
    ADMINISTRATOR = "administrator"


DESCRIPTIONS: dict[Role, str | Promise] = {
    Role.VIEWER: _("reads links, runs, records and all settings of harvests; changes nothing"),
    Role.OPERATOR: _("keeps the harvests going: links, runs, rejects, conflicts, centres and alerts"),
    Role.DATA_MANAGER: _(
        "looks after what is served: records, sets, claims, conflicts, formats and harvester profiles"
    ),
    Role.ADMINISTRATOR: _("does everything, also with accounts and roles"),
}


class May(StrEnum):
    """What a role may do with a table."""

    NOTHING = ""
    VIEW = "view"
    ADD = "view add"
    DECIDE = "view change"  # also act on what is there
    MANAGE = "view add change delete"


@dataclass(frozen=True, slots=True)
class Rights:
    """What each role may do with a table; the administrator may do everything."""

    viewer: May
    operator: May
    data_manager: May


_READ = Rights(May.VIEW, May.VIEW, May.VIEW)
_OPERATED = Rights(May.VIEW, May.MANAGE, May.VIEW)
_SERVED = Rights(May.VIEW, May.VIEW, May.MANAGE)
_DECIDED = Rights(May.VIEW, May.DECIDE, May.DECIDE)
_CURATED = Rights(May.VIEW, May.VIEW, May.DECIDE)
_TRACED = Rights(May.NOTHING, May.VIEW, May.VIEW)
_ADMINISTERED = Rights(May.NOTHING, May.NOTHING, May.NOTHING)
RIGHTS = {
    # --- Harvests ---
    "harvester.link": _OPERATED,
    "harvester.alternative": _OPERATED,
    "harvester.centre": _OPERATED,
    "harvester.run": _READ,  # cancelled by whoever may change links
    "harvester.reject": _READ,
    "harvester.linkday": _READ,
    "harvester.conflict": _DECIDED,
    "alerts.recipient": _OPERATED,
    "alerts.message": _READ,
    # --- What is served ---
    "catalogue.record": _CURATED,
    "catalogue.membership": _READ,
    "catalogue.metadataset": Rights(May.VIEW, May.ADD, May.MANAGE),  # a link may need a set of its own
    "catalogue.claim": _CURATED,
    "catalogue.quality": _READ,
    "catalogue.upload": _SERVED,
    "catalogue.category": _SERVED,
    "oaiprovider.profile": _SERVED,
    "oaiprovider.crosswalk": _SERVED,
    "oaiprovider.identifydescription": _SERVED,
    # --- Accounts, and what nobody acts on from day to day ---
    "auth.user": _ADMINISTERED,
    "auth.group": _ADMINISTERED,
    "axes.accessattempt": _ADMINISTERED,
    "axes.accesslog": _ADMINISTERED,
    "axes.accessfailurelog": _ADMINISTERED,
    "catalogue.journaloutbox": _TRACED,
    "audit.act": _TRACED,
}


def edited_tables() -> list[str]:
    """Tables whose rows people add, change and delete; the audit log has what they were before and after."""
    known = {model._meta.label_lower for model in apps.get_models()}
    edited = [label for label, rights in RIGHTS.items() if May.MANAGE in (rights.operator, rights.data_manager)]
    return [label for label in (*edited, "auth.user", "auth.group") if label in known]


def codenames(role: Role) -> Iterator[str]:
    """Names of the permissions of a role, as `harvester.change_link`; all there are for an administrator: none is listed."""
    for label, rights in RIGHTS.items():
        app, model = label.split(".")
        may = May.MANAGE if role is Role.ADMINISTRATOR else getattr(rights, role.name.lower())
        yield from (f"{app}.{act}_{model}" for act in may.split())


def write_groups(using: str) -> None:
    """Create the groups of the roles, and give each exactly its permissions. Other groups stay as they are."""
    from django.contrib.auth.models import Group, Permission

    with transaction.atomic(using=using):
        all_permissions = {
            f"{app}.{codename}": pk
            for pk, app, codename in Permission.objects.using(using).values_list(
                "pk", "content_type__app_label", "codename"
            )
        }
        for role in Role:
            group, _created = Group.objects.using(using).get_or_create(name=role.value)
            wanted = set(all_permissions.values())
            if role is not Role.ADMINISTRATOR:
                wanted = {all_permissions[name] for name in codenames(role) if name in all_permissions}
            if wanted != set(group.permissions.values_list("pk", flat=True)):
                group.permissions.set(wanted)


def after_migrations(sender: Any, using: str, **_: Any) -> None:
    """Write the groups when all apps have their tables and permissions (the signal `post_migrate` comes for each app)."""
    from django.contrib.auth.management import create_permissions

    with_models = [config for config in apps.get_app_configs() if config.models_module is not None]
    if sender is with_models[-1] and "auth_group_permissions" in connections[using].introspection.table_names():
        create_permissions(sender, verbosity=0, using=using)
        write_groups(using)
