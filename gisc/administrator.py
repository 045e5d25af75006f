"""The first account of a node. Made once, by whatever starts the node first."""

import enum
import os
import secrets

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ImproperlyConfigured, ValidationError

from catalogue import locks
from gisc import env

NAME = "admin"


class Outcome(enum.Enum):
    """What `create_first` found or did."""

    THERE_IS_ONE = enum.auto()
    CREATED = enum.auto()
    NO_PASSWORD = enum.auto()


def create_first(*, make_up: bool) -> tuple[Outcome, str | None]:
    """Create the administrator if the node has none, with GISC_ADMIN_PASSWORD or, if `make_up`, one made up here.

    The outcome, and the password if it was made up. Raises ImproperlyConfigured for a weak password.
    """
    users = get_user_model()._default_manager
    given = env.secret("GISC_ADMIN_PASSWORD")
    os.environ.pop("GISC_ADMIN_PASSWORD", None)  # no child needs it
    with locks.session_lock(locks.DATABASE_PREPARATION):
        if users.filter(is_superuser=True, is_active=True).exists():
            return Outcome.THERE_IS_ONE, None
        if not given and not make_up:
            return Outcome.NO_PASSWORD, None
        if given:
            try:
                validate_password(given)
            except ValidationError as exc:
                raise ImproperlyConfigured(
                    f"GISC_ADMIN_PASSWORD is no good password: {' '.join(exc.messages)} Write another one"
                ) from exc
        password = given or secrets.token_urlsafe(12)
        users.create_superuser(NAME, settings.GISC_ADMIN_EMAIL, password)
    return Outcome.CREATED, None if given else password
