"""A place in a list <-> an opaque signed string (OAI-PMH 3.5). No table: the token carries all state (P99).

Any process of any node that shares SECRET_KEY and the base URL reads it, so it outlives restarts and
deployments (P111). The salt holds the verb and the base URL: a token of another verb or repository does not
verify. The profile stands inside (G12). Its age is measured on the clock that the caller passes in.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing

from catalogue import datestamps
from catalogue.datestamps import from_seconds, to_seconds
from catalogue.reading.lists import ListPosition
from oaiprovider.protocol import arguments
from oaiprovider.protocol.errors import BadResumptionToken, Behind, Refused

LIFE = timedelta(hours=24)  # P102 [D]
_RESUMABLE = tuple(verb for verb, rules in arguments.VERBS.items() if rules.resumable)


@dataclass(frozen=True, slots=True)
class Token:
    """The list as it was first asked for, and how far it has been delivered.

    `start` and `end` are the half-open range, `end` frozen at the first page's instant (P101). For ListSets
    the place's `pk` is the last set's, and prefix, set and range say nothing.
    """

    verb: str
    prefix: str
    set_spec: str
    start: datetime | None
    end: datetime
    place: ListPosition
    delivered: int
    size: int
    issued: datetime
    profile: str = ""  # the key of the harvester's profile; empty for everybody

    @property
    def expires(self) -> datetime:
        return self.issued + LIFE


def encode(token: Token) -> str:
    """The token as it travels: `[A-Za-z0-9_.-]`, under 1,000 characters for the longest setSpec (P98)."""
    state = [
        token.prefix,
        token.set_spec,
        None if token.start is None else to_seconds(token.start),
        to_seconds(token.end),
        to_seconds(token.place.datestamp),
        token.place.pk,
        token.delivered,
        token.size,
        to_seconds(token.issued),
    ]
    if token.profile:
        state.append(token.profile)
    return _signer(token.verb).sign_object(state)


def decode(text: str, *, verb: str, profile: str, at: datetime) -> Token:
    """The token that `text` is. Raises Refused with badResumptionToken and the reason (P105).

    Raises Behind where `at` lies before the token's issue: only a read replica that lags has such an instant, and a
    page from there would lack what is still on its way (S2).
    """
    try:
        prefix, set_spec, start, end, stamp, pk, delivered, size, issued, *bound = _signer(verb).unsign_object(text)
    except signing.BadSignature:
        raise Refused(BadResumptionToken(_stranger(text, verb))) from None
    token = Token(
        verb=verb,
        prefix=prefix,
        set_spec=set_spec,
        start=None if start is None else from_seconds(start),
        end=from_seconds(end),
        place=ListPosition(from_seconds(stamp), pk),
        delivered=delivered,
        size=size,
        issued=from_seconds(issued),
        profile=bound[0] if bound else "",
    )
    if at < token.issued:
        raise Behind(f"the token was issued at {datestamps.write(token.issued)}, and here it is {datestamps.write(at)}")
    if token.profile != profile:
        raise Refused(
            BadResumptionToken(
                "The token was issued to another harvester: go on under the User-Agent and from the network of the "
                "list's first request, or ask for the list again from its beginning."
            )
        )
    if at >= token.expires:
        raise Refused(BadResumptionToken("The token has expired; ask for the list again from its beginning."))
    return token


def _stranger(text: str, verb: str) -> str:
    """Why a token does not verify for `verb`."""
    if not text:
        return "The token is empty; an empty token closes a list, there is nothing to ask for."
    for other in _RESUMABLE:
        try:
            _signer(other).unsign(text)
        except signing.BadSignature:
            continue
        return f"The token was issued for {other}, not for {verb}."
    return "The token was not issued by this repository, or was altered on its way."


def _signer(verb: str) -> signing.Signer:
    # The salt is no name of a module: with another one, tokens of the version before are refused.
    return signing.Signer(sep=".", salt=f"oaiprovider.tokens {verb} {settings.GISC_BASE_URL}")
