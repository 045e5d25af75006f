"""Answer requests to `/sru`. Reads only. What is wrong with a request is answered as a diagnostic, with status 200 (SRU 1.2)."""

from collections.abc import Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from catalogue import oai
from catalogue.discovery.sru import answers, cql, parameters
from catalogue.discovery.sru.answers import Found, Term
from catalogue.discovery.sru.diagnostics import Code, Diagnostic
from catalogue.discovery.sru.indexes import Index
from catalogue.discovery.sru.parameters import DC, MOST_POSITION, Explain, Scan, SearchRetrieve
from catalogue.documents import dublin_core, xml_tree
from catalogue.models import Record
from catalogue.pages import interfaces, viewers
from catalogue.payloads import payload, readable
from catalogue.reading.query import conditions
from catalogue.reading.query.search import Count, Page, Query, QueryTooCostly, Search
from catalogue.reading.viewers import Viewer

MOST_VALUES = 100  # of an index that scan knows of: those that most records have (chosen)
_NOTES = {
    "left-out": "only the first {word} words were looked for",
    "words": "“{word}” begins too many words: only records with the word itself were looked for",
    "identifiers": "“{word}” begins too many identifiers: it was only looked for as a word",
    "unchecked": "some of these records may not have “{word}”, but a word that is mistaken for it",
}


@csrf_exempt  # a POST here changes nothing (SRU 1.2 has it for long queries)
@interfaces.offered(interfaces.SRU)
@viewers.by_viewer
@gzip_page
@require_http_methods(["GET", "HEAD", "POST"])
def sru(request: HttpRequest) -> HttpResponse:
    """Answer one request of SRU."""
    arguments = request.POST if request.method == "POST" else request.GET
    try:
        asked = parameters.read(arguments)
        match asked:
            case SearchRetrieve():
                body = _search(asked, arguments, viewers.of(request))
            case Scan():
                body = _scan(asked, arguments, viewers.of(request))
            case Explain():
                body = answers.explain_response(asked.version, asked.packing, *_self(request))
    except Diagnostic as diagnostic:
        body = _refused(request, arguments, diagnostic)
    except QueryTooCostly as exc:
        body = _refused(request, arguments, _too_costly(str(exc)))
    return _xml(body)


def unavailable(request: HttpRequest, sentence: str) -> HttpResponse:
    """Return the answer of a node that cannot answer now, with status 503."""
    arguments = request.POST if request.method == "POST" else request.GET
    return _xml(_refused(request, arguments, Diagnostic(Code.UNAVAILABLE, "", sentence)), 503)


def _xml(body: bytes, status: int = 200) -> HttpResponse:
    return HttpResponse(body, content_type="text/xml; charset=utf-8", status=status)


def _self(request: HttpRequest) -> tuple[str, str, str]:
    """Return what explain says of this interface: its address, title and contact."""
    address = request.build_absolute_uri(reverse("catalogue:sru"))
    return address, settings.GISC_REPOSITORY_NAME, settings.GISC_ADMIN_EMAIL


def _refused(request: HttpRequest, arguments: QueryDict, diagnostic: Diagnostic) -> bytes:
    operation, version = parameters.operation_of(arguments), parameters.version_of(arguments)
    return answers.refused(operation, version, diagnostic, *_self(request))


def _too_costly(code: str) -> Diagnostic:
    if code == "phrase":
        return Diagnostic(
            Code.TOO_MANY_RECORDS,
            "",
            "words of one field, or next to one another, are compared with too many records; add a wis.box, a dc.type or another"
            " word, or search in cql.anywhere or dc.title",
        )
    return Diagnostic(Code.TOO_MANY_RECORDS, "", "this search takes too long; add another word, a wis.box or a dc.type")


# --- searchRetrieve -------------------------------------------------------------------------------------


def _search(asked: SearchRetrieve, arguments: QueryDict, viewer: Viewer) -> bytes:
    query = cql.read(asked.query)
    order = query.order or cql.order_of_keys(asked.sort_keys) or "relevance"
    if asked.start - 1 + asked.most > MOST_POSITION:
        raise Diagnostic(
            Code.POSITION_OUT_OF_RANGE,
            "",
            f"records are told up to position {MOST_POSITION}; narrow the query, or harvest the catalogue by OAI-PMH",
        )
    search = Search(Query(query.condition, order, viewer))
    with search.bounded():
        page = search.page(asked.start - 1 + max(asked.most, 1))
        count = _count(search, page, asked)
    keys = page.keys[asked.start - 1 :][: asked.most]
    if asked.start > 1 and asked.most and not keys:
        raise Diagnostic(Code.POSITION_OUT_OF_RANGE, "", f"the query has {len(page.keys)} records")
    end = asked.start - 1 + len(keys)
    return answers.search_response(
        asked.version,
        _found(keys, asked.schema),
        number=count.number,
        is_exact=count.is_exact,
        start=asked.start,
        following=end + 1 if asked.most and (page.next or end < len(page.keys)) else None,
        schema=asked.schema,
        packing=asked.packing,
        echoed=_given(
            arguments, ("version", "query", "startRecord", "maximumRecords", "recordPacking", "recordSchema")
        ),
        diagnostics=[Diagnostic(Code.PARTIAL_RESULTS, "", _NOTES[code].format(word=word)) for code, word in page.notes],
    )


def _count(search: Search, page: Page, asked: SearchRetrieve) -> Count:
    """Return the number of hits; what a page without a following one has shown is all."""
    if not page.next and len(page.keys) < asked.start - 1 + max(asked.most, 1):
        return Count(len(page.keys))
    return search.count()


def _found(keys: Sequence[int], schema: str) -> list[Found]:
    """Read the records of a page, in its order. What was withdrawn meanwhile is told as such."""
    rows = readable.by_key(Record.objects.only("identifier", "payload"), keys)
    return [_one(rows.get(key), schema) for key in keys]


def _one(record: Record | None, schema: str) -> Found:
    if record is None or record.payload is None:
        identifier = record.identifier if record is not None else ""
        return Found(identifier, None, Diagnostic(Code.RECORD_DOES_NOT_EXIST, "", "it has been withdrawn"))
    content = payload.unpack_or_log(record.payload, identifier=record.identifier)
    if content is None:
        damaged = Diagnostic(Code.RECORD_UNAVAILABLE, "", "its stored metadata cannot be read")
        return Found(record.identifier, None, damaged)
    if schema == DC:
        return Found(record.identifier, dublin_core.to_srw_dc(content, record.identifier))
    return Found(record.identifier, xml_tree.to_splice(content))


def _given(arguments: QueryDict, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the parameters that were given, in this order; an empty one counts as not given."""
    return [(name, str(arguments[name])) for name in names if arguments.get(name)]


# --- scan -----------------------------------------------------------------------------------------------


def _scan(asked: Scan, arguments: QueryDict, viewer: Viewer) -> bytes:
    name, index, term = cql.read_clause(asked.clause)
    if not index.is_scanned:
        raise Diagnostic(Code.UNSUPPORTED_INDEX, name, "operation=explain says which indexes have scan")
    if asked.most > parameters.MOST_TERMS:
        raise Diagnostic(Code.TOO_MANY_TERMS, str(parameters.MOST_TERMS))
    if asked.position > asked.most + 1:
        raise Diagnostic(Code.RESPONSE_POSITION, str(asked.most + 1))
    notes: list[Diagnostic] = []
    if index.kind == "identifier":
        terms = _identifiers(term, asked, viewer)
    else:
        values, notes = _values(index, viewer)
        place = sum(each.value < term if asked.position else each.value <= term for each in values)
        terms = values[max(place - asked.position + 1, 0) if asked.position else place :]
    echoed = _given(arguments, ("version", "scanClause", "responsePosition", "maximumTerms"))
    return answers.scan_response(asked.version, terms[: asked.most], echoed, notes)


def _identifiers(term: str, asked: Scan, viewer: Viewer) -> list[Term]:
    """Return the identifiers around one in their order; the term has the position that is asked for, 0: before them all."""
    seen = Record.objects.filter(deleted=False, audience__in=viewer.audiences)
    key = conditions.storable_text(oai.oai_identifier(term)) if term else ""
    later = seen.filter(key__gte=key) if asked.position else seen.filter(key__gt=key)
    before = max(asked.position - 1, 0)
    earlier = seen.filter(key__lt=key).order_by("-key").values_list("identifier", flat=True)[:before]
    later_ones = later.order_by("key").values_list("identifier", flat=True)[: asked.most]
    return [Term(each, 1) for each in (*reversed(earlier), *later_ones)]


def _values(index: Index, viewer: Viewer) -> tuple[list[Term], list[Diagnostic]]:
    """Return the values of an index in order, and what has to be said of them."""
    found = Search(Query(viewer=viewer)).facets([index.facet], MOST_VALUES)
    values = found.values[index.facet]
    notes = []
    if len(values) >= MOST_VALUES:
        notes.append(
            Diagnostic(Code.PARTIAL_RESULTS, "", f"these are among the {MOST_VALUES} terms that most records have")
        )
    if not found.is_exact:
        notes.append(Diagnostic(Code.PARTIAL_RESULTS, "", "the numbers are estimates, and rare terms may be missing"))
    return [Term(value, number) for value, number in sorted(values)], notes
