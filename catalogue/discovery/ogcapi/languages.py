"""Tell which of the languages of a record is asked for, and name languages as the standard wants (RFC 5646)."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpRequest
from django.utils.translation import get_language_info, trans_real
from django.utils.translation import gettext_noop as _

from catalogue.discovery.ogcapi.problems import bad_request
from catalogue.documents.languages import language_tag

PARAMETER = "lang"
_ASKED = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*(;q=(0(\.\d{1,3})?|1(\.0{1,3})?))?", re.ASCII)


def asked(request: HttpRequest) -> tuple[str, ...]:
    """Return the languages that a client wants, best first: those of `lang`, else of Accept-Language. Raises Problem."""
    text = request.GET.get(PARAMETER, "")
    for part in text.split(",") if text else ():
        if not _ASKED.fullmatch(part.strip()):
            raise bad_request(_("lang has “{value}”: write tags of languages, such as fr or fr,en;q=0.5."), value=part)
    header = text or request.headers.get("Accept-Language", "")
    return tuple(primary(tag) for tag, weight in trans_real.parse_accept_lang_header(header.lower()) if weight > 0)


def primary(tag: str) -> str:
    """Return the language of a tag or of gmd:language: `fr` of `fr-CA` and `fre`; `und` if it names none."""
    return language_tag(tag)


def choose(wanted: Sequence[str], own: str, others: Iterable[str]) -> str:
    """Return which of a record's languages, as it names them, is the first one wanted; its own if none is."""
    available = {primary(other): other for other in (*reversed(list(others)), own)}
    return next((available[tag] for tag in wanted if tag in available), own)


def described(language: str) -> dict[str, Any]:
    """Return the language object for a language as a record names it."""
    tag = primary(language)
    made: dict[str, Any] = {"code": tag}
    try:
        info = get_language_info(tag)
    except KeyError:
        return made
    made |= {"name": info["name_local"], "alternate": info["name"]}
    return made | ({"dir": "rtl"} if info["bidi"] else {})
