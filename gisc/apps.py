"""Configuration of the Django app, and what it does when it is loaded."""

from django.apps import AppConfig


class GiscConfig(AppConfig):
    name = "gisc"

    def ready(self) -> None:
        from gisc import sign_ins
        from gisc.backup import (
            checks,  # noqa: F401  (registers the system checks)
        )

        sign_ins.listen()
