"""The formats that this repository supports now: the built-in ones and what operators have uploaded.

Asked for anew in each answer, after its instant: a change that is stamped before that instant is seen, and what is
seen together, stylesheet and time of change, was written together (P93).
"""

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
    """The format with this prefix, which may be withdrawn; None if the repository does not support it.

    `further`: the prefixes that a harvester's profile gives it besides what everybody gets (G8).
    """
    if prefix == oai.ISO19139:
        return FORMATS.get(prefix)  # as it is stored: it has no generation, and costs no query
    if prefix == ALIAS.prefix:
        return ALIAS if settings.GISC_UPPERCASE_PREFIX else None
    if prefix in FORMATS:
        return _built_in(FORMATS[prefix])
    row = _crosswalks(further).filter(prefix=prefix).first()
    return None if row is None else from_crosswalk(row)


def offered(further: Collection[str] = ()) -> list[Format]:
    """What ListMetadataFormats shows (P63): all that is not withdrawn, the built-in ones first."""
    alias = [ALIAS] if settings.GISC_UPPERCASE_PREFIX else []
    rows = _crosswalks(further).filter(enabled=True).order_by("prefix")
    return [*(_built_in(known) for known in FORMATS.values()), *alias, *map(from_crosswalk, rows)]


def _crosswalks(further: Collection[str]) -> QuerySet[Crosswalk]:
    return Crosswalk.objects.filter(Q(for_everybody=True) | Q(prefix__in=list(further)), changed__isnull=False)


def from_crosswalk(row: Crosswalk) -> Format:
    """The format that a crosswalk makes."""
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


def _built_in(known: Format) -> Format:
    generation = Generation.objects.filter(pk=known.prefix).first()
    if generation is None or generation.changed is None:
        return known
    return Format(
        known.prefix,
        known.schema,
        known.namespace,
        known.disseminate,
        changed=generation.changed,
        altered=known.altered,
    )
