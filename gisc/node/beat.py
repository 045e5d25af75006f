"""Celery beat without the apps: it sends messages by the names of tasks, so it starts sooner and takes less memory. Imports no app."""

from celery.apps import beat
from django.conf import settings
from django.utils.log import configure_logging


class Beat(beat.Beat):
    """Beat that loads nothing but the settings: Celery's would import the tasks, and with them the apps."""

    def init_loader(self) -> None:
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)  # as Django does where it loads the apps
        assert self.app is not None
        self.app.finalize()
