"""What one provider is asked in a run, and which other form of a question it understands when it refuses one.

Providers differ from the protocol in known ways; each has one second attempt here, remembered for the rest of the
conversation and told as a warning. What then still fails is raised as it is.
"""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from catalogue import datestamps, oai
from catalogue.datestamps import Granularity
from harvester.errors import BrokenReply, HarvestError, RefusedByProvider, TokenLost, Unreachable
from harvester.net import client
from harvester.net.client import Limits, Reply, Session
from harvester.protocol import answers, envelope, list_checks, repair
from harvester.protocol.answers import Format, Identity, Page, ReceivedEntry, RemoteSet
from harvester.protocol.prefetch import Prefetcher
from harvester.protocol.unchanged import Held
from harvester.protocol.warnings import ProviderWarning, WarningCode, add_up, sentences

logger = logging.getLogger(__name__)

MAX_EMPTY_PAGES = 3  # chosen: in a row, each with a token (F27)
MAX_ASKED_AGAIN = 20  # chosen: records of a page that could not be read, each asked for by itself


class Conversation:
    """Questions to one provider, in turn. All methods raise HarvestError. Not for several threads at once.

    `received` and `list_size`: how far a list that is gone on with has come. With a `line`, the next page of a list is
    asked for while the last is read. `held` tells what is held of records: what came just so is not parsed.
    """

    def __init__(
        self,
        session: Session,
        base_url: str,
        prefix: str = oai.ISO19139,
        remote_set: str = "",
        *,
        received: int = 0,
        list_size: int | None = None,
        limits: Limits | None = None,
        line: Prefetcher | None = None,
        held: Held | None = None,
    ) -> None:
        self._session, self._base_url, self._prefix = session, base_url, prefix
        self._limits = limits or client.HARVEST_LIMITS
        self._line, self._held = line, held
        self._watch = list_checks.ListChecker(remote_set, received=received, list_size=list_size)
        self._post = False
        self._granularity: Granularity | None = None  # None: as the question has it
        self._prefix_beside_token = False
        self._legacy = False
        self.moved_to = ""
        self._said: Counter[tuple[WarningCode, str]] = Counter()
        self._untold: Counter[tuple[WarningCode, str]] = Counter()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was not as it should be in this conversation so far: sentences, each with how often."""
        kept = add_up([], (ProviderWarning(code, text, n) for (code, text), n in self._said.items()))
        return tuple(sentences(kept))

    def untold(self) -> tuple[ProviderWarning, ...]:
        """What was not as it should be since this was last asked for."""
        told, self._untold = self._untold, Counter()
        return tuple(ProviderWarning(code, text, n) for (code, text), n in told.items())

    # --- Questions -----------------------------------------------------------------------------------

    def identify(self) -> Identity:
        """Identify. Where it fails and other verbs work, safe values take its place (F50)."""
        try:
            reply = self._ask({"verb": "Identify"})
            identity = answers.identify(reply.body, reply.charset, reply.date)
        except HarvestError as exc:
            if "badVerb" in exc.codes and not self._post:
                self._by_post()
                return self.identify()
            if exc.status in (200, 500, 501) and not _is_silence(exc):
                return self._made_up(exc)
            raise
        if identity.protocol_version not in ("2.0", "1.0", "1.1"):
            self._warn(
                WarningCode.VERSION,
                f"Identify names the protocol version {identity.protocol_version!r}, which is none.",
            )
        self._legacy = identity.protocol_version.startswith("1.")
        return identity

    def formats(self) -> list[Format]:
        """ListMetadataFormats."""
        reply = self._ask({"verb": "ListMetadataFormats"})
        return answers.formats(reply.body, reply.charset)

    def sets(self, token: str | None = None) -> tuple[list[RemoteSet], str | None]:
        """A page of ListSets and the token of the next."""
        reply = self._ask({"verb": "ListSets"} | ({"resumptionToken": token} if token else {}))
        return answers.sets(reply.body, reply.charset)

    def page(self, arguments: Mapping[str, str]) -> Page:
        """A page of ListRecords or ListIdentifiers: read strictly, mended, its unreadable records asked for again.

        Its warnings are those since the page before.
        """
        page = self._page(arguments)
        empty = 0
        while not page.entries and page.token is not None:
            empty += 1
            if empty > MAX_EMPTY_PAGES:
                raise BrokenReply(f"{empty} pages in a row without records that ask to go on")
            self._warn(WarningCode.EMPTY_PAGE, "A page had no records and asked to go on.")
            page = self._page({"verb": arguments["verb"], "resumptionToken": page.token})
        page = self._watch.look_at(page, arguments)
        for remark in page.warnings:
            self._warn(remark.code, remark.text)
        return replace(page, warnings=self.untold(), cookies=self._session.cookies_of(), moved_to=self.moved_to)

    def record(self, identifier: str) -> ReceivedEntry:
        """GetRecord. The entry has a fault if it cannot be read."""
        arguments = {"verb": "GetRecord", "identifier": identifier, "metadataPrefix": self._prefix}
        page = self._read(self._ask(arguments), "GetRecord", continued=False)
        if len(page.entries) != 1:
            raise BrokenReply(f"GetRecord brought {len(page.entries)} records")
        return page.entries[0]

    # --- Second attempts -----------------------------------------------------------------------------

    def _made_up(self, fault: HarvestError) -> Identity:
        """An identity for a provider whose Identify fails. Raises `fault` if it is no provider at all."""
        try:
            reply = self._ask({"verb": "ListMetadataFormats"})
            answers.formats(reply.body, reply.charset)
            at = answers.response_date(reply.body, reply.charset, reply.date)
        except HarvestError:
            raise fault from None
        self._warn(WarningCode.IDENTIFY, f"Identify cannot be used ({fault}); day granularity is assumed.")
        return Identity("", "", Granularity.DAY, "", "", at)

    def _by_post(self) -> None:
        """What a proxy that eats the query needs (F42)."""
        self._post = True
        self._warn(WarningCode.METHOD, "GET was answered with badVerb; the provider is asked by POST.")

    def _page(self, arguments: Mapping[str, str]) -> Page:
        verb, continued = arguments["verb"], _continues(arguments)
        try:
            page = self._read(self._ask(self._in_its_words(arguments)), verb, continued=continued)
        except TokenLost as exc:
            if self._watch.is_complete and exc.codes <= {"badResumptionToken", "noRecordsMatch"}:  # F27, F31
                self._warn(WarningCode.END, f"The list ended with an error instead of an empty token ({exc}).")
                return Page(datetime.now(UTC).replace(microsecond=0), ())
            page = self._page_otherwise(arguments, exc)
        except HarvestError as exc:
            page = self._page_otherwise(arguments, exc)
        return replace(page, entries=self._asked_again(page.entries)) if verb == "ListRecords" else page

    def _page_otherwise(self, arguments: Mapping[str, str], refusal: HarvestError) -> Page:
        again = self._otherwise(arguments, refusal)
        if again is not None:
            reply = self._ask(self._in_its_words(again))
            return self._read(reply, arguments["verb"], continued=_continues(arguments))
        if "cannotDisseminateFormat" in refusal.codes and not _continues(arguments):
            raise RefusedByProvider(f"{refusal}{self._spelling()}", codes=refusal.codes) from refusal
        raise refusal

    def _in_its_words(self, arguments: Mapping[str, str]) -> dict[str, str]:
        """The arguments as this provider is known to want them."""
        said = dict(arguments)
        if self._prefix_beside_token and "resumptionToken" in said:
            said["metadataPrefix"] = self._prefix
        for bound in ("from", "until"):
            if bound in said and (self._granularity or self._legacy):
                stamp, _ = datestamps.parse(said[bound])
                stamp -= timedelta(days=envelope.OVERLAP_DAYS if self._legacy and bound == "from" else 0)
                said[bound] = datestamps.write(stamp, self._granularity or Granularity.DAY)
        return said

    def _otherwise(self, arguments: Mapping[str, str], refusal: HarvestError) -> Mapping[str, str] | None:
        """The question in another form, if there is one that this refusal calls for."""
        token = arguments.get("resumptionToken", "")
        if "badVerb" in refusal.codes and not self._post:
            self._by_post()
            return arguments
        if isinstance(refusal, TokenLost):
            if refusal.codes == {"badArgument"} and not self._prefix_beside_token:
                self._prefix_beside_token = True  # F33
                self._warn(WarningCode.TOKEN, "The provider wants the metadataPrefix beside the token.")
                return arguments
            return {**arguments, "resumptionToken": token.strip()} if token.strip() != token else None  # F32
        if "badArgument" in refusal.codes and "from" in arguments and self._granularity is None:
            by_seconds = "T" in arguments["from"]  # F52, F53
            self._granularity = Granularity.DAY if by_seconds else Granularity.SECOND
            form = "seconds" if by_seconds else "days"
            self._warn(
                WarningCode.GRANULARITY,
                f"The provider says that it knows {form}, and refuses them in `from`; the other form was asked.",
            )
            return arguments
        return None

    def _spelling(self) -> str:
        """How ISO 19139 is spelled there, as the end of a sentence (F48)."""
        try:
            alike = answers.iso_prefixes(self.formats())
        except HarvestError:
            return ""
        return f"; ISO 19139 is called {', '.join(alike)} there: correct the link's prefix" if alike else ""

    def _asked_again(self, entries: tuple[ReceivedEntry, ...]) -> tuple[ReceivedEntry, ...]:
        """The entries, those without metadata and those that cannot be read asked for by GetRecord (H33, F64, F65)."""
        wanting = [entry for entry in entries if _is_wanting(entry)][:MAX_ASKED_AGAIN]
        got = {id(entry): self._second_opinion(entry) for entry in wanting}
        return tuple(got.get(id(entry), entry) for entry in entries)

    def _second_opinion(self, entry: ReceivedEntry) -> ReceivedEntry:
        try:
            again = self.record(entry.entry.header.identifier)
        except Unreachable:
            return entry  # the reject is kept; a later run may have better luck
        except HarvestError as exc:
            return replace(entry, fault=f"{entry.fault or _NO_METADATA}; asked for by itself, {exc}")
        return entry if _is_wanting(again) else again

    # --- Asking --------------------------------------------------------------------------------------

    def _ask(self, arguments: Mapping[str, str]) -> Reply:
        try:
            reply = self._line.get(self._get, arguments) if self._line else self._get(arguments)
        except RefusedByProvider as exc:
            self.moved_to = exc.moved_to or self.moved_to
            raise
        if reply.status != 200:  # errors of OAI-PMH belong in a 200 (P9), and some providers do otherwise
            refusal = client.refused(reply.status, "")
            if not _is_oai_pmh(reply):
                raise TokenLost(str(refusal), status=reply.status) if _continues(arguments) else refusal
            self._warn(WarningCode.STATUS, f"The provider gives its OAI-PMH errors with HTTP {reply.status}.")
        if not _is_xml(reply.content_type):
            self._warn(
                WarningCode.CONTENT_TYPE,
                f"An answer has the Content-Type {reply.content_type or 'none'}, not text/xml.",
            )
        if reply.moved_to and not self.moved_to:
            self.moved_to = reply.moved_to
            self._warn(
                WarningCode.MOVED, f"The provider has moved for good to {reply.moved_to}; accept it in the link."
            )
        return reply

    def _get(self, arguments: Mapping[str, str]) -> Reply:
        return client.get(self._session, self._base_url, arguments, self._limits, post=self._post)

    def _read(self, reply: Reply, verb: str, *, continued: bool) -> Page:
        try:
            page = answers.page(
                reply.body, verb=verb, continued=continued, charset=reply.charset, date=reply.date, held=self._held
            )
        except BrokenReply as broken:
            if self._line:
                self._line.was_broken()
            return repair.page(reply.body, broken, verb=verb, continued=continued, date=reply.date)
        if self._line and verb != "GetRecord":
            self._line.was_sound(page.token)
        return page

    def _warn(self, code: WarningCode, sentence: str) -> None:
        self._said[code, sentence] += 1
        self._untold[code, sentence] += 1
        if self._said[code, sentence] == 1:
            said = {"provider": client.redact_url(self._base_url), "code": str(code), "said": sentence}
            logger.warning("provider deviates", extra=said)


_NO_METADATA = "the record has no metadata and is not deleted"


def _is_wanting(entry: ReceivedEntry) -> bool:
    """Whether a record of ListRecords or GetRecord, though it can be named, could not be read or lacks metadata."""
    header = entry.entry.header
    return bool(header.identifier) and not header.deleted and (bool(entry.fault) or entry.entry.metadata is None)


def _continues(arguments: Mapping[str, str]) -> bool:
    return "resumptionToken" in arguments


def _is_silence(fault: HarvestError) -> bool:
    """Whether nothing was answered at all."""
    return isinstance(fault, Unreachable) and fault.status == 200


def _is_xml(content_type: str) -> bool:
    return content_type in ("text/xml", "application/xml") or content_type.endswith("+xml")  # P10


def _is_oai_pmh(reply: Reply) -> bool:
    try:
        envelope.read(reply.body, reply.charset)
    except BrokenReply:
        return False
    return True
