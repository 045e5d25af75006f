"""Sign and read resumption tokens (OAI-PMH 3.5). There is no table: the token carries the whole state of a list (P99).

Any process of any node with the same SECRET_KEY and base URL can read a token, so tokens survive restarts and
deployments (P111). The salt holds the verb and the base URL, so a token of another verb or repository does not
verify. The token names the harvester's profile (G12). Its age is measured on the caller's clock.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing

from catalogue import datestamps
from catalogue.datestamps import from_seconds, to_seconds
from catalogue.reading.lists import ListPosition
from oaiprovider.protocol import arguments
from oaiprovider.protocol.errors import BadResumptionToken, Refused, ReplicaLags

LIFE = timedelta(hours=24)  # P102 [D]
SHARED_STEP = timedelta(hours=6)  # chosen: for so long the pages of a shared list give equal tokens for equal positions
_RESUMABLE = tuple(verb for verb, rules in arguments.VERBS.items() if rules.resumable)


@dataclass(frozen=True, slots=True)
class Token:
    """A list as it was first asked for, and the position up to which it has been delivered.

    `start` and `end` are the half-open range, `end` fixed at the first page's instant (P101). For ListSets
    `position.pk` and `set_spec` are those of the last set, and prefix and range are unused.
    """

    verb: str
    prefix: str
    set_spec: str
    start: datetime | None
    end: datetime
    position: ListPosition
    delivered: int
    size: int
    issued: datetime
    profile: str = ""  # the key of the harvester's profile; empty for everybody
    set_tombstones: bool | None = None  # whether the list has them (P75); None in a token of version 0.9
    epoch: int | None = None  # of the journal; None in a token of a version before, or before its first event
    shared: bool = False  # whether a cache may give its page to everybody who has it; then `issued` is in steps

    @property
    def expires(self) -> datetime:
        return self.issued + LIFE + (SHARED_STEP if self.shared else timedelta(0))

    def issued_next(self, at: datetime) -> datetime:
        """Return when the token after this one, on a page made at `at`, counts as issued: of a shared list the last step."""
        if not self.shared:
            return at
        step = from_seconds(to_seconds(at) // int(SHARED_STEP.total_seconds()) * int(SHARED_STEP.total_seconds()))
        return max(self.issued, step)


def encode(token: Token) -> str:
    """Sign a token: `[A-Za-z0-9_.-]`, under 1,000 characters for the longest setSpec (P98)."""
    state = [
        token.prefix,
        token.set_spec,
        None if token.start is None else to_seconds(token.start),
        to_seconds(token.end),
        to_seconds(token.position.datestamp),
        token.position.pk,
        token.delivered,
        token.size,
        to_seconds(token.issued),
    ]
    if token.set_tombstones is not None:
        state += [token.profile, int(token.set_tombstones)]  # version 0.9 reads the former
        if token.epoch is not None or token.shared:
            state.append(token.epoch)
        if token.shared:
            state.append(1)
    elif token.profile:
        state.append(token.profile)
    return _signer(token.verb).sign_object(state)


def decode(
    text: str, *, verb: str, profile: str, at: datetime, set_tombstones: bool = False, epoch: int | None = None
) -> Token:
    """Read a token of a harvester that is served so. Raises Refused with badResumptionToken and the reason (P105).

    A token of an earlier epoch than that of the database is refused: a restore has given records other datestamps since,
    and those that have an older state now may lie before the position.
    Where a token does not say whether its list has set tombstones, that goes on as this harvester is served.
    Raises ReplicaLags if `at` is before the token was issued: only a read replica that lags can answer with such an
    instant, and a page read from it would lack records that have not arrived there yet (S2).
    """
    try:
        prefix, set_spec, start, end, stamp, pk, delivered, size, issued, *served = _signer(verb).unsign_object(text)
    except signing.BadSignature:
        raise Refused(BadResumptionToken(_why_not_signed(text, verb))) from None
    token = Token(
        verb=verb,
        prefix=prefix,
        set_spec=set_spec,
        start=None if start is None else from_seconds(start),
        end=from_seconds(end),
        position=ListPosition(from_seconds(stamp), pk),
        delivered=delivered,
        size=size,
        issued=from_seconds(issued),
        profile=served[0] if served else "",
        set_tombstones=bool(served[1]) if len(served) > 1 else None,
        epoch=served[2] if len(served) > 2 else None,
        shared=bool(served[3]) if len(served) > 3 else False,
    )
    if token.epoch is not None and epoch is not None and token.epoch < epoch:
        raise Refused(
            BadResumptionToken(
                "The catalogue was restored after the token was issued; ask for the list again from its beginning."
            )
        )
    if at < token.issued:
        raise ReplicaLags(
            f"the token was issued at {datestamps.write(token.issued)}; this database is at {datestamps.write(at)}"
        )
    if token.profile != profile or token.set_tombstones not in (None, set_tombstones):
        raise Refused(
            BadResumptionToken(
                "The token was issued to another harvester: go on under the User-Agent and from the network of the "
                "list's first request, or ask for the list again from its beginning."
            )
        )
    if at >= token.expires:
        raise Refused(BadResumptionToken("The token has expired; ask for the list again from its beginning."))
    return token


def is_shared(text: str, verb: str) -> bool:
    """Whether a token of this repository is one of a shared list."""
    try:
        return len(state := _signer(verb).unsign_object(text)) > _SHARED_PLACE and bool(state[_SHARED_PLACE])
    except signing.BadSignature:
        return False


_SHARED_PLACE = 12  # in the state of a token


def _why_not_signed(text: str, verb: str) -> str:
    """Return why the signature of a token is not valid for `verb`."""
    if not text:
        return "The token is empty; an empty token marks the end of a list, so no request follows it."
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
