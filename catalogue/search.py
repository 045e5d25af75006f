"""Full-text search over what records say about themselves. The vector is filled by `catalogue.store`."""

from django.contrib.postgres.search import SearchQuery
from django.db.models import QuerySet

from catalogue import oai
from catalogue.models import Record

# Records come in many languages, so words are taken as they stand, without stemming.
CONFIGURATION = "simple"

# Over the columns `title`, `keyword_text` and `abstract` of the staging table. A tsvector may not exceed 1 MB.
VECTOR_SQL = f"""
    setweight(to_tsvector('{CONFIGURATION}', left(title, 10000)), 'A')
    || setweight(to_tsvector('{CONFIGURATION}', left(keyword_text, 50000)), 'B')
    || setweight(to_tsvector('{CONFIGURATION}', left(abstract, 100000)), 'C')
"""


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
    return live.filter(description__search=SearchQuery(text, config=CONFIGURATION, search_type="websearch"))
