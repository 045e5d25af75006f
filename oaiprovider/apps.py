from django.apps import AppConfig
from django.db.models.signals import post_migrate


class OaiProviderConfig(AppConfig):
    name = "oaiprovider"
    verbose_name = "OAI-PMH provider"

    def ready(self) -> None:
        from oaiprovider import (
            checks,  # noqa: F401  (registers the system checks)
            generations,
        )

        post_migrate.connect(generations.note, sender=self)
