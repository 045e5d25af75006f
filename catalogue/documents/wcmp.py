"""Check a record against the WMO Core Metadata Profile 1.3, as far as a program can. lxml only, no Django.

One small function for each requirement of the profile's part 2; it yields sentences for the data manager.
6.1.1, the XML schemas, is `catalogue.documents.schemas`. Of 6.1.2, Table A.1 of ISO/TS 19139, `_TABLE_A1` has the rows
that are tested: XML itself ensures rows 1 to 3; rows 19 to 22 (definitions of extensions) and 25 to 28 (kinds of units)
are not tested. Case and punctuation of a thesaurus' name do not count, as in `iso19139.names_code_list`; terms must be
exact.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

from lxml import etree

from catalogue import oai
from catalogue.documents import iso19139

MAX_FAULTS = 10  # chosen, for each rule: after ten sentences a data manager has to look at the whole record
MAX_QUOTED = 100  # characters that a sentence quotes from the record

GML = "http://www.opengis.net/gml/3.2"
GLOBAL_PREFIX = "urn:x-wmo:md:int.wmo.wis::"
GLOBAL_EXCHANGE = "GlobalExchange"

# The code lists of the profile, as wmo-im/wcmp publishes them. `atmosphericOzone` is in no list; it is no fault if the
# record has another term that is.
CATEGORIES = frozenset(
    [
        "weatherObservations",
        "weatherForecasts",
        "meteorology",
        "hydrology",
        "climatology",
        "landMeteorologyClimate",
        "synopticMeteorology",
        "marineMeteorology",
        "agriculturalMeteorology",
        "aerology",
        "marineAerology",
        "oceanography",
        "landHydrology",
        "rocketSounding",
        "pollution",
        "waterPollution",
        "landWaterPollution",
        "seaPollution",
        "landPollution",
        "airPollution",
        "glaciology",
        "actinometry",
        "satelliteObservation",
        "airplaneObservation",
        "observationPlatform",
        "spaceWeather",
        "atmosphericComposition",
        "radiation",
    ]
)
SCOPES = frozenset({GLOBAL_EXCHANGE, "RegionalExchange", "OriginatingCentre"})
LICENCES = frozenset({"WMOEssential", "WMOAdditional", "WMOOther", "NoLimitation"})
PRIORITIES = frozenset({"GTSPriority1", "GTSPriority2", "GTSPriority3", "GTSPriority4"})

_PREFIXES = {"gmd": oai.GMD_NS, "gco": "http://www.isotc211.org/2005/gco", "gmx": "http://www.isotc211.org/2005/gmx"}
_GMD = f"{{{oai.GMD_NS}}}"
_HREF = "{http://www.w3.org/1999/xlink}href"


class Fault(NamedTuple):
    """A rule that a record breaks, and a sentence for its data manager."""

    rule: str
    text: str


Check = Callable[[etree._Element], Iterator[str]]


def check(root: etree._Element) -> list[Fault]:
    """Check a record against all rules of the profile. Never raises: an error of a check becomes a fault."""
    found = []
    for rule, rule_check in RULES.items():
        try:
            texts = list(rule_check(root))
        except Exception as exc:
            texts = [f"This check failed on this record ({type(exc).__name__}: {exc}); please tell the developers"]
        found += [Fault(rule, text) for text in texts[:MAX_FAULTS]]
        if len(texts) > MAX_FAULTS:
            found.append(Fault(rule, f"and {len(texts) - MAX_FAULTS} faults of this kind more"))
    return found


def _xpath(expression: str) -> Callable[[etree._Element], Any]:
    return cast(Callable[..., Any], etree.XPath(expression, namespaces=_PREFIXES, smart_strings=False))


# --- 6: encoding -------------------------------------------------------------------------------------


class _Row(NamedTuple):
    row: str
    element: str
    condition: Callable[[etree._Element], Any]
    text: str


_IS_DATASET = "(not(gmd:hierarchyLevel) or gmd:hierarchyLevel/*/@codeListValue = 'dataset')"
_EXTENT = "gmd:identificationInfo/*/*[local-name() = 'extent']/*/gmd:geographicElement"
_TABLE_A1 = tuple(
    _Row(row, element, _xpath(f"boolean({condition})"), text)
    for row, element, condition, text in (
        ("4", ".", f"not({_IS_DATASET}) or {_EXTENT}/gmd:EX_GeographicBoundingBox or {_EXTENT}/gmd:EX_GeographicDescription", "A dataset needs a geographic bounding box or a geographic description"),
        ("5", ".", f"not({_IS_DATASET}) or gmd:identificationInfo/*/gmd:topicCategory", "A dataset needs a topicCategory"),
        ("6", "MD_AggregateInformation", "gmd:aggregateDataSetName or gmd:aggregateDataSetIdentifier", "The other dataset needs a name or an identifier"),
        ("7", "MD_LegalConstraints", "gmd:otherConstraints or not((gmd:accessConstraints | gmd:useConstraints)/*/@codeListValue = 'otherRestrictions')", "Where access or use has otherRestrictions, otherConstraints must say which"),
        ("8", "DQ_DataQuality", "gmd:report or gmd:lineage or not(gmd:scope/*/gmd:level/*/@codeListValue = 'dataset')", "The quality of a dataset needs a report or a lineage"),
        ("9", "DQ_Scope", "gmd:levelDescription or gmd:level/*/@codeListValue = 'dataset' or gmd:level/*/@codeListValue = 'series'", "A level other than dataset or series needs a levelDescription"),
        ("10 to 12", "LI_Lineage", "gmd:statement or gmd:source or gmd:processStep", "A lineage needs a statement, a source or a process step"),
        ("13, 14", "LI_Source", "gmd:description or gmd:sourceExtent", "A source needs a description or an extent"),
        ("15", "MD_Georectified", "gmd:checkPointDescription or not(gmd:checkPointAvailability/gco:Boolean[. = '1' or . = 'true'])", "Check points that are available need a checkPointDescription"),
        ("16", "MD_Band", "gmd:units or not(gmd:maxValue or gmd:minValue)", "A band with a largest or smallest value needs units"),
        ("17", "MD_Medium", "gmd:densityUnits or not(gmd:density)", "A medium with a density needs densityUnits"),
        ("18", "MD_Distribution", "gmd:distributionFormat or gmd:distributor/*/gmd:distributorFormat", "A distribution needs at least one format"),
        ("23", "EX_Extent", "gmd:description or gmd:geographicElement or gmd:temporalElement or gmd:verticalElement", "An extent needs a description or a geographic, temporal or vertical element"),
        ("24", "CI_ResponsibleParty", "gmd:individualName or gmd:organisationName or gmd:positionName", "A party needs the name of a person, an organisation or a position"),
    )
)  # fmt: skip


def rules_of_table_a1(root: etree._Element) -> Iterator[str]:
    """6.1.2: the conditions of ISO/TS 19139, Annex A, that schemas cannot express."""
    for row, name, condition, text in _TABLE_A1:
        for element in [root] if name == "." else root.iter(f"{_GMD}{name}"):
            if not condition(element):
                where = "" if name == "." else f" ({name}, line {element.sourceline})"
                yield f"{text}{where}; ISO/TS 19139, Table A.1, row {row}"


_UNPREFIXED = _xpath("//*[name() = local-name()]")


def no_default_namespace(root: etree._Element) -> Iterator[str]:
    """6.2.1: every namespace is named by a prefix."""
    unprefixed = _UNPREFIXED(root)
    if unprefixed or None in root.nsmap:
        example = etree.QName(unprefixed[0] if unprefixed else root).localname
        yield f"A default namespace is declared (see {example}); give every namespace a prefix, such as gmd:{example}"


_IN_GML = _xpath("//*[starts-with(namespace-uri(), 'http://www.opengis.net/gml')]")


def gml_is_3_2(root: etree._Element) -> Iterator[str]:
    """6.3.1: GML, where it occurs, is in the namespace of GML 3.2."""
    spaces = {str(etree.QName(element).namespace) for element in _IN_GML(root)} | set(root.nsmap.values())
    old = "http://www.opengis.net/gml"
    for space in sorted(space for space in spaces if space == old or (space.startswith(f"{old}/") and space != GML)):
        yield f"The GML namespace is {space[:MAX_QUOTED]}; it must be {GML}"


# --- 8: discovery ------------------------------------------------------------------------------------

_BLOCKS = _xpath("gmd:identificationInfo/*/gmd:descriptiveKeywords/gmd:MD_Keywords")


def _thesaurus(block: etree._Element) -> etree._Element | None:
    return block.find(f"{_GMD}thesaurusName")


def _blocks_of(root: etree._Element, code_list: str) -> list[etree._Element]:
    return [block for block in _BLOCKS(root) if iso19139.names_code_list(_thesaurus(block), code_list)]


def _terms(properties: Any) -> set[str]:
    """Return the terms in properties such as keywords: their texts, and the last parts of their anchors' addresses."""
    found = set()
    for element in properties:
        found.add(iso19139.text_of(element))
        for value in element.iterchildren(etree.Element):
            address = str(value.get(_HREF, ""))
            found |= {address.rsplit(mark, 1)[-1] for mark in "#/_" if mark in address}
    return found - {""}


def _type_of(block: etree._Element) -> str:
    code = block.find(f"{_GMD}type/*")
    return "" if code is None else str(code.get("codeListValue", "")).strip() or iso19139.text_of(code.getparent())


def one_file_identifier(root: etree._Element) -> Iterator[str]:
    """8.1.1: exactly one gmd:fileIdentifier."""
    number = len(root.findall(f"{_GMD}fileIdentifier"))
    if number != 1:
        yield f"The record has {number or 'no'} gmd:fileIdentifier; it must have exactly one"


def a_category(root: etree._Element) -> Iterator[str]:
    """8.2.1: at least one keyword from the WMO_CategoryCode list."""
    blocks = _blocks_of(root, "WMO_CategoryCode")
    terms = _terms(keyword for block in blocks for keyword in block.iterchildren(f"{_GMD}keyword"))
    if terms & CATEGORIES:
        return
    if not blocks:
        yield (
            "No keyword is from the WMO_CategoryCode list; add at least one, such as weatherObservations, in a "
            "block of keywords whose thesaurus is called WMO_CategoryCode"
        )
    elif not terms:
        yield "The block of WMO_CategoryCode keywords is empty; write at least one term, such as weatherObservations"
    else:
        yield f"{_quoted(terms)} is no term of the WMO_CategoryCode list; use one, such as weatherObservations"


def categories_are_themes(root: etree._Element) -> Iterator[str]:
    """8.2.2: the WMO_CategoryCode keywords are of type theme."""
    for block in _blocks_of(root, "WMO_CategoryCode"):
        kind = _type_of(block)
        if kind != "theme":
            yield f"The WMO_CategoryCode keywords are of type {kind[:MAX_QUOTED] or '(none)'}; it must be theme"


def one_block_for_a_thesaurus(root: etree._Element) -> Iterator[str]:
    """8.2.3: the keywords of one thesaurus stand in one block."""
    blocks: defaultdict[tuple[etree._Element | None, str], int] = defaultdict(int)
    for block in _BLOCKS(root):
        thesaurus = _thesaurus(block)
        title = None if thesaurus is None else thesaurus.find(f"*/{_GMD}title")
        name = iso19139.text_of(title) or next(iter(_terms([] if title is None else [title])), "")
        if name:
            blocks[block.getparent().getparent(), name] += 1
    for (_, name), number in blocks.items():
        if number > 1:
            yield f"{number} blocks have keywords of the thesaurus {name[:MAX_QUOTED]}; put them into one block"


_LEVELS = _xpath("gmd:hierarchyLevel/*/@codeListValue | gmd:hierarchyLevel/*/text()")
_BOX = _xpath(f"{_EXTENT}/gmd:EX_GeographicBoundingBox")


def a_bounding_box(root: etree._Element) -> Iterator[str]:
    """8.2.4: geographic data have a bounding box."""
    if "nonGeographicDataset" not in [level.strip() for level in _LEVELS(root)] and not _BOX(root):
        yield (
            "The data have no geographic bounding box; add one, or, where they are not geographic, give the record "
            "the hierarchyLevel nonGeographicDataset"
        )


# --- 9: data for global exchange ---------------------------------------------------------------------

_KEYWORDS = _xpath("gmd:identificationInfo/*/gmd:descriptiveKeywords/gmd:MD_Keywords/gmd:keyword")
_OTHER_CONSTRAINTS = _xpath("gmd:identificationInfo/*/gmd:resourceConstraints/*/gmd:otherConstraints")


def is_for_global_exchange(root: etree._Element) -> bool:
    """Whether the record describes data for global exchange.

    It does if it has the keyword GlobalExchange, or if no keyword names a scope and the identifier has the form that is
    reserved for such data.
    """
    scopes = _terms(_KEYWORDS(root)) & SCOPES
    return GLOBAL_EXCHANGE in scopes or (not scopes and _identifier(root).startswith(GLOBAL_PREFIX))


def global_exchange_keyword(root: etree._Element) -> Iterator[str]:
    """9.1.1: the keyword GlobalExchange, of type dataCentre, from WMO_DistributionScopeCode."""
    if not is_for_global_exchange(root):
        return
    blocks = [block for block in _BLOCKS(root) if GLOBAL_EXCHANGE in _terms(block.iterchildren(f"{_GMD}keyword"))]
    if not blocks:
        yield (
            f"The identifier begins with {GLOBAL_PREFIX}, as for global exchange, but the keyword {GLOBAL_EXCHANGE} "
            "from WMO_DistributionScopeCode is missing; add it, or the keyword of another scope"
        )
    for block in blocks:
        if not iso19139.names_code_list(_thesaurus(block), "WMO_DistributionScopeCode"):
            yield f"The keyword {GLOBAL_EXCHANGE} must be in a block whose thesaurus is WMO_DistributionScopeCode"
        kind = _type_of(block)
        if kind not in ("dataCentre", "dataCenter"):
            yield f"The keyword {GLOBAL_EXCHANGE} is of type {kind[:MAX_QUOTED] or '(none)'}; it must be dataCentre"


def identifier_for_global_exchange(root: etree._Element) -> Iterator[str]:
    """9.2.1: the identifier is urn:x-wmo:md:int.wmo.wis::{uid}."""
    identifier = _identifier(root)
    has_form = identifier.startswith(GLOBAL_PREFIX) and identifier != GLOBAL_PREFIX
    if is_for_global_exchange(root) and not has_form:
        yield (
            f"The identifier {identifier[:MAX_QUOTED]} is not of the form {GLOBAL_PREFIX}{{uid}}, with the uid of the "
            "bulletin or file, which data for global exchange must have"
        )


def one_licence(root: etree._Element) -> Iterator[str]:
    """9.3.1: one and only one term of WMO_DataLicenseCode in otherConstraints."""
    yield from _one_term(root, LICENCES, "WMO_DataLicenseCode", "WMOEssential")


def one_gts_priority(root: etree._Element) -> Iterator[str]:
    """9.3.2: one and only one term of WMO_GTSProductCategoryCode in otherConstraints."""
    yield from _one_term(root, PRIORITIES, "WMO_GTSProductCategoryCode", "GTSPriority2")


def _one_term(root: etree._Element, terms: frozenset[str], code_list: str, example: str) -> Iterator[str]:
    if not is_for_global_exchange(root):
        return
    found = _terms(_OTHER_CONSTRAINTS(root)) & terms
    if not found:
        yield f"No otherConstraints has a term of {code_list}; add exactly one, such as {example}"
    elif len(found) > 1:
        yield f"otherConstraints has several terms of {code_list} ({_quoted(found)}); leave exactly one"


def _identifier(root: etree._Element) -> str:
    return iso19139.text_of(root.find(f"{_GMD}fileIdentifier"))


def _quoted(terms: set[str]) -> str:
    text = ", ".join(sorted(terms))
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}..."


RULES: dict[str, Check] = {
    "6.1.2": rules_of_table_a1,
    "6.2.1": no_default_namespace,
    "6.3.1": gml_is_3_2,
    "8.1.1": one_file_identifier,
    "8.2.1": a_category,
    "8.2.2": categories_are_themes,
    "8.2.3": one_block_for_a_thesaurus,
    "8.2.4": a_bounding_box,
    "9.1.1": global_exchange_keyword,
    "9.2.1": identifier_for_global_exchange,
    "9.3.1": one_licence,
    "9.3.2": one_gts_priority,
}
