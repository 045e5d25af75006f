"""The formats that this repository supports now: the built-in ones and those that operators have uploaded.

They are read anew for each answer, after its instant, so that every change stamped before that instant is visible. A
stylesheet and its time of change are always written together (P93).
"""

import dataclasses
import functools
from collections.abc import Collection

from django.conf import settings
from django.db.models import Q, QuerySet

from catalogue import oai
from oaiprovider.builtin_formats import ALIAS, FORMATS, Format
from oaiprovider.formats import custom
from oaiprovider.formats.stylesheet import Stylesheet
from oaiprovider.models import Crosswalk, Generation


def find(prefix: str, further: Collection[str] = ()) -> Format | None:
    """Return the format with this prefix, which may be withdrawn; None if the repository does not support it.

    `further`: the prefixes that only this harvester's profile gives it (G8).
    """
    if prefix == oai.ISO19139:
        return FORMATS.get(prefix)  # its records are the stored ones: no stylesheet can change, and no query is needed
    if prefix == ALIAS.prefix:
        return ALIAS if settings.GISC_UPPERCASE_PREFIX else None
    row = None if prefix == oai.OAI_DC else _crosswalks(further).filter(prefix=prefix).first()
    if row is not None:  # also one that was uploaded before the product had a format of this name
        return from_crosswalk(row)
    return _with_last_change(FORMATS[prefix]) if prefix in FORMATS else None


def offered(further: Collection[str] = ()) -> list[Format]:
    """List the formats of ListMetadataFormats (P63): all that are not withdrawn, the built-in ones first."""
    alias = [ALIAS] if settings.GISC_UPPERCASE_PREFIX else []
    rows = list(_crosswalks(further).order_by("prefix"))
    uploaded = {row.prefix for row in rows}
    built_in = [_with_last_change(each) for each in FORMATS.values() if each.prefix not in uploaded]
    return [*built_in, *alias, *(from_crosswalk(row) for row in rows if row.enabled)]


def _crosswalks(further: Collection[str]) -> QuerySet[Crosswalk]:
    return Crosswalk.objects.filter(Q(for_everybody=True) | Q(prefix__in=list(further)), changed__isnull=False)


def from_crosswalk(row: Crosswalk) -> Format:
    """Make the format of an uploaded crosswalk."""
    stylesheet = Stylesheet.of(row.stylesheet, row.namespace, row.schema)
    return Format(
        row.prefix,
        row.schema,
        row.namespace,
        functools.partial(custom.disseminate, row.prefix, stylesheet),
        changed=row.changed,
        withdrawn=not row.enabled,
        certain=False,
    )


def _with_last_change(built_in: Format) -> Format:
    """Add the time at which a new version of the product changed this format."""
    generation = Generation.objects.filter(pk=built_in.prefix).first()
    if generation is None or generation.changed is None:
        return built_in
    return dataclasses.replace(built_in, changed=generation.changed)
