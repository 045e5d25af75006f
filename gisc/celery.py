"""The Celery application. Its settings are the `CELERY_...` ones of gisc.settings; its tasks live in the apps."""

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
app = Celery("gisc")
app.set_default()  # for every thread: a task queued from a web thread goes to our broker, not to Celery's own default
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _keep_our_logging(**_: object) -> None:
    """Connecting to this signal keeps Celery off the root logger; Django has set up logging by then."""
