"""Score a record by the key performance indicators of WCMP 1.3 (KPI-1 to KPI-12). lxml only, no Django.

The scores are those of pywcmp 0.3.0, the WMO's own program, with its peculiarities, so that centres can compare them; what it needs a
dictionary or the network for is not scored at all: spelling (KPI-2, KPI-3), whether links answer (KPI-7, KPI-8, KPI-10). Those parts
count neither as reached nor as missing. docs/validation.md has the table.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast

from dateutil import parser as dates
from lxml import etree

from catalogue import oai, seams
from catalogue.documents import wcmp

NAMES = (
    "WCMP 1.3, Part 2 Compliance",
    "Good quality title",
    "Good quality abstract",
    "Temporal information",
    "WMOEssential data links",
    "Keywords",
    "Graphic overview for non bulletins metadata records",
    "Links health",
    "Data policy",
    "Distribution information",
    "Codelists validation",
    "DOI citation",
)
GRADES = ("A", "B", "C", "D", "E", "F", "U")
UNGRADED = "U"  # it breaks a rule of the profile
_LEAST = (("A", 80), ("B", 65), ("C", 50), ("D", 35), ("E", 20), ("F", 0))  # per cent
_SCHEMAS = "6.1.1"
# Chosen: five times as many as the largest real record. What the expressions cost grows with elements times depth.
MOST_ELEMENTS = 5_000
RULES = (_SCHEMAS, *wcmp.RULES)

# Code lists of ISO/TS 19139 (2007) and of WMO, 1.3.
WMO_LISTS = {
    "CI_DateTypeCode": frozenset(("creation", "publication", "revision", "reference")),
    "MD_KeywordTypeCode": frozenset(("discipline", "place", "stratum", "temporal", "theme", "dataCentre", "dataParam")),
    "WMO_CategoryCode": wcmp.CATEGORIES,
    "WMO_DistributionScopeCode": wcmp.SCOPES,
    "WMO_DataLicenseCode": wcmp.LICENCES,
    "WMO_GTSProductCategoryCode": wcmp.PRIORITIES,
}
ISO_LISTS = {
    "CI_DateTypeCode": frozenset(("creation", "publication", "revision")),
    "CI_RoleCode": frozenset(
        (
            "resourceProvider", "custodian", "owner", "user", "distributor", "originator", "pointOfContact",
            "principalInvestigator", "processor", "publisher", "author",
        )
    ),
    "MD_KeywordTypeCode": frozenset(("discipline", "place", "stratum", "temporal", "theme")),
    "MD_RestrictionCode": frozenset(
        (
            "copyright", "patent", "patentPending", "trademark", "license", "intellectualPropertyRights", "restricted",
            "otherRestrictions",
        )
    ),
    "MD_ScopeCode": frozenset(
        (
            "attribute", "attributeType", "collectionHardware", "collectionSession", "dataset", "series", "nonGeographicDataset",
            "dimensionGroup", "feature", "featureType", "propertyType", "fieldSession", "software", "service", "model", "tile",
        )
    ),
    "MD_TopicCategoryCode": frozenset(
        (
            "farming", "biota", "boundaries", "climatologyMeteorologyAtmosphere", "economy", "elevation", "environment",
            "geoscientificInformation", "health", "imageryBaseMapsEarthCover", "intelligenceMilitary", "inlandWaters", "location",
            "oceans", "planningCadastre", "society", "structure", "transportation", "utilitiesCommunication",
        )
    ),
}  # fmt: skip


class Score(NamedTuple):
    """What a record reaches of what can be reached."""

    reached: int
    total: int


class Kpis(NamedTuple):
    """The scores of KPI-1 to KPI-12, all together in per cent, and the grade: empty where the schemas were not looked at.

    Of a record with more than MOST_ELEMENTS, nothing.
    """

    scores: tuple[Score, ...] = ()
    percent: float | None = None
    grade: str = ""


_PREFIXES = {
    "gmd": oai.GMD_NS,
    "gco": "http://www.isotc211.org/2005/gco",
    "gmx": "http://www.isotc211.org/2005/gmx",
}
_GCO_TEXT, _ANCHOR = f"{{{_PREFIXES['gco']}}}CharacterString", f"{{{_PREFIXES['gmx']}}}Anchor"
_GMD, _GML = f"{{{oai.GMD_NS}}}", f"{{{wcmp.GML}}}"
_XLINK_TITLE = "{http://www.w3.org/1999/xlink}title"


def _xpath(expression: str) -> Callable[[etree._Element], list[Any]]:
    compiled = etree.XPath(expression, namespaces=_PREFIXES, smart_strings=False)
    return cast(Callable[[etree._Element], list[Any]], compiled)


_COUNT = cast(Callable[[etree._Element], float], etree.XPath("count(//*)"))


def score(root: etree._Element, broken: Iterable[str], *, with_schemas: bool) -> Kpis:
    """Score a record, of which the rules that it breaks are known; `with_schemas`: rule 6.1.1 was checked."""
    if _COUNT(root) > MOST_ELEMENTS:
        return Kpis()
    scores = (_compliance(broken, with_schemas=with_schemas), *(indicator(root) for indicator in _INDICATORS))
    reached, total = sum(each.reached for each in scores), sum(each.total for each in scores)
    percent = round(100 * reached / total, 3) if total else None
    return Kpis(scores, percent, _grade(scores[0], percent) if with_schemas else "")


def _grade(compliance: Score, percent: float | None) -> str:
    if percent is None or compliance.reached < compliance.total:
        return UNGRADED
    return next((grade for grade, least in _LEAST if percent >= least), "F")


def _compliance(broken: Iterable[str], *, with_schemas: bool) -> Score:
    rules = set(RULES) if with_schemas else set(RULES) - {_SCHEMAS}
    return Score(len(rules - set(broken)), len(rules))


# --- KPI-2 to KPI-4: texts and times ------------------------------------------------------------------

_TITLES = _xpath("//gmd:identificationInfo//gmd:citation/gmd:CI_Citation/gmd:title/gco:CharacterString")
_ABSTRACTS = _xpath("//gmd:identificationInfo//gmd:abstract/gco:CharacterString")
_PERIODS = _xpath(
    "/gmd:MD_Metadata/gmd:identificationInfo//gmd:temporalElement/gmd:EX_TemporalExtent/gmd:extent/*[local-name()='TimePeriod']"
)
_FREQUENCIES = _xpath(
    "/gmd:MD_Metadata/gmd:identificationInfo//gmd:resourceMaintenance//gmd:maintenanceAndUpdateFrequency"
)
_STATUS = _xpath("/gmd:MD_Metadata/gmd:identificationInfo//gmd:status")
_ACRONYM = re.compile(r"([A-Z]\.*){2,}s?")
_BULLETIN = re.compile(r"[A-Z]{4}\d{2}[\s_]*[A-Z]{4}")
_MARKUP = re.compile(r"<[A-Za-z!/?][^<>]*>")
_MOST_ITEMS = 100  # that are compared with one another, chosen
_MOST_CHARACTERS = 50_000  # of a title or abstract, chosen: no real one comes near


def _text(element: etree._Element) -> str:
    return str(element.text or "")[:_MOST_CHARACTERS]


def _title(root: etree._Element) -> Score:
    reached = total = 0
    for title in map(_text, _TITLES(root)):
        total += 7
        reached += 1  # it is there
        reached += len(title.split()) >= 3
        reached += len(title) <= 150
        reached += title.isalnum()
        reached += title.istitle()
        reached += sum(1 for _ in _ACRONYM.finditer(title)) <= 3
        reached += -1 if _BULLETIN.search(title) else 1
    return Score(reached, total)


def _abstract(root: etree._Element) -> Score:
    reached = total = 0
    for abstract in map(_text, _ABSTRACTS(root)):
        total += 2
        reached += 16 <= len(abstract) <= 2048
        reached += not _MARKUP.search(abstract)
        reached -= bool(_BULLETIN.search(abstract))
    return Score(reached, total)


def _temporal(root: etree._Element) -> Score:
    reached = total = 0
    periods = _PERIODS(root)
    for period in periods:
        total += 3
        begin, end = period.find(f"{_GML}beginPosition"), period.find(f"{_GML}endPosition")
        reached += 1
        if begin is not None and end is not None:
            first, last = _instant(begin), _instant(end)
            reached += 1 + (first is not None and last is not None and first < last)
    if not periods:
        total += 3
    reached += bool(_FREQUENCIES(root)) + bool(_STATUS(root))
    return Score(reached, total + 2)


def _instant(position: etree._Element) -> datetime | None:
    indeterminate, text = position.get("indeterminatePosition"), _text(position)[:100]
    if indeterminate is not None:
        days = {"now": 0, "unknown": 0, "before": -1, "after": 1}.get(str(indeterminate))
        return None if days is None else seams.now() + timedelta(days=days)
    try:
        found = dates.parse(text.removesuffix("Z"), fuzzy=True, ignoretz=True, default=datetime(2000, 1, 1))
        return found.replace(tzinfo=UTC) if text else None
    except (ValueError, OverflowError, TypeError):
        return None


# --- KPI-5 to KPI-8: links and keywords ---------------------------------------------------------------

_CONSTRAINTS = _xpath("gmd:identificationInfo//gmd:resourceConstraints/gmd:MD_LegalConstraints/gmd:otherConstraints")
_LINKAGES = _xpath(
    "gmd:distributionInfo/gmd:MD_Distribution/gmd:transferOptions/gmd:MD_DigitalTransferOptions/gmd:onLine/gmd:CI_OnlineResource"
    "/gmd:linkage"
)
_BLOCKS = _xpath("//gmd:MD_DataIdentification/gmd:descriptiveKeywords/gmd:MD_Keywords")
_OVERVIEWS = _xpath(
    "//gmd:identificationInfo/gmd:MD_DataIdentification/gmd:graphicOverview/gmd:MD_BrowseGraphic/gmd:fileName/gmx:Anchor"
)


def _texts(properties: Iterable[etree._Element]) -> list[str | None]:
    """Return the texts of properties: first those of CharacterString, then those of Anchor."""
    return [value.text for each in properties for value in _values(each)]


def _values(element: etree._Element) -> list[etree._Element]:
    return [*element.iterchildren(_GCO_TEXT), *element.iterchildren(_ANCHOR)]


def _essential(root: etree._Element) -> Score:
    number = _texts(_CONSTRAINTS(root)).count("WMOEssential")
    return Score(number if number and _LINKAGES(root) else 0, number)


class _Block(NamedTuple):
    """A block of keywords: their elements, the codes of its type, the titles of its thesaurus."""

    element: etree._Element
    keywords: list[etree._Element]
    types: list[str]
    thesauri: list[etree._Element]


def _blocks(root: etree._Element) -> Iterator[_Block]:
    for block in _BLOCKS(root):
        types = [
            code.get("codeListValue", code.text) for code in block.iterfind(f"{_GMD}type/{_GMD}MD_KeywordTypeCode")
        ]
        thesauri = list(block.iterfind(f"{_GMD}thesaurusName/{_GMD}CI_Citation/{_GMD}title"))
        yield _Block(
            block, list(block.iterchildren(f"{_GMD}keyword")), [each for each in types if each is not None], thesauri
        )


def _keywords(root: etree._Element) -> Score:
    number = anchors = typed = of_thesaurus = 0
    for block in _blocks(root):
        number += len(block.keywords)
        typed += len(block.keywords) if block.types else 0
        of_thesaurus += len(block.keywords) if block.thesauri else 0
        anchors += sum(keyword.find(_GCO_TEXT) is None for keyword in block.keywords)
    return Score((number > 0) + (anchors >= number) + (typed >= number) + (of_thesaurus >= number), 4)


def _overview(root: etree._Element) -> Score:
    number = len(_OVERVIEWS(root))
    return Score(number, number)


def _link_health(_root: etree._Element) -> Score:
    return Score(0, 0)  # it is all network


# --- KPI-9: data policy -------------------------------------------------------------------------------

_RESTRICTIONS = tuple(
    _xpath(f"gmd:identificationInfo//gmd:resourceConstraints/gmd:MD_LegalConstraints/gmd:{name}/gmd:MD_RestrictionCode")
    for name in ("accessConstraints", "useConstraints")
)
_SCOPE_LIST = "WMO_DistributionScopeCode"


def _policy(root: etree._Element) -> Score:
    constraints = _CONSTRAINTS(root)
    licences = [value for each in constraints for value in _values(each) if value.text in wcmp.LICENCES]
    has_anchor = any(value.tag == _ANCHOR for value in licences)
    restrictions = [code.text for find in _RESTRICTIONS for code in find(root)]
    has_priority = any(text in wcmp.PRIORITIES for text in _texts(constraints))
    is_scoped = has_category = scope_is_anchor = list_is_anchor = False
    for block in _blocks(root):
        named = [] if len(block.thesauri) != 1 else _texts(block.thesauri)
        if len(block.types) == 0 or not named or not _is_known_type(block.types[0]) or named[0] != _SCOPE_LIST:
            continue
        is_scoped |= block.types[0] in ("dataCenter", "dataCentre")
        for value in (value for keyword in block.keywords for value in _first_scope(keyword)):
            has_category |= value.text in (wcmp.GLOBAL_EXCHANGE, "RegionalExchange") and has_priority
            scope_is_anchor |= value.tag == _ANCHOR
        list_is_anchor |= any(value.tag == _ANCHOR for value in _values(block.thesauri[0]))
    are_anchors = has_anchor and scope_is_anchor and list_is_anchor
    restricted = restrictions.count("otherRestrictions") == len(_RESTRICTIONS)
    return Score(len(licences) + restricted + is_scoped + has_category + are_anchors, 5)


def _is_known_type(code: str) -> bool:
    return code in WMO_LISTS["MD_KeywordTypeCode"] | ISO_LISTS["MD_KeywordTypeCode"]


def _first_scope(keyword: etree._Element) -> list[etree._Element]:
    return [value for value in _values(keyword) if value.text in wcmp.SCOPES][:1]


# --- KPI-10 to KPI-12: distribution, code lists, citation ---------------------------------------------

_FORMATS = _xpath("//gmd:distributionInfo//gmd:distributionFormat/gmd:MD_Format")
_SPECIFICATIONS = _xpath("//gmd:distributionInfo//gmd:distributionFormat/gmd:MD_Format//gmd:specification/gmx:Anchor")
_DISTRIBUTION = tuple(
    map(
        _xpath,
        (
            "//gmd:distributionInfo//gmd:MD_Distributor//gmd:organisationName/gco:CharacterString",
            "//gmd:distributionInfo//gmd:MD_Distributor//gmd:contactInfo//gmd:electronicMailAddress/gco:CharacterString",
            "//gmd:distributionInfo//gmd:MD_DigitalTransferOptions//gmd:onLine//gmd:URL",
        ),
    )
)
_WMO_CODES = tuple(
    map(
        _xpath,
        (
            "//gmd:date/gmd:CI_Date/gmd:dateType/gmd:CI_DateTypeCode",
            "//gmd:MD_Keywords/gmd:type/gmd:MD_KeywordTypeCode",
        ),
    )
)
_ISO_CODES = tuple(
    map(
        _xpath,
        (
            "//gmd:CI_ResponsibleParty/gmd:role/gmd:CI_RoleCode",
            "//gmd:resourceConstraints//gmd:MD_RestrictionCode",
            "//gmd:scope//gmd:MD_ScopeCode",
        ),
    )
)
_TOPICS = _xpath("//gmd:topicCategory/gmd:MD_TopicCategoryCode")
# It looks for constraints twice.
_WITH_WMO_CODES = tuple(
    map(
        _xpath,
        (
            "//gmd:resourceConstraints//gmd:otherConstraints",
            "//gmd:resourceConstraints//gmd:otherConstraints",
            "//gmd:descriptiveKeywords/gmd:MD_Keywords/gmd:keyword",
        ),
    )
)
_OF_ANY_LIST = wcmp.PRIORITIES | wcmp.CATEGORIES | wcmp.SCOPES
_DOIS = _xpath("//gmd:identificationInfo//gmd:citation//gmd:identifier//gmd:code/gmx:Anchor")
_CITATIONS = _xpath("//gmd:identificationInfo//gmd:resourceConstraints//gmd:otherConstraints/gco:CharacterString")


def _distribution(root: etree._Element) -> Score:
    has_specification = bool(_FORMATS(root)) and bool(_SPECIFICATIONS(root))  # whether it answers is not asked
    reached = bool(_FORMATS(root)) + sum(bool(find(root)) for find in _DISTRIBUTION)
    return Score(reached, 4 if has_specification else 5)


def _code_lists(root: etree._Element) -> Score:
    reached = total = 0
    for lists, searches in ((WMO_LISTS, _WMO_CODES), (ISO_LISTS, _ISO_CODES)):
        for code in (code for find in searches for code in find(root)):
            total += 1
            reached += code.text in lists.get(str(code.get("codeList", "")).rsplit("#", 1)[-1], ())
    topics = [topic.text for topic in _TOPICS(root)]
    of_wmo = sum(text in _OF_ANY_LIST for find in _WITH_WMO_CODES for text in _texts(find(root)))
    reached += of_wmo + sum(topic in ISO_LISTS["MD_TopicCategoryCode"] for topic in topics)
    return Score(reached, total + of_wmo + len(topics))


def _citation(root: etree._Element) -> Score:
    anchors = _DOIS(root)[:_MOST_ITEMS]
    found = _CITATIONS(root)[:_MOST_ITEMS] if anchors else []
    texts = [_text(each) for each in found if each.text is not None]
    reached = 0
    for anchor in anchors:
        reached += 1 + (anchor.get(_XLINK_TITLE) == "DOI")
        reached += sum("Cite as:" in text and str(anchor.text or "") in text for text in texts)
    return Score(reached, 3 + 3 * len(anchors))


_INDICATORS: tuple[Callable[[etree._Element], Score], ...] = (
    _title,
    _abstract,
    _temporal,
    _essential,
    _keywords,
    _overview,
    _link_health,
    _policy,
    _distribution,
    _code_lists,
    _citation,
)
