"""What a person types, and what it finds."""

import re
from contextlib import AbstractContextManager
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.documents import search_terms
from catalogue.models import Record
from catalogue.reading.query import search, search_limits, sql, statements
from catalogue.reading.query.conditions import All, Any, Changed, Condition, Is, Like, Meets, Not, Words
from catalogue.reading.query.search import Count, Facets, Query, Search
from catalogue.reading.viewers import ANYBODY
from tests.support import rows_looked_at
from tests.support.world import OUR_SPEC, iso_record, put, restamp, restamp_all

pytestmark = pytest.mark.django_db


def found(text: str) -> list[str]:
    """What the admin's search finds, which must be what the public pages find."""
    everywhere = sorted(search.records(text).values_list("identifier", flat=True))
    keys = Search(Query(Words(text))).page(1000).keys
    assert sorted(Record.objects.filter(pk__in=keys).values_list("identifier", flat=True)) == everywhere
    return everywhere


@pytest.fixture
def texts() -> None:
    put(
        iso_record("urn:a", title="Typhoon tracks", abstract="Best tracks of the sea."),
        iso_record("urn:b", title="Sea ice", abstract="Charts of ice."),
        iso_record("urn:c", title="Seasonal outlook", abstract="Iceland."),
        iso_record("urn:d", title="全国合成レーダー", abstract="降水."),
    )


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("typh", ["urn:a"]),
        ("TYPH trac", ["urn:a"]),
        ("phoon", []),
        ("sea", ["urn:a", "urn:b", "urn:c"]),
        ("sea ice", ["urn:b", "urn:c"]),
        ('"sea ice"', ["urn:b"]),
        ('"sea"', ["urn:a", "urn:b"]),
        ("se", []),
        ("全国", ["urn:d"]),
        ("降", ["urn:d"]),
        ("sea -typh", ["urn:b", "urn:c"]),
        ("typhoon or outlook", ["urn:a", "urn:c"]),
        ("of", []),
        ("seas trackings", ["urn:a"]),
        ("合成レーダー", ["urn:d"]),
        ("レーダー合成", []),
        ('"tracks of the sea"', ["urn:a"]),
        ('"tracks the sea"', []),
        ('sea -"sea ice"', ["urn:a", "urn:c"]),
        ("urn:b", ["urn:b"]),
        ("urn:", ["urn:a", "urn:b", "urn:c", "urn:d"]),
        ("rn:b", []),
        ("-typhoon", []),
        ("typhoon or -sea", []),
        ("-" * 40, []),
        ("- " * 60, []),
        ("sea'", ["urn:a", "urn:b", "urn:c"]),
        ("\\", []),
    ],
)
def test_a_word_finds_the_words_that_begin_with_it_and_quotes_find_it_as_it_is(
    texts: None, text: str, identifiers: list[str]
) -> None:
    assert found(text) == identifiers


def test_an_identifier_is_found_by_its_beginning_up_to_any_character() -> None:
    bulletins = [f"urn:x-wmo:md:int.wmo.wis::ISMD0{number}EDZW" for number in range(3)]
    put(
        *map(
            iso_record,
            (*bulletins, "urn:x-wmo:md:jp.go.jma::ISMD", "http://example.org/a_b/1", "http://example.org/acb/1"),
        )
    )
    for length in range(len("urn:x-wmo:md:i"), len(bulletins[0])):
        asked = bulletins[0][:length]
        assert sorted(found(asked)) == sorted(each for each in bulletins if each.startswith(asked)), asked
        assert found(asked.upper()) == found(asked), "case has no meaning there"
    assert len(found("urn:x-wmo:md:")) == 4
    assert found("http://example.org/a_") == ["http://example.org/a_b/1"]
    with statements.LIMITS.replaced(identifiers=2):
        page = Search(Query(Words("urn:x-wmo:md:int.wmo.wis::"))).page(10)
    assert (page.keys, page.notes) == ([], (("identifiers", "urn:x-wmo:md:int.wmo.wis::"),))


def test_the_term_that_most_records_have_a_word_by_is_compared_first() -> None:
    """PostgreSQL looks for each of the first array in the second, until one is there."""
    put(iso_record("urn:a", title="Series", translations={"ger": "Serie", "spa": "Series", "ita": "Series"}))
    found, _rest = sql.Compiler(ANYBODY).split(Words("series"))
    assert found.text.startswith("%s && d.terms")
    usual = search_terms.checksum(search_terms.word_of("series", "english").stem)
    assert len(found.values[0]) > 3 and found.values[0][0] == search_terms.term(usual, search_terms.TEXT)


def test_a_count_of_few_hits_is_not_raised_where_the_index_finds_many() -> None:
    """Words that many records have, and a date that few of them have: `about 11` was said of one."""
    names = [f"urn:{number}" for number in range(40)]
    put(*(iso_record(name, title="Sea ice") for name in names))
    restamp_all({name: "2024-01-01T00:00:00Z" if name in names[:3] else "2020-01-01T00:00:00Z" for name in names})
    query = Query(All((Words("sea"), Changed(since=datetime(2023, 1, 1, tzinfo=UTC)))))
    with search_limits.LIMITS.replaced(exact=10, margin=0, of_tier=10, chunks=(5, 10), sample=5):
        all_at_once, in_pages = Search(query), Search(query)
        assert len(all_at_once.page(5).keys) == 3
        assert all_at_once.count() == Count(3)
        assert len(in_pages.page(2).keys) == 2
        count = in_pages.count()
        assert count == Count(max(3, sampled_hits(since="2023-01-01", percent=100 * 5 / 40)), is_exact=False)


def sampled_hits(since: str, percent: float) -> int:
    """How many of the 40 records a sample shows to have changed since then: which it has depends on what earlier tests have left."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FILTER (WHERE datestamp >= %s), count(*)"
            f" FROM catalogue_description TABLESAMPLE SYSTEM ({percent}) REPEATABLE (1)"
            " JOIN catalogue_record ON id = record_id",
            [since],
        )
        hits, size = cursor.fetchone()
    return round(hits / max(size, 1) * 40)


@pytest.mark.parametrize("text", ["ice", "ice -shelf", "iceland or ice"])
def test_the_best_hits_come_first_where_they_are_old_and_all_hits_are_many(text: str) -> None:
    put(*(iso_record(f"urn:old{number}", title="Ice") for number in range(12)))
    put(*(iso_record(f"urn:new{number}", title="Sea", abstract="Ice.") for number in range(30)))
    put(iso_record("urn:shelf", title="Ice shelf"), iso_record("urn:late", title="Ice", abstract="A shelf."))
    every = Record.objects.values_list("identifier", flat=True)
    stamps = {name: "2020-01-01T00:00:00Z" if "old" in name else "2024-01-01T00:00:00Z" for name in every}
    restamp_all(stamps)
    identifiers = dict(Record.objects.values_list("pk", "identifier"))
    with search_limits.LIMITS.replaced(exact=10, margin=0, of_tier=3, chunks=(5, 10)):
        keys = Search(Query(Words(text))).page(100).keys
    names = [identifiers[key] for key in keys]
    first = {name for name in stamps if "old" in name}
    rest = {name for name in stamps if "new" in name}
    if "-" not in text:
        first |= {"urn:shelf", "urn:late"}
    assert (set(names[: len(first)]), set(names[len(first) :])) == (first, rest)


@pytest.mark.parametrize(
    "condition",
    [
        Words("ice"),
        Words("ice -shelf"),
        Words('"sea ice" or buoy'),
        All((Words("ice"), Meets(0, 0, 50, 50))),
        Any((Words("buoy"), Changed(since=datetime(2023, 1, 1, tzinfo=UTC)))),
        All((Meets(0, 0, 50, 50), Any((Words("ice"), Changed(since=datetime(2023, 1, 1, tzinfo=UTC)))))),
        All((Words("sea"), Not(Words("shelf")))),
        Is("keyword", ("ice",)),
    ],
    ids=repr,
)
def test_many_hits_come_in_the_order_that_few_have(condition: Condition) -> None:
    """Else what somebody pages through while records come would change its order, and repeat some records and leave out others."""
    texts = [
        ("Sea ice", "x", "x"),
        ("x", "ice", "Buoy"),
        ("Buoy", "x", "Ice of the sea"),
        ("Ice shelf", "ice", "Sea ice"),
        ("Ice of the sea", "x", "A shelf"),
    ]
    documents = [
        iso_record(f"urn:{number}", title=title, keywords=(keyword,), abstract=abstract, box=(number, 1, number + 1, 2))
        for number, (title, keyword, abstract) in enumerate(texts * 10)
    ]
    put(*documents)
    for number in range(0, len(documents), 3):
        restamp(f"urn:{number}", f"20{20 + number % 6}-01-01T00:00:00Z")
    few = Search(Query(condition)).page(100).keys
    assert len(few) > 3
    with search_limits.LIMITS.replaced(exact=3, margin=0, of_tier=3, chunks=(4, 8)):
        assert Search(Query(condition)).page(100).keys == few
    with search_limits.LIMITS.replaced(exact=3, margin=1000, of_tier=1000, chunks=(4, 8)):
        assert Search(Query(condition)).page(100).keys == few


def test_facets_count_each_record_once_for_each_of_its_values() -> None:
    put(
        iso_record("urn:a", title="Ice", keywords=("sea", "ice"), organisation="JMA"),
        iso_record("urn:b", title="Ice", keywords=("ice",), organisation="DWD"),
        iso_record("urn:c", title="Ice", keywords=("ice", "ice"), organisation="JMA"),
        iso_record("urn:d", title="Buoy", keywords=("sea",), organisation="JMA"),
    )
    facets = Search(Query(Words("ice"))).facets(["keyword", "centre", "policy", "set", "organisation"])
    assert facets == Facets(
        {
            "keyword": [("ice", 3), ("sea", 1)],
            "centre": [("JMA", 2), ("DWD", 1)],
            "policy": [],
            "set": [(OUR_SPEC, 3)],
            "organisation": [("JMA", 2), ("DWD", 1)],
        }
    )
    assert Search(Query(Words("ice"))).facets([]) == Facets({})


def test_a_word_of_all_texts_and_no_title_does_not_fetch_all_its_records() -> None:
    """The records with it in the title are none; all of them were read and sorted to find that out, a million maybe."""
    put(*(iso_record(f"urn:{number}", title="Sea", abstract="Ice.") for number in range(60)))
    with (
        search_limits.LIMITS.replaced(exact=3, margin=0, of_tier=0, chunks=(4, 8)),
        CaptureQueriesContext(connection) as asked,
    ):
        assert len(Search(Query(Words("ice"))).page(5).keys) == 5
    sent = [re.findall(r"ANY\(ARRAY\[([\d,]+)\]", each["sql"]) for each in asked.captured_queries]
    assert max((ids.count(",") for found in sent for ids in found), default=0) < 12


# --- Cost ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["relevance", "updated", "id"])
@pytest.mark.parametrize(
    "condition", [Not(Not(Words("odd"))), Not(Words("odd")), Like("title", "%odd%"), Words("sea")], ids=str
)
def test_no_search_looks_into_each_description_for_each_record(condition: Condition, order: search.Order) -> None:
    """Of tables that have just been filled, PostgreSQL may believe that they are empty: then any plan seems good."""
    records = 300
    put(*(iso_record(f"urn:{n:03d}", title="Odd buoys" if n == 7 else f"Sea {n}") for n in range(records)))
    rows_looked_at.take_tables_for_empty()
    with (
        search_limits.LIMITS.replaced(exact=5, margin=5, of_tier=5, chunks=(50, 100)),
        statements_on_descriptions() as done,
    ):
        asked = Search(Query(condition, order))
        asked.page(20)
        asked.facets(["type"])
    numbers = [each.looked_at for each in done]
    assert numbers and max(numbers) <= 2 * records


def statements_on_descriptions() -> AbstractContextManager[list[rows_looked_at.Done]]:
    """Note the statements of the block that read descriptions, and how often they look into a row of them."""
    return rows_looked_at.statements(on="catalogue_description", table="catalogue_description")


@pytest.fixture
def buoys() -> None:
    """300 records with the word sea, but for the newest 40 of them; PostgreSQL knows how many they are."""
    put(*(iso_record(f"urn:{number:03d}", title="Sea") for number in range(260)))
    put(*(iso_record(f"urn:{number:03d}", title="Buoy") for number in range(260, 300)))
    restamp_all({f"urn:{number:03d}": f"2024-01-01T00:{number // 60:02d}:{number % 60:02d}Z" for number in range(300)})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE catalogue_description, catalogue_record")


@pytest.fixture
def indexes_read() -> None:
    """PostgreSQL reads by index, as in a large table.

    Of a few hundred rows it may read all to find some by their ids: whether it does depends on the pages that earlier tests have left.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")


def identifiers(keys: list[int]) -> list[str]:
    named = Record.objects.in_bulk(keys)
    return [named[key].identifier for key in keys]


def test_of_many_hits_the_newest_are_shown_before_all_are_read(buoys: None, indexes_read: None) -> None:
    with search_limits.LIMITS.replaced(of_tier=100, chunks=(30, 60)), statements_on_descriptions() as done:
        page = Search(Query(Words("sea"), "-updated")).page(5)
    assert identifiers(page.keys) == [f"urn:{number:03d}" for number in range(259, 254, -1)]
    assert sum(each.looked_at for each in done) <= 90


def test_where_nobody_knows_how_many_hits_there_are_the_newest_are_shown_if_the_first_of_them_are_hits(
    buoys: None, indexes_read: None
) -> None:
    any_title = Like("title", "%")
    for word, most in (("buoy", 20), ("sea", 300)):
        limits = {"looked_for": 1, "chunks": (10, 20)}
        with search_limits.LIMITS.replaced(**limits), statements_on_descriptions() as done:
            page = Search(Query(All((Words(word), any_title)), "-updated")).page(5)
        newest = 299 if word == "buoy" else 259
        assert identifiers(page.keys) == [f"urn:{number:03d}" for number in range(newest, newest - 5, -1)]
        assert most / 2 <= sum(each.looked_at for each in done) <= most


@pytest.mark.parametrize(("every", "reads_all"), [(8, False), (12, True)])
def test_where_hits_are_not_rare_as_many_of_the_newest_are_looked_through_as_a_page_needs(
    every: int, reads_all: bool
) -> None:
    names = [f"urn:{number:03d}" for number in range(200)]
    put(*(iso_record(name, title="Buoy" if number % every else "Sea") for number, name in enumerate(names)))
    restamp_all({name: f"2024-01-01T00:{n // 60:02d}:{n % 60:02d}Z" for n, name in enumerate(names)})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE catalogue_description, catalogue_record")
    query = Query(All((Words("sea"), Like("title", "%"))), "-updated")

    with (
        search_limits.LIMITS.replaced(looked_for=1, chunks=(20, 20)) as limits,
        statements_on_descriptions() as done,
    ):
        page = Search(query).page(5)

    assert identifiers(page.keys) == [name for number, name in enumerate(names) if number % every == 0][:-6:-1]
    assert page.next
    assert any(limits.read + 1 in each.values for each in done) is reads_all


def test_what_a_sample_shows_to_be_many_is_not_read_to_be_counted(buoys: None) -> None:
    limits = {"exact": 100, "margin": 20, "sample": 150, "of_tier": 10_000}
    of_more_than_terms = Query(All((Words("sea"), Like("title", "%"))))
    with search_limits.LIMITS.replaced(**limits), statements_on_descriptions() as done:
        assert not Search(of_more_than_terms).count().is_exact
    assert not any(121 in each.values for each in done), "as many as are read, and one"
    with search_limits.LIMITS.replaced(**{**limits, "exact": 300}), statements_on_descriptions() as done:
        assert Search(of_more_than_terms).count() == Count(260)
    assert any(321 in each.values for each in done)


def test_no_statement_is_run_for_a_tier_that_can_have_no_hit(buoys: None) -> None:
    of_more_than_terms = Query(All((Words("sea"), Like("title", "%"))))
    limits = {"exact": 100, "margin": 20, "of_tier": 50, "chunks": (60, 100)}
    with search_limits.LIMITS.replaced(**limits), statements_on_descriptions() as done:
        page = Search(of_more_than_terms).page(5)
    assert identifiers(page.keys) == [f"urn:{number:03d}" for number in range(259, 254, -1)]
    # All hits, those of titles, and the newest 60: no identifier has the word.
    assert [each.values[-1] for each in done] == [121, 101, "%"]


def test_a_page_of_known_hits_reads_a_few_of_the_next_records_where_that_is_enough(
    buoys: None, indexes_read: None
) -> None:
    rows_read: list[int] = []
    for order, first, last in (("relevance", 259, 250), ("-updated", 259, 250), ("updated", 0, 9), ("id", 0, 9)):
        search = Search(Query(Words("sea"), order))
        with rows_looked_at.statements(on="FROM catalogue_record r", table="catalogue_record") as done:
            page = search.page(10)
        rows_read += [each.looked_at for each in done]
        step = 1 if first < last else -1
        assert identifiers(page.keys) == [f"urn:{number:03d}" for number in range(first, last + step, step)]
        assert search.count() == Count(260)
    # 25 of the oldest records have 22 hits, if hits are spread evenly. The newest 40 are none, so hits are sorted there.
    assert len(rows_read) == 6 and rows_read[-2:] == [25, 25], rows_read


def test_more_records_are_looked_through_where_hits_are_common_before_all_are_sorted(
    buoys: None, indexes_read: None
) -> None:
    limits = {"exact": 5, "margin": 5, "sample": 60, "of_tier": 10_000, "chunks": (10, 20)}
    expected = [f"urn:{number:03d}" for number in range(259, 249, -1)]
    for large_chunk, most in ((100, 150), (1, 300)):
        with search_limits.LIMITS.replaced(**limits, large_chunk=large_chunk), statements_on_descriptions() as done:
            page = Search(Query(Words("sea"), "-updated")).page(10)
        assert identifiers(page.keys) == expected
        assert most / 2 < max(each.looked_at for each in done) <= most


def test_facets_are_counted_up_to_as_many_hits_as_are_exact_and_estimated_beyond(buoys: None) -> None:
    for exact, margin, is_exact in ((260, 400, True), (259, 400, False), (100, 20, False)):
        with search_limits.LIMITS.replaced(exact=exact, margin=margin, sample=150, of_tier=10_000):
            found = Search(Query(Words("sea"))).facets(["organisation"])
        assert found.is_exact == is_exact
        ((name, number),) = found.values["organisation"]
        assert name == "Japan Meteorological Agency"
        assert number == 260 if is_exact else number > 0


@pytest.mark.parametrize("order", ["relevance", "id"])
def test_where_all_records_are_hits_a_page_is_read_at_once_however_deep(
    buoys: None, indexes_read: None, order: search.Order
) -> None:
    for size, chunks in ((5, (200,)), (150, (10, 20))):
        with search_limits.LIMITS.replaced(exact=5, margin=5, chunks=chunks), statements_on_descriptions() as done:
            page = Search(Query(order=order)).page(size)
        assert len(page.keys) == size and page.next
        assert len(done) == 1
        assert size > 100 or done[0].looked_at <= size + 1


def test_words_that_no_record_has_are_not_looked_up(texts: None) -> None:
    assert sql.Compiler(ANYBODY).split(Words("nowhere"))[0].text == "false"
    with statements_on_descriptions() as done:
        assert Search(Query(Words("typhoons"))).page(5).keys
    terms = {term for each in done for value in each.values if isinstance(value, list) for term in value}
    assert terms == set(search_terms.word_terms(["typhoon"], search_terms.TEXT)), "of no other stem of the word"


def test_facets_of_many_values_take_no_more_statements_than_those_of_few() -> None:
    put(*(iso_record(f"urn:{number:02d}", title="Sea", keywords=["k"]) for number in range(40)))
    numbers = []
    for keywords in (["k"], [f"k{number}" for number in range(30)]):
        put(iso_record("urn:00", title="Sea", keywords=keywords))
        with search_limits.LIMITS.replaced(exact=5, margin=0, sample=30), CaptureQueriesContext(connection) as queries:
            found = Search(Query(Like("title", "S%"))).facets(["keyword"], 50)
        assert not found.is_exact
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]


def test_the_questions_of_one_page_share_a_transaction_and_its_settings(texts: None) -> None:
    """Beside a crowd, each statement waits for its turn: the settings were changed again for each question and each tier."""

    def ask(found: Search) -> tuple[list[int], Count, Facets]:
        return found.page(5).keys, found.count(), found.facets(["type", "keyword"])

    def counted(part: str, queries: CaptureQueriesContext) -> int:
        return sum(part in query["sql"] for query in queries.captured_queries)

    asked = Query(Words("sea"))
    with CaptureQueriesContext(connection) as alone:
        expected = ask(Search(asked))
    with CaptureQueriesContext(connection) as together:
        found = Search(asked)
        with found.bounded():
            assert ask(found) == expected
    assert (counted("SAVEPOINT", alone), counted("SAVEPOINT", together)) == (2 * 3, 2)
    assert counted("set_config", together) == 2 + 2, "of the block, and of all that is read by index alone"
    assert counted("stem <> ALL", together) == 1, "the vocabulary is asked once, not once a tier"


def test_what_a_block_may_cost_is_bounded_whoever_of_its_questions_takes_it(texts: None) -> None:
    found = Search(Query(Words("sea")))

    def ask() -> None:
        with found.bounded(), connection.cursor() as cursor:
            found.page(5)
            cursor.execute("SELECT pg_sleep(10)")

    with search_limits.LIMITS.replaced(timeout_ms=50), pytest.raises(search.QueryTooCostly):
        ask()
    assert len(found.page(5).keys) == 3, "and the next question is asked as if nothing had been"


@pytest.fixture
def ice() -> None:
    """150 records with the word ice in all texts, 90 of them in their titles, 10 more in their keywords."""
    put(
        *(
            iso_record(
                f"urn:{number:03d}",
                title="Ice" if number % 5 < 3 and number < 150 else "Sea",
                abstract="Ice." if number < 150 else "Water.",
                keywords=["ice", f"k{number % 3}"] if number % 15 == 4 and number < 150 else [f"k{number % 3}"],
            )
            for number in range(400)
        )
    )
    minutes = {f"urn:{number:03d}": divmod(number * 7 % 400, 60) for number in range(400)}
    restamp_all({name: f"2024-01-01T00:{minute:02d}:{second:02d}Z" for name, (minute, second) in minutes.items()})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE catalogue_description, catalogue_record")


def walk(query: Query, size: int) -> list[int]:
    keys: list[int] = []
    cursor = ""
    while True:
        page = Search(query).page(size, cursor)
        keys += page.keys
        cursor = page.next
        if not cursor:
            return keys


@pytest.mark.parametrize("text", ["ice", "ice or k1", "ice -k1", "urn:00 or ice"])
@pytest.mark.parametrize("of_tier", [1, 50, 120])
def test_hits_that_are_counted_without_their_ids_come_as_those_that_are_read(
    ice: None, text: str, of_tier: int
) -> None:
    names = ["centre", "keyword", "type", "set"]
    query = Query(Words(text))
    with search_limits.LIMITS.replaced(of_tier=10_000):
        expected = walk(query, 1000), Search(query).count(), Search(query).facets(names)
    for chunks in ((10, 400), (10, 100), (10, 20)):
        with search_limits.LIMITS.replaced(of_tier=of_tier, chunks=chunks):
            assert (walk(query, 7), Search(query).count(), Search(query).facets(names)) == expected
            found = Search(query)
            page, facets, number = found.page(7), found.facets(names), found.count()
    assert (page.keys, number, facets) == (expected[0][:7], *expected[1:])


@pytest.mark.parametrize("text", ["ice", "ice or k1", "ice -k1", "urn:00 or ice", '"ice" k2', "ice k2"])
@pytest.mark.parametrize("read", [400, 100])
def test_tiers_of_hits_are_those_of_the_words_however_they_are_found(ice: None, text: str, read: int) -> None:
    """By the ids of all records with the words, or by looking into each hit; also where more records have the words than are read."""
    query = Query(All((Words(text), Not(Is("keyword", ("k0",))))))
    looks = []
    found = []
    for ids_for_comparison in (0, 1_000_000):
        limits = {"exact": read - 1, "margin": 1, "ids_for_comparison": ids_for_comparison, "ids_for_estimate": 0}
        with search_limits.LIMITS.replaced(**limits), CaptureQueriesContext(connection) as queries:
            found.append(walk(query, 7))
        looks.append(any("CASE WHEN" in each["sql"] for each in queries))
    assert found[0] == found[1] and len(found[0]) > 40
    by_title = list(Record.objects.filter(pk__in=found[0], description__title="Ice").values_list("pk", flat=True))
    if text == "ice":
        assert set(found[0][: len(by_title)]) == set(by_title)
        assert looks == [True, read == 100], "100 records have the word in title or keywords: there may be more"


@pytest.mark.parametrize(("of_tier", "looks"), [(300, False), (50, True)])
def test_ids_of_a_tier_are_read_for_hits_with_another_condition_only_where_they_are_few(
    ice: None, of_tier: int, looks: bool
) -> None:
    """However dear comparisons are: in a large catalogue a tier has far more records than there are hits."""
    query = Query(All((Words("ice"), Not(Is("keyword", ("k0",))))))
    limits = {"of_tier": of_tier, "ids_for_comparison": 1_000_000, "ids_for_estimate": 0}
    with search_limits.LIMITS.replaced(**limits), CaptureQueriesContext(connection) as queries:
        assert Search(query).count() == Count(100)
    assert any("CASE WHEN" in each["sql"] for each in queries) == looks


def test_tiers_are_right_where_more_records_have_the_words_than_postgresql_expects(ice: None) -> None:
    """Its statistics are of yesterday: of the ids of the better tiers only some are read."""
    put(*(iso_record(f"urn:more:{number}", title="Ice", abstract="Water.", keywords=["k0"]) for number in range(60)))
    query = Query(All((Words("ice"), Not(Is("keyword", ("k0",))))))
    found = []
    for ids_for_comparison in (0, 1_000_000):
        limits = {"exact": 129, "margin": 1, "ids_for_comparison": ids_for_comparison}
        with search_limits.LIMITS.replaced(**limits), CaptureQueriesContext(connection) as queries:
            found.append(walk(query, 7))
    assert found[0] == found[1] and len(found[0]) == 100
    read = [each["sql"] for each in queries if each["sql"].startswith("SELECT d.record_id")]
    assert not any("CASE" in each for each in read[:2]) and any("CASE" in each for each in read), "first by index"


def test_a_page_of_many_hits_reads_no_more_ids_than_it_shows(ice: None, indexes_read: None) -> None:
    with (
        search_limits.LIMITS.replaced(of_tier=50, chunks=(10, 200)),
        statements_on_descriptions() as done,
        CaptureQueriesContext(connection) as queries,
    ):
        found = Search(Query(Words("ice")))
        found.page(5)
        assert sum(each.looked_at for each in done) <= 2 * 6 * 400 / 90 + 1
        assert found.facets(["centre"]).is_exact and found.count() == Count(150)
    assert sum(each.looked_at for each in done) <= 2 * 6 * 400 / 90 + 1 + 150, "and counts them with their facets"
    assert not any(query["sql"].startswith("SELECT d.record_id FROM") for query in queries.captured_queries)


@pytest.mark.parametrize(("exact", "margin"), [(100, 50), (100, 200), (100, 20)])
def test_facets_of_hits_that_are_counted_without_their_ids_are_estimated_beyond_as_many_as_are_exact(
    ice: None, exact: int, margin: int
) -> None:
    limits = {"exact": exact, "margin": margin, "of_tier": 50, "sample": 200, "of_hits": 60, "chunks": (10, 400)}
    with search_limits.LIMITS.replaced(**limits, unsure=0):
        found = Search(Query(Words("ice")))
        facets = found.facets(["centre", "keyword"])
        number = found.count()
    assert not facets.is_exact and number.is_exact == (exact + margin >= 150)
    if number.is_exact:
        assert dict(facets.values["centre"])["Japan Meteorological Agency"] == pytest.approx(150, rel=0.4)
        assert 0 < dict(facets.values["keyword"])["k1"] < 120


@pytest.mark.parametrize("margin", [200, 20])
def test_facets_of_about_as_many_hits_as_are_exact_are_counted_at_once(ice: None, margin: int) -> None:
    """PostgreSQL may expect more hits than there are: to count them first would be in vain."""
    limits = {"exact": 100, "margin": margin, "of_tier": 50, "sample": 200, "chunks": (10, 400)}
    with search_limits.LIMITS.replaced(**limits, unsure=100), statements_on_descriptions() as done:
        found = Search(Query(Words("ice")))
        facets, number = found.facets(["centre"]), found.count()
    assert facets.is_exact == number.is_exact == (margin == 200)
    if number.is_exact:
        assert (facets.values["centre"], number.number) == ([("Japan Meteorological Agency", 150)], 150)
        assert [each.looked_at for each in done] == [150]


def test_a_sample_has_no_more_hits_of_a_common_word_than_facets_are_estimated_from(ice: None) -> None:
    limits = {"exact": 20, "margin": 10, "of_tier": 5, "sample": 350, "of_hits": 60, "chunks": (10, 20)}
    percent = {}
    for text, condition in {"word": Words("ice"), "more": All((Words("ice"), Not(Is("language", ("fre",)))))}.items():
        with search_limits.LIMITS.replaced(**limits), CaptureQueriesContext(connection) as queries:
            facets = Search(Query(condition)).facets(["centre"])
        assert not facets.is_exact
        sampled = [found[1] for query in queries if (found := re.search(r"SYSTEM \((\S+)\)", query["sql"]))]
        percent[text] = float(sampled[0])
    assert percent["word"] == pytest.approx(100 * 60 / 150, rel=0.2), "by the statistics of PostgreSQL"
    assert percent["more"] == pytest.approx(100 * 350 / 400), (
        "as many as usual, where it is not known how many hits there are"
    )


def test_more_hits_than_postgresql_expects_are_not_counted_at_any_cost(ice: None) -> None:
    """Its statistics are of yesterday: what was loaded since has far more of a word."""
    put(*(iso_record(f"urn:more:{number:03d}", title="Sea", abstract="Ice.") for number in range(300)))
    limits = {"exact": 200, "margin": 20, "of_tier": 50, "sample": 300, "chunks": (10, 400)}
    with search_limits.LIMITS.replaced(**limits), statements_on_descriptions() as done:
        found = Search(Query(Words("ice")))
        facets, number = found.facets(["centre"]), found.count()
    assert not facets.is_exact and not number.is_exact
    assert any(221 in each.values for each in done), "as many as are read, and one"
