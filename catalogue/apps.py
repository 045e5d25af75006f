"""Configuration of the Django app, and what it does when it is loaded."""

from django.apps import AppConfig


class CatalogueConfig(AppConfig):
    name = "catalogue"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from catalogue import checks  # noqa: F401  (registers the system checks)
        from catalogue.reading import replica

        replica.listen()
