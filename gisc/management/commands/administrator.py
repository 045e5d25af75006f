"""`manage.py administrator`: the first account of a node whose processes are containers."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.utils.translation import gettext_lazy as _

from catalogue.management.base import BaseCommand
from gisc.administrator import NAME, AccountOutcome, create_first

_MESSAGES = {
    AccountOutcome.EXISTED: _("There is an administrator; GISC_ADMIN_PASSWORD is not used."),
    AccountOutcome.NO_PASSWORD: _(
        "There is no administrator: set GISC_ADMIN_PASSWORD and start again, or run manage.py createsuperuser"
    ),
    AccountOutcome.CREATED: _("The administrator `{name}` was created with the password in GISC_ADMIN_PASSWORD."),
}


class Command(BaseCommand):
    help = _("Create the administrator `admin` with the password in GISC_ADMIN_PASSWORD, if there is no administrator.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            # A generated password would stay in the log as long as the container exists.
            outcome, _ = create_first(generate_password=False)
        except ImproperlyConfigured as exc:
            raise CommandError(str(exc), returncode=2) from exc
        self.stdout.write(str(_MESSAGES[outcome]).format(name=NAME))
