"""Notes, after each migration, what the built-in formats are made with, so that a new version is noticed (P93).

A new version of the product with another stylesheet makes other records of the same items. Their effective datestamp
then rises, in that format alone, to the instant at which the version was installed.
"""

import hashlib
from typing import Any

from django.apps import apps as installed
from django.apps.registry import Apps
from django.db import connections, transaction

from catalogue import oai
from oaiprovider import oai_dc


def note(*, using: str = "default", apps: Apps = installed, **_: Any) -> None:
    """Compare the digest of the shipped stylesheet with the one noted; a difference takes a stamp under the lock."""
    try:
        generations = apps.get_model("oaiprovider", "Generation").objects.using(using)
    except LookupError:
        return  # migrated back to before there were any
    digest = hashlib.sha256(oai_dc.source()).hexdigest()
    with transaction.atomic(using=using):
        noted = generations.select_for_update().filter(pk=oai.OAI_DC).first()
        if noted is None:
            # What it was made with before is not known, and on a new node there was nothing.
            generations.create(prefix=oai.OAI_DC, digest=digest)
        elif noted.digest != digest:
            with connections[using].cursor() as cursor:
                cursor.execute("SELECT catalogue_stamp()")
                (stamp,) = cursor.fetchone()
            generations.filter(pk=oai.OAI_DC).update(digest=digest, changed=stamp)
