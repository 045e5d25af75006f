"""Answer requests to `/dcat/`. Reads only."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers, set_response_etag
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from catalogue.discovery import search_form
from catalogue.discovery.dcat import catalog
from catalogue.documents import rdf
from catalogue.documents.rdf import Node
from catalogue.models import Record
from catalogue.pages import interfaces, viewers
from catalogue.payloads import readable
from catalogue.reading.query.search import CursorInvalid, QueryTooCostly, Search

PAGE, MOST = 100, 200  # records of a page, chosen
Write = Callable[[Iterable[Node]], bytes]
# By the ending of an address: the media type, and what writes it.
FORMS: dict[str, tuple[str, Write]] = {
    "ttl": ("text/turtle", rdf.to_turtle),
    "rdf": ("application/rdf+xml", rdf.to_xml),
    "jsonld": ("application/ld+json", rdf.to_json_ld),
}
_KNOWN = ("q", "set", "label", "after", "limit", "f", *search_form.FACETS, *search_form.SIDES, *search_form.DATES)


class _Refused(Exception):
    """Why a request is not answered, and its status."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


def _view(answer: Callable[..., list[Node]]) -> Callable[..., HttpResponse]:
    def respond(request: HttpRequest, form: str = "") -> HttpResponse:
        try:
            chosen = form or _negotiated(request)
            if chosen not in FORMS:
                raise _Refused(f"There is no form .{chosen[:20]}: there are {', '.join(FORMS)}.", 404)
            return _written(request, answer(request, chosen), chosen)
        except CursorInvalid:
            return _refuse(_Refused("The argument after is not of this search: begin again without it."))
        except QueryTooCostly:
            return _refuse(_Refused("This search takes too long. Add a word, a box or a set.", 503))
        except _Refused as refused:
            return _refuse(refused)

    return interfaces.offered(interfaces.DCAT)(viewers.by_viewer(gzip_page(require_safe(respond))))


def _negotiated(request: HttpRequest) -> str:
    """Return the form that a client prefers; Turtle if it says nothing. Raises _Refused."""
    if "f" in request.GET:
        return str(request.GET["f"])
    preferred = request.get_preferred_type([media for media, _ in FORMS.values()])
    found = [form for form, (media, _) in FORMS.items() if media == preferred]
    if not found and request.accepts("text/html"):
        return "ttl"
    if not found:
        known = ", ".join(media for media, _ in FORMS.values())
        raise _Refused(f"Accept names none of the media types of this resource: {known}.", 406)
    return found[0]


def _written(request: HttpRequest, nodes: list[Node], form: str) -> HttpResponse:
    media, write = FORMS[form]
    declaration = b'<?xml version="1.0" encoding="UTF-8"?>\n' if form == "rdf" else b""
    response = HttpResponse(declaration + write(nodes), content_type=f"{media}; charset=utf-8")
    response["Access-Control-Allow-Origin"] = "*"
    patch_vary_headers(response, ["Accept"])
    set_response_etag(response)
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _refuse(refused: _Refused) -> HttpResponse:
    response = HttpResponse(f"{refused}\n", content_type="text/plain; charset=utf-8", status=refused.status)
    response["Cache-Control"] = "no-store"
    if refused.status == 503:
        response["Retry-After"] = "60"
    return response


def _catalog(request: HttpRequest, form: str) -> list[Node]:
    """One page of the records that the arguments of a search find, those first that have not changed for the longest time."""
    unknown = [name for name in request.GET if name not in _KNOWN]
    if unknown:
        raise _Refused(f"There is no argument {unknown[0][:100]}: there are {', '.join(_KNOWN)}.")
    viewer = viewers.of(request)
    asked = search_form.read(request.GET, viewer)
    if asked.faults:
        raise _Refused(" ".join(asked.faults.values()), 404 if "set" in asked.faults else 400)
    size = _size(request)
    # In this order a record that changes meanwhile comes (again) on a later page: none is missed.
    search = Search(replace(asked.query(viewer), order="updated"))
    with search.bounded():
        found, count = search.page(size, asked.after), search.count()
    rows = readable.by_key(Record.objects.all(), found.keys)
    given = [*asked.arguments(), *([("limit", str(size))] if size != PAGE else [])]
    root = request.build_absolute_uri("/").rstrip("/")
    address = root + reverse("catalogue:dcat_catalog", args=[form])

    def page_of(after: str) -> str:
        arguments = urlencode([*given, *([("after", after)] if after else [])])
        return f"{address}?{arguments}" if arguments else address

    page = catalog.Page(
        page_of(asked.after),
        page_of(""),
        page_of(found.next) if found.next else "",
        size,
        count.number,
        count.is_exact,
    )
    return catalog.describe(root, [rows[key] for key in found.keys if key in rows], page)


def _size(request: HttpRequest) -> int:
    text = str(request.GET.get("limit", PAGE))
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise _Refused(f"limit has to be a number from 1 to {MOST}.")
    return min(int(text), MOST)


def _dataset(request: HttpRequest, _form: str) -> list[Node]:
    """One record, `?id=IDENTIFIER`."""
    identifier = str(request.GET.get("id", ""))
    if not identifier or "\0" in identifier:
        raise _Refused("Name the record: ?id=IDENTIFIER.")
    audiences = viewers.of(request).audiences
    record = readable.first(Record.objects.named(identifier).filter(deleted=False, audience__in=audiences))
    root = request.build_absolute_uri("/").rstrip("/")
    node = None if record is None else catalog.dataset(record, root)
    if node is None:
        raise _Refused("This catalogue has no such record.", 404)
    return [node]


catalog_page = _view(_catalog)
dataset_page = _view(_dataset)
