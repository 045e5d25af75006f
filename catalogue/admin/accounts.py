"""Admin pages for the accounts of those who may use the admin, and for their logins."""

from typing import TYPE_CHECKING

import axes.admin  # registers its models, so that ours below replace them
import django.contrib.auth.admin as auth_admin
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django.contrib.auth.models import Group, User
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from catalogue.admin.base import Admin

if TYPE_CHECKING:
    _UserAdmin = auth_admin.UserAdmin[User]
else:
    _UserAdmin = auth_admin.UserAdmin

admin.site.unregister([User, Group, AccessAttempt, AccessFailureLog, AccessLog])


@admin.register(User)
class UserAdmin(_UserAdmin, Admin):  # type: ignore[misc]
    """Django's accounts, in the style of this admin."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(auth_admin.GroupAdmin, Admin):  # type: ignore[misc]
    """Django's groups."""


@admin.register(AccessAttempt)
class AccessAttemptAdmin(axes.admin.AccessAttemptAdmin, Admin):  # type: ignore[misc]
    """Failed logins. Deleting the attempts of an account lets it in again before its waiting time is over."""


@admin.register(AccessFailureLog)
class AccessFailureLogAdmin(axes.admin.AccessFailureLogAdmin, Admin):  # type: ignore[misc]
    """Each failed login."""


@admin.register(AccessLog)
class AccessLogAdmin(axes.admin.AccessLogAdmin, Admin):  # type: ignore[misc]
    """Each login and logout."""
