"""Tell search engines of all records that everybody may see: an index of site maps, whose parts are ranges of record ids.

A part costs the same wherever it lies, and a record stays in its part (sitemaps.org, protocol 0.9).
"""

from dataclasses import dataclass
from urllib.parse import quote_plus
from xml.sax.saxutils import escape

from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from catalogue.discovery.outputs import record_address
from catalogue.limits import Replaceable


@dataclass(frozen=True, slots=True)
class SiteMapLimits:
    """How large a part is: it may have 50,000 addresses and 50 MB."""

    ids_of_part: int = 20_000  # chosen: so many are made in 0.2 s


LIMITS = Replaceable(SiteMapLimits())
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_PARTS = """
    SELECT part FROM generate_series(0, (SELECT coalesce(max(id), 0) FROM catalogue_record) / %(ids)s) AS part
    WHERE EXISTS (
        SELECT FROM catalogue_record WHERE id >= part * %(ids)s AND id < (part + 1) * %(ids)s AND NOT deleted AND audience = 0
    )
"""
_RECORDS = """
    SELECT identifier, to_char(datestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM catalogue_record
    WHERE id >= %(part)s * %(ids)s AND id < (%(part)s + 1) * %(ids)s AND NOT deleted AND audience = 0 ORDER BY id
"""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Return the index of the site maps."""
    with connection.cursor() as cursor:
        cursor.execute(_PARTS, {"ids": LIMITS.in_force.ids_of_part})
        parts = [part for (part,) in cursor.fetchall()]
    lines = "".join(
        f"<sitemap><loc>{escape(request.build_absolute_uri(reverse('catalogue:site_map_part', args=[part])))}</loc></sitemap>\n"
        for part in parts
    )
    return _xml(f"<sitemapindex {_NAMESPACE}>\n{lines}</sitemapindex>\n")


@require_safe
def part(request: HttpRequest, number: int) -> HttpResponse:
    """Return one site map; 404 if it has no record."""
    if number >= 2**62 // LIMITS.in_force.ids_of_part:
        raise Http404
    with connection.cursor() as cursor:
        cursor.execute(_RECORDS, {"part": number, "ids": LIMITS.in_force.ids_of_part})
        rows = cursor.fetchall()
    if not rows:
        raise Http404
    begin = escape(request.build_absolute_uri(record_address("")))
    lines = "".join(
        # Nothing that a quoted identifier has means anything in XML.
        f"<url><loc>{begin}{quote_plus(identifier)}</loc><lastmod>{stamp}</lastmod></url>\n"
        for identifier, stamp in rows
    )
    return _xml(f"<urlset {_NAMESPACE}>\n{lines}</urlset>\n")


def _xml(body: str) -> HttpResponse:
    return HttpResponse(_HEAD + body, content_type="application/xml; charset=utf-8")
