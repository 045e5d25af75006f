"""Configuration of the Django app, and what it does when it is loaded."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class GiscConfig(AppConfig):
    name = "gisc"

    def ready(self) -> None:
        from gisc import (
            celery,  # noqa: F401  (tasks are queued in its broker, by whatever process)
            roles,
            secrets_checks,  # noqa: F401  (registers the system checks)
            shared_sessions,
            sign_ins,
        )
        from gisc.accounts import sessions
        from gisc.backup import (
            checks,  # noqa: F401  (registers the system checks)
        )
        from gisc.parts import (
            checks as parts_checks,  # noqa: F401  (registers the system check)
        )

        shared_sessions.listen()
        sign_ins.listen()
        sessions.listen()
        post_migrate.connect(roles.after_migrations, dispatch_uid="gisc.roles")
