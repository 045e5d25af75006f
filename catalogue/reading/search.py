"""Full-text search over what records say about themselves: words of the title, abstract and keywords.

The words stand in an index of `Description` and nowhere else; it is written in the transaction that
writes the description. Records come in many languages, so words are taken as they stand, without
stemming (PostgreSQL's configuration `simple`).
"""

from django.contrib.postgres.search import SearchQuery, SearchVectorField
from django.db.models import Func, QuerySet

from catalogue import oai
from catalogue.models import Record

CONFIGURATION = "simple"  # as in catalogue/sql/search_words.*.sql

_WORDS = Func(  # the expression of the index
    "description__title",
    "description__abstract",
    "description__keywords",
    "description__categories",
    function="catalogue_words",
    output_field=SearchVectorField(),
)


def records(text: str) -> QuerySet[Record]:
    """Live records that hold all words of `text`, or whose identifier it is; all live records when it is empty.

    Quotes and `or` and `-` mean what they mean in web search.
    """
    live = Record.objects.filter(deleted=False)
    if not text.strip():
        return live
    # One condition over two tables would use neither index, so an identifier is looked up first.
    named = live.filter(key=oai.identifier_key(text))
    if named.exists():
        return named
    return live.alias(words=_WORDS).filter(words=SearchQuery(text, config=CONFIGURATION, search_type="websearch"))
