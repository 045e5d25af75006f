"""Write an answer as the client wants it: JSON or HTML, by `f` or Accept, with ETag and gzip; problems too.

The HTML has everything that the JSON has, and every link of it.
"""

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers, set_response_etag
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from catalogue.discovery.ogcapi import problems
from catalogue.discovery.ogcapi.links import HTML, JSON, PROBLEM
from catalogue.discovery.ogcapi.problems import Problem, bad_request
from catalogue.documents.web_addresses import may_be_followed
from catalogue.pages import interfaces, viewers
from catalogue.reading.query.search import CursorInvalid, QueryTooCostly

FORMAT = "f"
Medias = Mapping[str, Sequence[str]]  # by the value of `f`; the first of them is the usual one
_ADDRESS = re.compile(r"([\w.+-]+)@([\w-]+\.)")  # robots do not find it so


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered. `heading`: of the page, marked for translation; `context`: what its template needs besides `tree`."""

    body: dict[str, Any]
    heading: str
    template: str = "catalogue/ogcapi/document.html"
    context: dict[str, Any] = field(default_factory=dict)
    language: str = "en"
    profile: str = ""


def resource(*medias: str) -> Callable[[Callable[..., Answer]], Callable[..., HttpResponse]]:
    """Make a view of a function that returns what is answered to GET and HEAD, in these media types of JSON or in HTML."""
    offered: Medias = {"json": medias, "html": (HTML,)}

    def decorate(answer: Callable[..., Answer]) -> Callable[..., HttpResponse]:
        @functools.wraps(answer)
        def respond(request: HttpRequest, **values: str) -> HttpResponse:
            try:
                form, media = _chosen(request, offered)
                made = answer(request, {form: media, **_usual(offered, form)}, **values)
                return _written(request, made, form, media)
            except QueryTooCostly as exc:
                return _refused(request, _too_costly(str(exc)))
            except CursorInvalid:
                return _refused(
                    request, bad_request(_("The cursor is not of this search: begin again without cursor."))
                )
            except Problem as problem:
                return _refused(request, problem)

        return interfaces.offered(interfaces.OGC_API)(viewers.by_viewer(gzip_page(require_safe(respond))))

    return decorate


def _usual(offered: Medias, chosen: str) -> dict[str, str]:
    return {form: medias[0] for form, medias in offered.items() if form != chosen}


def _chosen(request: HttpRequest, offered: Medias) -> tuple[str, str]:
    """Return the value of `f` and the media type of the answer. Raises Problem."""
    wanted = request.GET.get(FORMAT)
    if wanted is not None:
        if wanted not in offered:
            raise bad_request(_("f has to be one of {known}: not “{value}”."), known=", ".join(offered), value=wanted)
        return wanted, offered[wanted][0]
    forms = {media: form for form, medias in offered.items() for media in medias}
    preferred = request.get_preferred_type(list(forms))
    if preferred is None:
        raise Problem(
            problems.NOT_ACCEPTABLE,
            _("Accept names none of the media types of this resource: {known}."),
            known=", ".join(forms),
        )
    return forms[preferred], preferred


def _too_costly(code: str) -> Problem:
    if code == "phrase":
        return bad_request(
            _("The words that have to stand next to one another are in too many records to be compared. Ask for more: another"
              " word, a bbox, a type.")
        )  # fmt: skip
    return Problem(
        problems.UNAVAILABLE,
        _("This search takes too long. Ask for more: another word, a bbox, a type. Conditions on title and description alone look"
          " into all records."),
    )  # fmt: skip


def _written(request: HttpRequest, answer: Answer, form: str, media: str) -> HttpResponse:
    if form == "html":
        context = {"heading": gettext(answer.heading), **answer.context}
        if "tree" not in context:
            context["tree"] = as_html(answer.body)
        response = render(request, answer.template, context)
    else:
        response = HttpResponse(_dumped(answer.body), content_type=media)
        response["Content-Language"] = answer.language
        if answer.profile:
            response["Link"] = f'<{answer.profile}>; rel="profile"'
    return _conditional(request, response)


def _dumped(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Add what caches need, and answer 304 where the client has the same already."""
    patch_vary_headers(response, ["Accept", "Accept-Language"])
    set_response_etag(response)
    return get_conditional_response(request, etag=response.get("ETag"), response=response) or response


def _refused(request: HttpRequest, problem: Problem) -> HttpResponse:
    wanted = request.GET.get(FORMAT)
    is_page = wanted == "html" or (wanted != "json" and request.get_preferred_type([PROBLEM, JSON, HTML]) == HTML)
    if is_page:
        sentence = gettext(problem.sentence).format(**problem.facts)
        context = {"heading": gettext(problems.TITLES[problem.status]), "sentence": sentence}
        response = render(request, "catalogue/ogcapi/problem.html", context, status=problem.status)
    else:
        body = {"title": problems.TITLES[problem.status], "status": problem.status, "detail": str(problem)}
        response = HttpResponse(_dumped({"type": "about:blank", **body}), content_type=PROBLEM, status=problem.status)
        response["Content-Language"] = "en"
    if problem.status == problems.UNAVAILABLE:
        response["Retry-After"] = "60"
    patch_vary_headers(response, ["Accept"])
    response["Cache-Control"] = "no-store"
    return response


# --- HTML -----------------------------------------------------------------------------------------------


def as_html(value: Any) -> SafeString:
    """Return a value of JSON as HTML: objects as lists of terms, addresses as links."""
    if isinstance(value, dict):
        if "href" in value:
            return _link(value)
        return format_html("<dl>{}</dl>", format_html_join("", "<dt>{}</dt><dd>{}</dd>", _members(value)))
    if isinstance(value, list):
        if all(isinstance(part, int | float) for part in value):
            return format_html("{}", ", ".join(f"{part:g}" for part in value))
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((as_html(part),) for part in value)))
    if isinstance(value, str):
        if may_be_followed(value) and not re.search(r"\s", value):
            return format_html('<a href="{}" rel="nofollow noopener">{}</a>', value, value)
        written = mark_safe(_ADDRESS.sub(r"\1 [at] \2", escape(value)))  # nosec B308
        return format_html('<span dir="auto">{}</span>', written)
    return format_html("{}", "–" if value is None else json.dumps(value))


def _members(value: Mapping[str, Any]) -> list[tuple[str, SafeString]]:
    return [(name, as_html(part)) for name, part in value.items()]


def _link(value: Mapping[str, Any]) -> SafeString:
    others = {name: part for name, part in value.items() if name not in ("href", "title")}
    rest = ", ".join(f"{name}: {part}" for name, part in others.items())
    return format_html(
        '<a href="{}" rel="nofollow noopener">{}</a> <span class="quiet small">{}</span>',
        value["href"],
        value.get("title") or value["href"],
        rest,
    )
