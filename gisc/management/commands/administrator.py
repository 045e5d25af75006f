"""`manage.py administrator`: the first account of a node whose processes are containers."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError

from gisc.administrator import NAME, Outcome, create_first

# A made-up password would stay in the log for as long as the container does, so none is made up.
_SAID = {
    Outcome.THERE_IS_ONE: "There is an administrator; GISC_ADMIN_PASSWORD is not used.",
    Outcome.NO_PASSWORD: "There is no administrator: set GISC_ADMIN_PASSWORD and start again, "
    "or run manage.py createsuperuser",
    Outcome.CREATED: f"The administrator `{NAME}` was created with the password in GISC_ADMIN_PASSWORD.",
}


class Command(BaseCommand):
    help = "Create the administrator `admin` with the password in GISC_ADMIN_PASSWORD, if there is no administrator."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            outcome, _ = create_first(make_up=False)
        except ImproperlyConfigured as exc:
            raise CommandError(str(exc), returncode=2) from exc
        self.stdout.write(_SAID[outcome])
