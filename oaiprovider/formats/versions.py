"""After each migration, compare what makes the built-in formats with what the version before had (P93).

When a new version of the product makes other records of a format, they differ from those already harvested. Their datestamps in
that format then rise to the instant at which the version was installed.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from django.apps import apps as installed
from django.apps.registry import Apps
from django.db import connections, transaction

from catalogue import oai
from catalogue.documents import dcat, dublin_core
from oaiprovider.builtin_formats import DCAT_AP

# What the records of a format depend on, by its prefix.
_SOURCES: dict[str, Callable[[], bytes]] = {oai.OAI_DC: dublin_core.source, DCAT_AP: dcat.source}


def record_version(*, using: str = "default", apps: Apps = installed, **_: Any) -> None:
    """Compare the digests of the formats with the stored ones; a difference takes a stamp under the lock."""
    try:
        generations = apps.get_model("oaiprovider", "Generation").objects.using(using)
    except LookupError:
        return  # migrated back to a version without this model
    for prefix, source in _SOURCES.items():
        digest = hashlib.sha256(source()).hexdigest()
        with transaction.atomic(using=using):
            stored = generations.select_for_update().filter(pk=prefix).first()
            if stored is None:
                # A new node, or an upgrade from a version that stored no digest: nothing to compare with.
                generations.create(prefix=prefix, digest=digest)
            elif stored.digest != digest:
                with connections[using].cursor() as cursor:
                    cursor.execute("SELECT catalogue_stamp()")
                    (stamp,) = cursor.fetchone()
                generations.filter(pk=prefix).update(digest=digest, changed=stamp)
