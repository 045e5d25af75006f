from django.apps import AppConfig


class OaiProviderConfig(AppConfig):
    name = "oaiprovider"
    verbose_name = "OAI-PMH provider"

    def ready(self) -> None:
        from oaiprovider import checks  # noqa: F401  (registers the system checks)
