"""After each migration, compare the stylesheets of the built-in formats with those of the version before (P93).

When a new version of the product has another stylesheet, its records of this format differ from those already
harvested. Their datestamps in that format then rise to the instant at which the version was installed.
"""

import hashlib
from typing import Any

from django.apps import apps as installed
from django.apps.registry import Apps
from django.db import connections, transaction

from catalogue import oai
from catalogue.documents import dublin_core


def record_version(*, using: str = "default", apps: Apps = installed, **_: Any) -> None:
    """Compare the digest of the shipped stylesheet with the stored one; a difference takes a stamp under the lock."""
    try:
        generations = apps.get_model("oaiprovider", "Generation").objects.using(using)
    except LookupError:
        return  # migrated back to a version without this model
    digest = hashlib.sha256(dublin_core.source()).hexdigest()
    with transaction.atomic(using=using):
        stored = generations.select_for_update().filter(pk=oai.OAI_DC).first()
        if stored is None:
            # A new node, or an upgrade from a version that stored no digest: nothing to compare with.
            generations.create(prefix=oai.OAI_DC, digest=digest)
        elif stored.digest != digest:
            with connections[using].cursor() as cursor:
                cursor.execute("SELECT catalogue_stamp()")
                (stamp,) = cursor.fetchone()
            generations.filter(pk=oai.OAI_DC).update(digest=digest, changed=stamp)
