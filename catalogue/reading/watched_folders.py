"""The watched folders, as they were when they were looked through last."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count

from catalogue.models import WatchedFile, WatchedFolder

_LOOKS_MISSED = 10  # chosen: in a row, before somebody is to look after it
_LEAST_LATE = timedelta(minutes=10)  # chosen: a look that reads large files takes long


@dataclass(frozen=True, slots=True)
class FolderState:
    """How a folder is. `is_late`: it is to be watched, and nobody does. `faulty`: files with documents that were not stored.

    `first`: the first of these documents, its source and the reason as it is stored; None where there is none.
    """

    folder: WatchedFolder
    is_late: bool
    faulty: int
    first: Mapping[str, Any] | None


def states(now: datetime) -> list[FolderState]:
    """Return how all folders are that are or have been watched. Three queries, however many they are."""
    faulty = WatchedFile.objects.filter(fault__isnull=False)
    numbers = dict(faulty.values_list("folder").annotate(Count("pk")))
    first = dict(faulty.order_by("folder", "path").distinct("folder").values_list("folder", "fault"))
    return [
        FolderState(each, _is_late(each, now), numbers.get(each.folder, 0), first.get(each.folder))
        for each in WatchedFolder.objects.order_by("folder")
    ]


def _is_late(folder: WatchedFolder, now: datetime) -> bool:
    if folder.every_s is None:
        return False
    return now - folder.looked > max(_LOOKS_MISSED * timedelta(seconds=folder.every_s), _LEAST_LATE)
