"""The Celery application. Its settings are the `CELERY_...` ones of gisc.settings; its tasks live in the apps."""

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
app = Celery("gisc")
app.set_default()  # for all threads: without this, a web thread would queue tasks in Celery's default broker
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _keep_our_logging(**_: object) -> None:
    """Keep Celery from setting up the root logger, as a receiver of this signal does; Django has set up logging."""
