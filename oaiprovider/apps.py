"""Configuration of the Django app, and what it does when it is loaded."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class OaiProviderConfig(AppConfig):
    name = "oaiprovider"
    verbose_name = _("OAI-PMH provider")

    def ready(self) -> None:
        from oaiprovider import (
            checks,  # noqa: F401  (registers the system checks)
        )
        from oaiprovider.formats import versions
        from oaiprovider.models import ensure_any

        post_migrate.connect(ensure_any, sender=self)
        post_migrate.connect(versions.record_version, sender=self)
