"""The centres that all tests use, and functions that build and store records.

Our node is Tokyo; Toulouse and Offenbach are peers. Records are stored through `catalogue.writing.store`, as everywhere;
only `restamp` and `restamp_all` write the database directly, to give records datestamps of the past.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from xml.sax.saxutils import escape

from django.db import connection

from catalogue import bootstrap, datestamps
from catalogue.models import DayLived, MetadataSet, Record
from catalogue.writing import decisions, set_inclusion, store

OUR_SPEC = "WIS-GISC-TOKYO"
OUR_BASE_URL = "http://gisc-tokyo.example.org"
OUR_EMAIL = "oai-admin@gisc-tokyo.example.org"


@dataclass(frozen=True, slots=True)
class Centre:
    """A peer GISC."""

    spec: str
    name: str
    base_url: str


TOULOUSE = Centre("WIS-GISC-TOULOUSE", "GISC Toulouse", "http://gisc-toulouse.example.org/oai")
OFFENBACH = Centre("WIS-GISC-OFFENBACH", "GISC Offenbach", "http://gisc-offenbach.example.org/oai")

_NAMESPACES = (
    'xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"'
    ' xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xsi:schemaLocation="http://www.isotc211.org/2005/gmd http://www.isotc211.org/2005/gmd/gmd.xsd"'
)
_CODES = "http://www.isotc211.org/2005/resources/Codelist/gmxCodelists.xml"


def iso_record(
    identifier: str,
    *,
    title: str = "Surface observations",
    abstract: str = "SYNOP reports of one station.",
    metadata_date: str = "2024-03-01",
    organisation: str = "Japan Meteorological Agency",
    role: str = "pointOfContact",
    keywords: Sequence[str] = (),
    box: tuple[float, float, float, float] | None = None,
    translations: Mapping[str, str] | None = None,
) -> bytes:
    """A small valid ISO 19139:2007 record. `box` is west, south, east, north; `translations` are titles by language."""
    translations = translations or {}
    locales = "".join(
        f'<gmd:locale><gmd:PT_Locale id="loc-{code}"><gmd:languageCode>{_code("LanguageCode", code)}</gmd:languageCode>'
        f"<gmd:characterEncoding>{_code('MD_CharacterSetCode', 'utf8')}</gmd:characterEncoding>"
        "</gmd:PT_Locale></gmd:locale>"
        for code in translations
    )
    titles = "".join(
        f'<gmd:textGroup><gmd:LocalisedCharacterString locale="#loc-{code}">{escape(text)}'
        "</gmd:LocalisedCharacterString></gmd:textGroup>"
        for code, text in translations.items()
    )
    multilingual = ' xsi:type="gmd:PT_FreeText_PropertyType"' if translations else ""
    keyword_elements = "".join(f"<gmd:keyword>{_text(keyword)}</gmd:keyword>" for keyword in keywords)
    party = (
        f"<gmd:CI_ResponsibleParty><gmd:organisationName>{_text(organisation)}</gmd:organisationName>"
        f"<gmd:role>{_code('CI_RoleCode', role)}</gmd:role></gmd:CI_ResponsibleParty>"
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<gmd:MD_Metadata {_NAMESPACES}>\n'
        f"<gmd:fileIdentifier>{_text(identifier)}</gmd:fileIdentifier>\n"
        f"<gmd:language>{_code('LanguageCode', 'eng')}</gmd:language>\n"
        f"<gmd:contact>{party}</gmd:contact>\n"
        f"<gmd:dateStamp><gco:Date>{metadata_date}</gco:Date></gmd:dateStamp>\n{locales}"
        "<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>"
        f"<gmd:title{multilingual}>{_text(title)}"
        f"{f'<gmd:PT_FreeText>{titles}</gmd:PT_FreeText>' if titles else ''}</gmd:title>"
        "<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2020-01-01</gco:Date></gmd:date>"
        f"<gmd:dateType>{_code('CI_DateTypeCode', 'publication')}</gmd:dateType></gmd:CI_Date></gmd:date>"
        f"</gmd:CI_Citation></gmd:citation>\n<gmd:abstract>{_text(abstract)}</gmd:abstract>\n"
        f"{f'<gmd:descriptiveKeywords><gmd:MD_Keywords>{keyword_elements}</gmd:MD_Keywords></gmd:descriptiveKeywords>' if keywords else ''}"
        f"<gmd:language>{_code('LanguageCode', 'eng')}</gmd:language>"
        "<gmd:topicCategory><gmd:MD_TopicCategoryCode>climatologyMeteorologyAtmosphere</gmd:MD_TopicCategoryCode>"
        f"</gmd:topicCategory>{_extent(box)}</gmd:MD_DataIdentification></gmd:identificationInfo>\n</gmd:MD_Metadata>\n"
    ).encode()


def in_time(record: bytes, begin: str, end: str) -> bytes:
    """The same record, with a time extent as it is written so."""
    extent = (
        '<gmd:EX_TemporalExtent><gmd:extent xmlns:gml="http://www.opengis.net/gml"><gml:TimePeriod>'
        f"<gml:beginPosition>{begin}</gml:beginPosition><gml:endPosition>{end}</gml:endPosition>"
        "</gml:TimePeriod></gmd:extent></gmd:EX_TemporalExtent></gmd:MD_Metadata>"
    )
    return record.replace(b"</gmd:MD_Metadata>", extent.encode())


def in_language(record: bytes, language: str) -> bytes:
    """The same record, which writes its language so."""
    begin, end = record.index(b"<gmd:language>"), record.index(b"</gmd:language>")
    return record[:begin] + b"<gmd:language>" + _text(language).encode() + record[end:]


def _text(value: str) -> str:
    return f"<gco:CharacterString>{escape(value)}</gco:CharacterString>"


def _code(name: str, value: str) -> str:
    return f'<gmd:{name} codeList="{_CODES}#{name}" codeListValue="{value}">{value}</gmd:{name}>'


def _extent(box: tuple[float, float, float, float] | None) -> str:
    if box is None:
        return ""
    west, south, east, north = box
    sides = (
        ("westBoundLongitude", west),
        ("eastBoundLongitude", east),
        ("southBoundLatitude", south),
        ("northBoundLatitude", north),
    )
    degrees = "".join(f"<gmd:{name}><gco:Decimal>{value}</gco:Decimal></gmd:{name}>" for name, value in sides)
    return (
        "<gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox>"
        f"{degrees}</gmd:EX_GeographicBoundingBox></gmd:geographicElement></gmd:EX_Extent></gmd:extent>"
    )


def own_set() -> MetadataSet:
    """`WIS-GISC-TOKYO`."""
    return bootstrap.own_set()


def peer_set(centre: Centre) -> MetadataSet:
    """Return a peer's set; add the set if it is missing."""
    return set_inclusion.ensure_set(centre.spec, name=centre.name)


def put(*documents: bytes, into: MetadataSet | None = None) -> None:
    """Store records, in our own set by default; none may be rejected."""
    results = store.put_entries([store.prepare(document) for document in documents], into=into or own_set())
    refused = [result for result in results if result.action is decisions.Action.REJECTED]
    assert not refused, refused


def bury(*identifiers: str, into: MetadataSet | None = None) -> None:
    """Store tombstones, as a harvest of deleted headers does."""
    store.put_entries([store.prepare_deletion(identifier) for identifier in identifiers], into=into or own_set())


def restamp(identifier: str, datestamp: str) -> datetime:
    """Set the datestamp of a record and its memberships."""
    restamp_all({identifier: datestamp})
    stamp, _ = datestamps.parse(datestamp)
    return stamp


def restamp_all(stamps: Mapping[str, str]) -> None:
    """Set the datestamps of records, by their identifiers, and of their memberships."""
    keys = Record.objects.filter(identifier__in=stamps).values_list("pk", "identifier")
    values = {key: datestamps.parse(stamps[identifier])[0] for key, identifier in keys}
    # By key and without a join of tables: after a vacuum of empty ones PostgreSQL would choose one of quadratic cost.
    with connection.cursor() as cursor:
        for table, column in (("catalogue_record", "id"), ("catalogue_membership", "record_id")):
            cursor.execute(
                f"UPDATE {table} SET datestamp = given.stamp FROM unnest(%s::bigint[], %s::timestamptz[]) AS given (key, stamp)"
                f" WHERE {column} = given.key",
                [list(values), list(values.values())],
            )


def live_days(number: int) -> None:
    """Let the node have lived so many days, of 20 hours each, the last of them just now."""
    now = datetime.now(UTC).replace(microsecond=0)
    DayLived.objects.bulk_create(
        DayLived(mark=now - timedelta(hours=20 * before), purge={}) for before in reversed(range(number))
    )
