"""Admin pages for the accounts of those who may use the admin, for their roles, and for their sign-ins."""

from typing import TYPE_CHECKING, Any

import axes.admin  # registers its models, so that ours below replace them
import django.contrib.auth.admin as auth_admin
import django_otp.plugins.otp_static.admin
import django_otp.plugins.otp_totp.admin  # noqa: F401  (these would show keys, and are taken away)
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from axes.utils import reset
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from catalogue.admin.base import Admin, ReadOnly
from gisc.accounts import second_factor
from gisc.roles import DESCRIPTIONS, Role

if TYPE_CHECKING:
    _UserAdmin = auth_admin.UserAdmin[User]
else:
    _UserAdmin = auth_admin.UserAdmin

admin.site.unregister([User, Group, AccessAttempt, AccessFailureLog, AccessLog, TOTPDevice, StaticDevice])
_OF_ROLES = frozenset(role.value for role in Role)


@admin.register(User)
class UserAdmin(_UserAdmin, Admin):  # type: ignore[misc]
    """Django's accounts, in the style of this admin, with roles in plain words."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "roles", "second_factor", "email", "is_active", "last_login")
    actions = ("reset_second_factor",)
    list_filter = ("groups", "is_active", "is_superuser")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("What this person may do"), {"fields": ("is_active", "groups", "is_superuser")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (
            _("Single permissions"),
            {
                "classes": ("collapse",),
                "fields": ("is_staff", "user_permissions"),
                "description": _("Beyond the roles; most accounts need none."),
            },
        ),
        (_("When"), {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("username", "usable_password", "password1", "password2", "groups")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        found: QuerySet[User] = super().get_queryset(request)
        keys = TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True)
        return found.prefetch_related("groups").annotate(has_second_factor=Exists(keys))

    @admin.display(description=_("roles"))
    def roles(self, user: User) -> str:
        names = [group.name for group in user.groups.all()]
        return ", ".join(["superuser", *names] if user.is_superuser else names) or gettext("none")

    @admin.display(description=_("second factor"), boolean=True)
    def second_factor(self, user: User) -> bool:
        return bool(getattr(user, "has_second_factor", False))

    @admin.action(description=_("Reset the second factor (phone lost)"), permissions=["change"])
    def reset_second_factor(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Let these people sign in with the password alone, until they set up a second factor again."""
        touched = [user for user in queryset if _may_touch(request, user)]
        number = second_factor.remove(touched)
        text = gettext("%(number)d accounts have no second factor any more. Tell the people to set it up again.")
        self.message_user(request, text % {"number": number}, messages.SUCCESS)
        if refused := [str(user) for user in queryset if user not in touched]:
            text = gettext("Left as it is, because only a superuser may change it: %(names)s.")
            self.message_user(request, text % {"names": ", ".join(refused)}, messages.ERROR)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["widget"] = UnfoldAdminCheckboxSelectMultipleWidget()
        field: Any = super().formfield_for_manytomany(db_field, request, **kwargs)
        if db_field.name != "groups":
            field.queryset = _permissions_to_give(request, "user")
            return field
        field.label, field.required = _("Roles"), False
        field.help_text = _("Whoever has a role may sign in here. The rights of several roles add up.")
        field.label_from_instance = _describe_group
        return field

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Take the menu for editing groups away from the roles: it is on the page of the groups."""
        field: Any = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "groups" and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget = field.widget.widget
        return field

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Let nobody give more than they have: only a superuser makes superusers, or gives single permissions."""
        fixed = () if _is_superuser(request) else ("is_superuser", "user_permissions")
        return (*self.readonly_fields, *fixed)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return bool(super().has_change_permission(request, obj)) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return bool(super().has_delete_permission(request, obj)) and _may_touch(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], set[str], list[str]]:
        listed, counts, refused, protected = super().get_deleted_objects(objs, request)
        refused |= {str(user) for user in objs if not _may_touch(request, user)}
        return listed, counts, refused, protected

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Let whoever has a role sign in to the administration."""
        super().save_related(request, form, formsets, change)
        user: User = form.instance
        if not user.is_staff and user.groups.filter(name__in=_OF_ROLES).exists():
            user.is_staff = True
            user.save(update_fields=["is_staff"])


def _permissions_to_give(request: HttpRequest | None, whose: str) -> QuerySet[Permission]:
    """Return the permissions on the tables that the administration shows, and those that the account or group of the page has already."""
    types = ContentType.objects.get_for_models(*admin.site._registry).values()
    match = request.resolver_match if request else None
    edited = match.kwargs.get("object_id") if match else None
    held = Permission.objects.filter(**{whose: edited}).values("pk") if edited else ()
    offered = Permission.objects.filter(Q(content_type__in=types) | Q(pk__in=held))
    return offered.select_related("content_type")


@admin.register(Group)
class GroupAdmin(auth_admin.GroupAdmin, Admin):  # type: ignore[misc]
    """Django's groups. Those of the roles are the node's own, and cannot be changed."""

    list_display = ("name", "what")
    filter_horizontal = ()

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest | None = None, **kwargs: Any) -> Any:
        """Offer the permissions as boxes to tick: Django's two lists cannot be used by a screen reader."""
        kwargs["widget"] = UnfoldAdminCheckboxSelectMultipleWidget()
        field: Any = super().formfield_for_manytomany(db_field, request, **kwargs)
        field.queryset = _permissions_to_give(request, "group")
        return field

    @admin.display(description=_("what it may do"))
    def what(self, group: Group) -> str:
        return str(DESCRIPTIONS[Role(group.name)]) if group.name in _OF_ROLES else gettext("a group of your own")

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return bool(super().has_change_permission(request, obj)) and not _is_role(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return bool(super().has_delete_permission(request, obj)) and not _is_role(obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], set[str], list[str]]:
        listed, counts, refused, protected = super().get_deleted_objects(objs, request)
        refused |= {str(group) for group in objs if _is_role(group)}
        return listed, counts, refused, protected


_META = {"fields": ("user_agent", "ip_address", "http_accept")}


class LockedFilter(axes.admin.IsLockedOutFilter):  # type: ignore[misc]
    """Filter by whether an account has to wait."""

    title = _("locked")

    def lookups(self, request: HttpRequest, model_admin: Any) -> tuple[tuple[str, Any], ...]:
        return ("yes", _("yes")), ("no", _("no"))


@admin.register(AccessAttempt)
class AccessAttemptAdmin(axes.admin.AccessAttemptAdmin, Admin):  # type: ignore[misc]
    """Failed sign-ins that count for the lock of an account."""

    empty_words = _("No failed sign-in counts against an account now.")
    actions = ("unlock",)
    list_filter = ("attempt_time", "path_info", LockedFilter)
    fieldsets = (
        (None, {"fields": ("username", "path_info", "failures_since_start")}),
        (_("What was sent"), {"fields": ("get_data", "post_data")}),
        (_("Where from"), _META),
    )

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description=_("status"))
    def status(self, attempt: AccessAttempt) -> str:
        """Say whether the account is locked, or how many tries it has left."""
        left = settings.AXES_FAILURE_LIMIT - attempt.failures_since_start
        if left <= 0:
            return gettext("locked")
        return ngettext("{number} try left", "{number} tries left", left).format(number=left)

    @admin.action(description=_("Let these accounts sign in again"), permissions=["delete"])
    def unlock(self, request: HttpRequest, queryset: QuerySet[AccessAttempt]) -> None:
        """Forget the failures of the chosen names and addresses, so that nobody waits for the end of the hour."""
        chosen = set(queryset.values_list("username", "ip_address"))
        forgotten = sum(reset(username=username, ip=address) for username, address in chosen)
        text = gettext("%(number)d failed sign-ins no longer count.") % {"number": forgotten}
        self.message_user(request, text, messages.SUCCESS)


@admin.register(AccessFailureLog)
class AccessFailureLogAdmin(ReadOnly, axes.admin.AccessFailureLogAdmin, Admin):  # type: ignore[misc]
    """Each failed login."""

    empty_words = _("No sign-in has failed.")
    fieldsets = ((None, {"fields": ("username", "path_info", "locked_out")}), (_("Where from"), _META))


@admin.register(AccessLog)
class AccessLogAdmin(ReadOnly, axes.admin.AccessLogAdmin, Admin):  # type: ignore[misc]
    """Each login and logout."""

    empty_words = _("Nobody has signed in yet.")
    fieldsets = ((None, {"fields": ("username", "path_info")}), (_("Where from"), _META))


def _is_superuser(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))


def _may_touch(request: HttpRequest, account: User | None) -> bool:
    """Whether a person may change an account: that of a superuser only another superuser."""
    return account is None or not account.is_superuser or _is_superuser(request)


def _is_role(group: Group | None) -> bool:
    return group is not None and group.name in _OF_ROLES


def _describe_group(group: Group) -> str:
    return f"{group.name}: {DESCRIPTIONS[Role(group.name)]}" if group.name in _OF_ROLES else group.name
