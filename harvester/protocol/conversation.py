"""Send the requests of a run to one provider, and repeat a refused request in the form that this provider understands.

Providers deviate from the protocol in known ways. For each of these a request is repeated once in another form; the
form is used for the rest of the conversation, and a warning says so. What then still fails is raised.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from urllib.parse import unquote

from catalogue import datestamps, oai, seams
from catalogue.datestamps import Granularity
from catalogue.reasons import Reason
from harvester.errors import BrokenReply, FaultCode, HarvestError, RefusedByProvider, TokenLost, TooLarge, Unreachable
from harvester.net import client
from harvester.net.client import Limits, Reply, Session
from harvester.protocol import answers, envelope, names, repair
from harvester.protocol.answers import Format, Identity, Page, ReceivedEntry, RemoteSet
from harvester.protocol.list_checks import ListChecker
from harvester.protocol.prefetch import Prefetcher
from harvester.protocol.unchanged import LoadKeys, LoadStored
from harvester.protocol.warnings import (
    ProviderWarning,
    WarningCode,
    WarningCounts,
    count_warning,
    describe_warnings,
    merge_warnings,
)
from harvester.reasons import EntryCode

logger = logging.getLogger(__name__)

MAX_EMPTY_PAGES = 3  # chosen: in a row, each with a token (F27)
MAX_REFETCHED = 20  # chosen: incomplete records of a page, each fetched by GetRecord
_XML_TYPES = ("text/xml", "application/xml")


@dataclass(slots=True)
class Conversation:
    """Requests to one provider, one after the other. All methods raise HarvestError. Not for several threads at once.

    With a `prefetcher` the next page of a list is requested while the last is parsed. `load_stored` loads stored versions:
    unchanged records are not parsed. `list_checker` is set for a list with a `from`, or one that another task began.
    `has_names`: identifiers are only names of this provider (`harvester.protocol.names`); `load_keys` loads what they mean.
    """

    session: Session
    base_url: str
    prefix: str = oai.ISO19139
    limits: Limits | None = None
    prefetcher: Prefetcher | None = None
    load_stored: LoadStored | None = None
    has_names: bool = False
    load_keys: LoadKeys | None = None
    list_checker: ListChecker | None = None
    moved_to: str = ""
    is_compressed: bool = False  # an answer came compressed
    has_seen_records: bool = False  # in a list
    _post: bool = False
    _granularity: Granularity | None = None  # None: as the request has it
    _sends_prefix_with_token: bool = False
    _is_legacy: bool = False
    _warnings: WarningCounts = field(default_factory=dict)
    _new_warnings: WarningCounts = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of this conversation so far, as sentences, each with its count."""
        return tuple(describe_warnings(merge_warnings([], self._warnings.values())))

    def take_new_warnings(self) -> tuple[ProviderWarning, ...]:
        """Return the warnings since the last call."""
        new, self._new_warnings = self._new_warnings, {}
        return tuple(new.values())

    # --- Requests ------------------------------------------------------------------------------------

    def identify(self) -> Identity:
        """Identify. If it fails and other verbs work, assume safe values (F50)."""
        try:
            reply = self._fetch({"verb": "Identify"})
            identity = answers.parse_identify(reply.body, reply.charset, reply.date)
        except HarvestError as exc:
            if "badVerb" in exc.codes and not self._post:
                self._switch_to_post()
                return self.identify()
            if exc.status in (200, 500, 501) and not _is_without_answer(exc):
                return self._assume_identity(exc)
            raise
        if identity.protocol_version not in ("2.0", "1.0", "1.1"):
            self._warn(ProviderWarning(WarningCode.VERSION, {"version": identity.protocol_version}))
        self._is_legacy = identity.protocol_version.startswith("1.")
        return identity

    def formats(self) -> list[Format]:
        """ListMetadataFormats."""
        reply = self._fetch({"verb": "ListMetadataFormats"})
        return answers.parse_formats(reply.body, reply.charset)

    def sets(self, token: str | None = None) -> tuple[list[RemoteSet], str | None]:
        """ListSets: a page of sets, and the token of the next page."""
        reply = self._fetch({"verb": "ListSets"} | ({"resumptionToken": token} if token else {}))
        return answers.parse_sets(reply.body, reply.charset)

    def page(self, arguments: Mapping[str, str]) -> Page:
        """ListRecords or ListIdentifiers: a page, repaired if it did not parse.

        Its incomplete records are fetched by GetRecord. Its warnings are those since the page before.
        """
        page = self._page(arguments)
        empty = 0
        while not page.entries and page.token is not None:
            empty += 1
            if empty > MAX_EMPTY_PAGES:
                raise BrokenReply(FaultCode.EMPTY_PAGES, {"pages": empty})
            self._warn(ProviderWarning(WarningCode.EMPTY_PAGE))
            page = self._page({"verb": arguments["verb"], "resumptionToken": page.token})
        self.list_checker = self.list_checker or ListChecker()
        page = self.list_checker.check(page)
        for warning in page.warnings:
            self._warn(warning)
        if self.has_names:
            page = _identify(page)
        return replace(
            page, cookies=self.session.export_cookies(), moved_to=self.moved_to, warnings=self.take_new_warnings()
        )

    def headers(self, arguments: Mapping[str, str]) -> Page:
        """ListIdentifiers: one page, by itself. `noRecordsMatch` is an empty page."""
        page = self._page({"verb": "ListIdentifiers", **arguments})
        return _identify(page) if self.has_names else page

    def record(self, identifier: str) -> ReceivedEntry:
        """GetRecord. The entry has a `fault` if it cannot be parsed.

        The answer to another request, as of a proxy that is out of step, is a BrokenReply.
        """
        arguments = {"verb": "GetRecord", "identifier": identifier, "metadataPrefix": self.prefix}
        page = self._request(arguments)
        if len(page.entries) != 1:
            raise BrokenReply(FaultCode.GETRECORD_COUNT, {"records": len(page.entries)})
        answer = page.entries[0]
        if answer.header.identifier and answer.header.key != oai.oai_identifier(identifier):
            raise BrokenReply(FaultCode.OTHER_RECORD, {"identifier": answer.header.identifier})
        if self.has_names:
            return names.identify(answer._replace(header=answer.header._replace(identifier=identifier)))
        return answer

    # --- Other forms of a refused request -----------------------------------------------------------------------------

    def _assume_identity(self, fault: HarvestError) -> Identity:
        """Return safe values for a provider whose Identify fails. Raises `fault` if it is no provider at all."""
        try:
            reply = self._fetch({"verb": "ListMetadataFormats"})
            answers.parse_formats(reply.body, reply.charset)
            at = answers.parse_response_date(reply.body, reply.charset, reply.date)
        except HarvestError:
            raise fault from None
        self._warn(ProviderWarning(WarningCode.IDENTIFY, {"cause": fault.to_json()}))
        return Identity("", "", Granularity.DAY, "", "", at, at)

    def _switch_to_post(self) -> None:
        """Send the arguments in the body from now on, as some proxies drop the query (F42)."""
        self._post = True
        self._warn(ProviderWarning(WarningCode.METHOD))

    def _page(self, arguments: Mapping[str, str]) -> Page:
        try:
            page = self._request(self._adapt(arguments))
        except TokenLost as exc:
            is_complete = self.list_checker is not None and self.list_checker.is_complete
            if is_complete and exc.codes <= {"badResumptionToken", "noRecordsMatch"}:  # F27, F31
                self._warn(ProviderWarning(WarningCode.END, {"cause": exc.to_json()}))
                return Page(seams.now().replace(microsecond=0), ())
            page = self._repeat_in_other_form(arguments, exc)
        except HarvestError as exc:
            page = self._repeat_in_other_form(arguments, exc)
        self.has_seen_records = self.has_seen_records or bool(page.entries)
        if arguments["verb"] == "ListRecords" and any(_is_incomplete(entry) for entry in page.entries):
            return replace(page, entries=self._refetch_incomplete(page.entries))
        return page

    def _repeat_in_other_form(self, arguments: Mapping[str, str], refusal: HarvestError) -> Page:
        """Return the page that the request brings in another form. Raises `refusal` if there is no other form."""
        other_form = self._other_form(arguments, refusal)
        if other_form is not None:
            return self._request(self._adapt(other_form))
        if "cannotDisseminateFormat" in refusal.codes and "resumptionToken" not in arguments:
            facts = {**refusal.facts, "iso_prefixes": self._iso_prefixes()}
            raise RefusedByProvider(refusal.code, facts, codes=refusal.codes) from refusal
        raise refusal

    def _adapt(self, arguments: Mapping[str, str]) -> dict[str, str]:
        """Write the arguments in the form that this provider has been found to understand."""
        adapted = dict(arguments)
        if self._sends_prefix_with_token and "resumptionToken" in adapted:
            adapted["metadataPrefix"] = self.prefix
        for bound in ("from", "until"):
            if bound in adapted and (self._granularity or self._is_legacy):
                stamp, _ = datestamps.parse(adapted[bound])
                stamp -= timedelta(days=envelope.LEGACY_OVERLAP_DAYS if self._is_legacy and bound == "from" else 0)
                adapted[bound] = datestamps.write(stamp, self._granularity or Granularity.DAY)
                if bound == "from" and self.list_checker is not None:
                    self.list_checker.start_at(datestamps.parse(adapted[bound])[0])
        return adapted

    def _other_form(self, arguments: Mapping[str, str], refusal: HarvestError) -> Mapping[str, str] | None:
        """Note which other form this refusal calls for, and return the arguments to repeat; None if there is none."""
        token = arguments.get("resumptionToken", "")
        if "badVerb" in refusal.codes and not self._post:
            self._switch_to_post()
            return arguments
        if isinstance(refusal, TokenLost):
            if refusal.codes == {"badArgument"} and not self._sends_prefix_with_token:
                self._sends_prefix_with_token = True  # F33
                self._warn(ProviderWarning(WarningCode.TOKEN))
                return arguments
            return {**arguments, "resumptionToken": token.strip()} if token.strip() != token else None  # F32
        if "badArgument" in refusal.codes and "from" in arguments and self._granularity is None:
            by_seconds = "T" in arguments["from"]  # F52, F53
            self._granularity = Granularity.DAY if by_seconds else Granularity.SECOND
            facts = {"granularity": "seconds" if by_seconds else "days"}
            self._warn(ProviderWarning(WarningCode.GRANULARITY, facts))
            return arguments
        return None

    def _iso_prefixes(self) -> list[str]:
        """Return the provider's prefixes of ISO 19139 (F48); none if it cannot be asked."""
        try:
            return answers.iso_prefixes(self.formats())
        except HarvestError:
            return []

    def _refetch_incomplete(self, entries: tuple[ReceivedEntry, ...]) -> tuple[ReceivedEntry, ...]:
        """Replace entries that have no metadata, or cannot be parsed, by what GetRecord brings (H33, F64, F65)."""
        incomplete = [entry for entry in entries if _is_incomplete(entry)][:MAX_REFETCHED]
        refetched = {id(entry): self._refetch(entry) for entry in incomplete}
        return tuple(refetched.get(id(entry), entry) for entry in entries)

    def _refetch(self, entry: ReceivedEntry) -> ReceivedEntry:
        try:
            fetched = self.record(entry.header.identifier)
        except Unreachable:
            return entry  # it becomes a reject; a later run may succeed
        except HarvestError as exc:
            reason = entry.fault or Reason(EntryCode.NO_METADATA)
            facts = {"reason": reason.to_json(), "cause": exc.to_json()}
            return entry._replace(fault=Reason(EntryCode.ASKED_FOR_ITSELF, facts))
        return entry if _is_incomplete(fetched) else fetched

    # --- HTTP ----------------------------------------------------------------------------------------

    def _fetch(self, arguments: Mapping[str, str]) -> Reply:
        fetch = partial(client.get, self.session, self.base_url, limits=self.limits, post=self._post)
        try:
            reply = self.prefetcher.get(fetch, arguments) if self.prefetcher else fetch(arguments)
        except RefusedByProvider as exc:
            self.moved_to = exc.moved_to or self.moved_to
            raise
        self.is_compressed = self.is_compressed or reply.is_compressed
        if reply.status != 200:  # errors of OAI-PMH belong in a 200 (P9), and some providers do otherwise
            refusal = client.refusal(reply.status, "")
            if not _is_oai_pmh(reply):
                if "resumptionToken" in arguments:
                    raise TokenLost(refusal.code, refusal.facts, status=reply.status)
                raise refusal
            self._warn(ProviderWarning(WarningCode.STATUS, {"status": reply.status}))
        if reply.content_type not in _XML_TYPES and not reply.content_type.endswith("+xml"):  # P10
            self._warn(ProviderWarning(WarningCode.CONTENT_TYPE, {"content_type": reply.content_type}))
        if reply.moved_to and not self.moved_to:
            self.moved_to = reply.moved_to
            self._warn(ProviderWarning(WarningCode.MOVED, {"moved_to": reply.moved_to}))
        return reply

    def _request(self, arguments: Mapping[str, str]) -> Page:
        """Return the answer to ListRecords, ListIdentifiers or GetRecord, repaired if it did not parse."""
        reply = self._fetch(arguments)
        verb, continued = arguments["verb"], "resumptionToken" in arguments
        page = repair.read_page(
            reply.body,
            verb=verb,
            continued=continued,
            charset=reply.charset,
            date=reply.date,
            load_stored=self.load_stored,
            load_keys=self.load_keys,
            before_repair=self.prefetcher.distrust if self.prefetcher else lambda: None,
        )
        if page.asked_set and _is_other_set(page.asked_set, arguments.get("set", "")):
            raise BrokenReply(FaultCode.OTHER_SET, {"set": page.asked_set})
        return page

    def _warn(self, warning: ProviderWarning) -> None:
        count_warning(self._new_warnings, warning)
        if count_warning(self._warnings, warning):
            facts = {"provider": client.redact_url(self.base_url), "code": str(warning.code), "text": str(warning)}
            logger.warning("provider deviates from the protocol", extra=facts)


def _identify(page: Page) -> Page:
    """Return a page whose identifiers are only names with the keys of its records."""
    return replace(page, entries=tuple(names.identify(entry) for entry in page.entries))


def _is_incomplete(entry: ReceivedEntry) -> bool:
    """Whether a record of ListRecords or GetRecord has an identifier, but no metadata that could be parsed."""
    header = entry.header
    return bool(header.identifier) and not header.deleted and (entry.fault is not None or entry.metadata is None)


def _is_other_set(echoed: str, asked: str) -> bool:
    """Whether the answer says that it is for another set than was asked for."""
    return bool(asked) and unquote(echoed).strip().casefold() != asked.casefold()


def _is_without_answer(fault: HarvestError) -> bool:
    """Whether no answer came at all."""
    return isinstance(fault, Unreachable) and fault.status == 200


def _is_oai_pmh(reply: Reply) -> bool:
    try:
        envelope.parse(reply.body, reply.charset)
    except (BrokenReply, TooLarge):
        return False
    return True
