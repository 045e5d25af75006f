"""Create the first account of a node, once, at its first start."""

import enum
import os
import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.utils.translation import gettext

from catalogue import locks
from gisc import env

NAME = "admin"


class AccountOutcome(enum.Enum):
    """The result of `create_first`."""

    EXISTED = enum.auto()
    CREATED = enum.auto()
    NO_PASSWORD = enum.auto()


def password_file() -> Path:
    """Return the file that keeps a generated password, for its owner alone, until somebody removes it."""
    return Path(settings.GISC_DATA_DIR) / "admin_password"


def create_first(*, generate_password: bool) -> tuple[AccountOutcome, str | None]:
    """Create the administrator if the node has none, with GISC_ADMIN_PASSWORD or, if allowed, a generated password.

    Returns the outcome, and the password if it was generated. Raises ImproperlyConfigured for a weak password.
    """
    users = get_user_model()._default_manager
    given = env.secret("GISC_ADMIN_PASSWORD")
    os.environ.pop("GISC_ADMIN_PASSWORD", None)  # no child needs it
    with locks.session_lock(locks.DATABASE_PREPARATION):
        if users.filter(is_superuser=True, is_active=True).exists():
            return AccountOutcome.EXISTED, None
        if not given and not generate_password:
            return AccountOutcome.NO_PASSWORD, None
        if given:
            try:
                validate_password(given)
            except ValidationError as exc:
                sentence = gettext("GISC_ADMIN_PASSWORD is no good password: {why} Write another one")
                raise ImproperlyConfigured(sentence.format(why=" ".join(exc.messages))) from exc
        password = given or secrets.token_urlsafe(12)
        if not given:  # first, as it could not be read anywhere later
            _keep(password)
        users.create_superuser(NAME, settings.GISC_ADMIN_EMAIL, password)
    return AccountOutcome.CREATED, None if given else password


def _keep(password: str) -> None:
    file = password_file()
    file.unlink(missing_ok=True)
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
        stream.write(f"{password}\n")
