"""What is wrong with a request, and what to do: answered as problem details (RFC 9457), or as a page."""

from typing import Any

from django.utils.translation import gettext_noop as _

BAD_REQUEST, NOT_FOUND, NOT_ACCEPTABLE, GONE, UNAVAILABLE = 400, 404, 406, 410, 503
TITLES = {
    BAD_REQUEST: _("Bad request"),
    NOT_FOUND: _("Not found"),
    NOT_ACCEPTABLE: _("Not acceptable"),
    GONE: _("Gone"),
    UNAVAILABLE: _("Not available now"),
}
MOST_QUOTED = 200  # characters of what was asked for


class Problem(Exception):
    """Why a request is not answered. `sentence`: a text that is marked for translation; `facts`: what fills its places."""

    def __init__(self, status: int, sentence: str, **facts: Any) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence
        self.facts = {
            name: str(value) if name == "known" else str(value)[:MOST_QUOTED] for name, value in facts.items()
        }

    def __str__(self) -> str:
        return self.sentence.format(**self.facts)


def bad_request(sentence: str, **facts: Any) -> Problem:
    """Return the problem of a request that has to be changed."""
    return Problem(BAD_REQUEST, sentence, **facts)
