"""Remove what would grow without bound beside the apps: sessions, sign-ins, the audit log, servers' logs,
files of dead processes. And note which database this node has.

The catalogue's tick calls `tick`, by a dotted path in the settings.
"""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.db.models import Model, QuerySet
from django_otp.plugins.otp_totp.models import TOTPDevice

from catalogue import seams
from catalogue.database_identity import database_identity
from gisc import embedded, heartbeat, metrics_files
from gisc.audit.models import Act

logger = logging.getLogger(__name__)
_FOLDERS = ("gisc-ca-*", "gisc-ingest-*")  # of the harvester's sessions, and of ingest


@dataclass(frozen=True, slots=True)
class UpkeepLimits:
    """How much stays, and how much goes at once. All are chosen."""

    sign_ins_days: int = 90
    sign_ins: int = 10_000  # of each kind: somebody may try passwords all day
    acts_days: int = 730  # what was done in the admin, by whom
    unconfirmed_days: int = 1  # a second factor that was begun and not set up
    temporary_days: int = 7  # a folder that was not touched for so long has no process any more
    log_bytes: int = 10_000_000  # of a log of an embedded server; one older part stays beside it
    batch: int = 5000  # rows of a table
    every_s: float = 600


DEFAULTS = UpkeepLimits()
_next_s = 0.0


def tick() -> None:
    """Note in Redis which database the ticks of this node are of; clean up, if this process has not done so lately."""
    global _next_s
    if (identity := database_identity()) is not None:
        heartbeat.note_database(identity)
    if seams.monotonic() >= _next_s:
        _next_s = seams.monotonic() + DEFAULTS.every_s
        clean_up()


def clean_up(limits: UpkeepLimits = DEFAULTS) -> None:
    """Remove what is over its bounds, a batch of each kind."""
    removed = {rows.model._meta.label: _remove(rows, limits.batch) for rows in _old_rows(limits)}
    removed["temporary folders"] = _remove_folders(limits)
    if any(removed.values()):
        logger.info("cleaned up", extra={"removed": {name: number for name, number in removed.items() if number}})
    if settings.GISC_EMBEDDED_DATABASE:
        embedded.rotate_database_log(settings.GISC_DATA_DIR, limits.log_bytes)
        embedded.keep_room(settings.GISC_DATA_DIR)
    if settings.GISC_EMBEDDED_REDIS:
        embedded.rotate_broker_log(settings.GISC_DATA_DIR, limits.log_bytes)
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        with metrics_files.folded(Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])):
            pass


def _old_rows(limits: UpkeepLimits) -> Iterator[QuerySet[Model]]:
    """Rows that may go. A failed sign-in stays while it counts for the lock of its account."""
    now = seams.now()
    yield Session.objects.filter(expire_date__lt=now)
    yield Act.objects.filter(at__lt=now - timedelta(days=settings.GISC_AUDIT_RETENTION_DAYS))
    yield TOTPDevice.objects.filter(confirmed=False, created_at__lt=now - timedelta(days=limits.unconfirmed_days))
    yield LogEntry.objects.filter(action_time__lt=now - timedelta(days=limits.acts_days))
    counts_for = timedelta(hours=settings.AXES_COOLOFF_TIME)
    for model, kept_for in ((AccessLog, timedelta()), (AccessFailureLog, timedelta()), (AccessAttempt, counts_for)):
        newest_first = model.objects.order_by("-attempt_time", "-pk")
        yield model.objects.filter(attempt_time__lt=now - timedelta(days=limits.sign_ins_days))
        surplus = newest_first.values_list("attempt_time", flat=True)[limits.sign_ins : limits.sign_ins + 1].first()
        if surplus is not None:
            yield model.objects.filter(attempt_time__lte=min(surplus, now - kept_for))


def _remove(rows: QuerySet[Model], batch: int) -> int:
    pks = list(rows.order_by().values_list("pk", flat=True)[:batch])
    return rows.model._default_manager.filter(pk__in=pks).delete()[0]


def _remove_folders(limits: UpkeepLimits) -> int:
    """Remove the temporary folders that a process left behind when it was killed."""
    before = seams.now().timestamp() - timedelta(days=limits.temporary_days).total_seconds()
    removed = 0
    for pattern in _FOLDERS:
        for folder in Path(tempfile.gettempdir()).glob(pattern):
            try:
                facts = folder.lstat()
            except OSError:  # another process was faster
                continue
            if facts.st_uid == os.geteuid() and facts.st_mtime < before and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
    return removed
