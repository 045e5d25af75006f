"""The sample records that a node can load into its empty catalogue."""

from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from catalogue import bootstrap
from catalogue.documents.sources import SAMPLES
from catalogue.models import Record
from gisc import env
from gisc.early_texts import gettext


def folder() -> Path:
    """Return the folder of this node's sample records, or else of those that any node can use."""
    own = SAMPLES / settings.GISC_NAME
    return own if own.is_dir() else SAMPLES / "WIS-GISC-TOKYO"


def load_if_wanted() -> None:
    """Load the sample records into an empty catalogue if SAMPLES=1. A catalogue with tombstones is not empty."""
    samples = env.text("SAMPLES", "0")
    if samples not in ("0", "1"):
        sentence = gettext("SAMPLES is {value}; write 1 to load the sample records, or leave it out")
        raise ImproperlyConfigured(sentence.format(value=repr(samples)))
    if samples == "1" and not Record.objects.exists():
        call_command("ingest", str(folder()), set=bootstrap.own_set().spec)
