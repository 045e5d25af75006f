"""Search the full text of records: words of the title, abstract, keywords and categories.

The words are in an index of `Description` and nowhere else, updated in the transaction that writes the description.
Records come in many languages, so words are not stemmed (PostgreSQL's configuration `simple`).
"""

from django.contrib.postgres.search import SearchQuery, SearchVectorField
from django.db.models import Func, QuerySet

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
    """Find the live record with the identifier `text`, in any case where that means nothing, else those with all words of it.

    All live records if it is empty. Quotes, `or` and `-` work as in web search.
    """
    live = Record.objects.filter(deleted=False)
    if not text.strip():
        return live
    # One condition over two tables would use neither index, so an identifier is looked up first.
    named = Record.objects.named(text).filter(deleted=False)
    if named.exists():
        return named
    spelled = Record.objects.in_another_case(text)
    if spelled.exists():
        return spelled
    return live.alias(words=_WORDS).filter(words=SearchQuery(text, config=CONFIGURATION, search_type="websearch"))
