"""Who asks for a language means all ways to write it."""

import html
import re

import pytest
from django.db import connection, transaction
from django.test import Client

from catalogue.models import Description
from catalogue.reading.query import sql, statements
from catalogue.reading.query.conditions import All, Condition, Is, Not, Words
from catalogue.reading.query.search import Query, Search
from catalogue.reading.query.statements import column_of
from tests.support.world import in_language, iso_record, put

pytestmark = pytest.mark.django_db
ENGLISH = ("eng", "en", "English", "eng; USA", "Engelsk")
OTHERS = ("fre", "Français", "Klingon", "")


@pytest.fixture(autouse=True)
def records() -> None:
    put(*(in_language(iso_record(f"urn:{text or 'none'}"), text) for text in (*ENGLISH, *OTHERS)))


def found(condition: Condition) -> set[str]:
    page = Search(Query(condition)).page(100)
    assert page.notes == ()
    return set(Description.objects.filter(pk__in=page.keys).values_list("language", flat=True))


@pytest.mark.parametrize("asked", ENGLISH)
def test_a_language_is_found_however_it_is_written_and_asked_for(asked: str) -> None:
    assert found(Is("language_code", (asked,))) == set(ENGLISH)
    assert found(All((Words("synop"), Is("language_code", (asked,))))) == set(ENGLISH)
    assert found(Not(Is("language_code", (asked, "fra")))) == {"Klingon", ""}


def test_what_is_no_known_language_is_found_as_it_is_written() -> None:
    assert found(Is("language_code", ("Klingon",))) == {"Klingon"}
    assert found(Is("language_code", ("",))) == {""}
    assert found(Is("language_code", ("deu", "\0"))) == set()


def test_sru_and_csw_find_a_language_as_it_is_written() -> None:
    assert found(Is("language", ("eng",))) == {"eng"}


def test_hits_are_counted_by_language_however_it_is_written() -> None:
    asked = Search(Query(Words("synop"))).facets(["language", "language_code", "language_tag"])
    assert dict(asked.values["language_code"]) == {"eng": len(ENGLISH), "fra": 2, "Klingon": 1}
    assert dict(asked.values["language_tag"]) == {"en": len(ENGLISH), "fr": 2, "Klingon": 1}
    assert set(dict(asked.values["language"])) == {*ENGLISH, *OTHERS} - {""}


def test_a_page_has_one_line_for_a_language_which_finds_as_many_records_as_it_says(client: Client) -> None:
    page = client.get("/", {"q": "synop"}).content.decode()
    ((address, number),) = re.findall(r'<a href="([^"]+)"[^>]*>English</a> <span[^>]*>(\d+)<', page)
    assert int(number) == len(ENGLISH)
    chosen = client.get(html.unescape(address)).content.decode()
    assert chosen.count('class="title"') == len(ENGLISH)
    by_old_address = client.get("/", {"q": "synop", "language": ["eng; USA", "English"]}).content.decode()
    assert by_old_address.count('class="title"') == len(ENGLISH)
    assert set(re.findall(r'[?;]language=([^"&;]+)', by_old_address)) == {"eng"}


def test_very_many_ways_to_write_a_language_are_not_all_read_and_the_page_says_so(client: Client) -> None:
    with statements.LIMITS.replaced(languages=3):
        assert Search(Query(Is("language_code", ("eng",)))).page(100).notes == (("languages", ""),)
        assert "written in too many ways here" in client.get("/", {"language": "eng"}).content.decode()
    assert "written in too many ways here" not in client.get("/", {"language": "eng"}).content.decode()


def test_the_ways_to_write_languages_are_read_from_the_index() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = "\n".join(column_of(f"EXPLAIN {sql._LANGUAGES}", [10]))
    assert "using descriptions_by_language" in plan and "Seq Scan" not in plan
