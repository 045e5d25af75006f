"""Ask for single records by GetRecord, a few at a time, and store each batch with the run's position (W18)."""

import logging
from dataclasses import dataclass, field
from functools import partial

from django.db import transaction

from catalogue import datestamps, seams
from catalogue.reasons import Reason
from harvester import schedule
from harvester.errors import BrokenReply, FaultCode, HarvestError, RefusedByProvider, Unreachable
from harvester.guards import names, spellings
from harvester.header import ReceivedHeader
from harvester.link_rules import Identifiers
from harvester.models import Provider, RemoteHeader, Run
from harvester.net.access import Access, Cookie
from harvester.net.session import Session
from harvester.protocol import warnings
from harvester.protocol.answers import ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.protocol.prefetch import Turn
from harvester.protocol.warnings import ProviderWarning
from harvester.rows import remote_headers, runs
from harvester.rows.rejects import Refusal
from harvester.runs import comparison, finish, store_page
from harvester.runs.pipeline import Progress

logger = logging.getLogger(__name__)
State = RemoteHeader.State
_MAY_HAVE_VANISHED = (State.ABSENT, State.DOUBTFUL)
_HEADER_IS_KNOWN = (State.ABSENT, State.DOUBTFUL, State.UNPROVEN)

GIVE_UP_AFTER = 3  # chosen: tries that brought nothing but failures

Answer = ReceivedEntry | RefusedByProvider


@dataclass(slots=True)
class ThreadResult:
    """What one thread brings: answers, the fault that ended them early, if any, and the cookies it has then."""

    answers: list[tuple[RemoteHeader, Answer]] = field(default_factory=list)
    fault: Exception | None = None
    cookies: tuple[Cookie, ...] = ()
    warnings: tuple[ProviderWarning, ...] = ()


def fetch(run: Run, *, turn: Turn, progress: Progress) -> None:
    """Ask for requested records until none is left, or the turn is over.

    Raises HarvestError, after storing what came.
    """
    at_once = run.link.at_once
    with seams.thread_pool(at_once) as pool:
        while not turn.is_over:
            rows = remote_headers.next_to_request(run.link, schedule.LIMITS.in_force.fetch_batch)
            access = run.link.access(run.cookies)
            skip_failing = run.attempts + 1 >= GIVE_UP_AFTER and turn.result_of(
                pool.submit(_is_reachable, run.link.provider, access)
            )
            request = partial(_request_records, run.link.provider, access, skip_failing=skip_failing)
            shares = _shares(rows, at_once)
            results = turn.results_of([pool.submit(request, share) for share in shares])  # they use no database
            fault = next((result.fault for result in results if result.fault is not None), None)
            if not _store_batch(run, results, last=not rows):
                return
            run.refresh_from_db()
            progress(run)
            if fault is not None:
                raise fault
            if not run.is_open or run.worker != runs.this_worker():
                return
            if turn.is_wanted:
                turn.pause()


def _shares(rows: list[RemoteHeader], number: int) -> list[list[RemoteHeader]]:
    return [rows[first::number] for first in range(min(number, len(rows)))]


def _is_reachable(provider: Provider, access: Access) -> bool:
    """Whether the provider answers at all, so that the fault is with single records."""
    try:
        with Session(access) as session:
            Conversation(session, provider.base_url, provider.prefix).identify()
    except HarvestError:
        return False
    return True


def _request_records(
    provider: Provider, access: Access, rows: list[RemoteHeader], *, skip_failing: bool
) -> ThreadResult:
    """Ask for some records, one after the other. No database.

    `skip_failing`: a record that the provider fails to give becomes a reject, and does not stop the others (F89).
    """
    result = ThreadResult()
    with Session(access) as session:
        has_names = provider.identifiers == Identifiers.FILE
        conversation = Conversation(session, provider.base_url, provider.prefix, has_names=has_names)
        for row in rows:
            try:
                result.answers.append((row, conversation.record(row.identifier)))
            except RefusedByProvider as exc:
                if not exc.codes:  # not about this record
                    result.fault = exc
                    break
                result.answers.append((row, exc))
            except (BrokenReply, Unreachable) as exc:
                if not skip_failing or (isinstance(exc, Unreachable) and exc.status != 500):
                    result.fault = exc
                    break
                result.answers.append((row, RefusedByProvider(FaultCode.RECORD_UNAVAILABLE, {"cause": exc.to_json()})))
            except Exception as exc:
                result.fault = exc
                break
        result.cookies, result.warnings = session.export_cookies(), conversation.take_new_warnings()
    return result


def _store_batch(run: Run, results: list[ThreadResult], *, last: bool) -> bool:
    """Store a batch and the run's position in one transaction; False if another worker stored it first."""
    answers = [answer for result in results for answer in result.answers]
    received = [_as_listed(row, answer) for row, answer in answers if isinstance(answer, ReceivedEntry)]
    refused = [(row, answer) for row, answer in answers if isinstance(answer, RefusedByProvider)]
    vanished = [row for row, exc in refused if row.state in _MAY_HAVE_VANISHED and exc.codes == {"idDoesNotExist"}]
    if run.link.identifiers == Identifiers.FILE:
        received = list(names.resolve(run.link, received))
    entries = store_page.prepare(run, received, at=run.first_response)
    entries.refused += [
        Refusal(_header_of(row), Reason(exc.code, exc.facts)) for row, exc in refused if row not in vanished
    ]
    if run.compares:
        entries.same_header = frozenset(row.key for row, answer in answers if _is_same_header(row, answer))
    apart = spellings.find_apart(run.link, [each.header for each in received], partial(_ask, run))
    with transaction.atomic():
        now = seams.now()
        if not runs.advance_fetching(
            run,
            now=now,
            fetched=len(answers),
            warnings=warnings.merge_warnings(run.warnings, (each for result in results for each in result.warnings)),
            sealed_cookies=run.seal_cookies(results[0].cookies) if results else None,
        ):
            return False
        store_page.store_prepared(run, entries, now=now, at=run.first_response, apart=apart)
        if vanished:
            comparison.report_vanished(run, vanished)
        if run.compares:
            still_there = [row for row, answer in answers if row.state == State.ABSENT and _is_live(answer)]
            runs.add_to_counters(run, extra=-len(still_there))
        if last:
            run.refresh_from_db()
            finish.finish(run, now=now)
    logger.info("records fetched", extra={"records": len(answers), "rejects": len(entries.refused)})
    return True


def _ask(run: Run, identifier: str) -> ReceivedEntry:
    """GetRecord, for a record that is not among those to request."""
    provider = run.link.provider
    with Session(run.link.access(run.cookies)) as session:
        return Conversation(session, provider.base_url, provider.prefix).record(identifier)


def _as_listed(row: RemoteHeader, answer: ReceivedEntry) -> ReceivedEntry:
    """The answer with the datestamp of the list, if that is earlier: what has changed since comes in the next list.

    Some providers stamp what GetRecord brings with the moment, and would have every record compared as changed.
    """
    header = answer.header
    if header.deleted or row.datestamp is None or header.stamp is None or header.stamp <= row.datestamp:
        return answer
    return answer._replace(header=header._replace(stamp=row.datestamp))


def _is_live(answer: Answer) -> bool:
    return isinstance(answer, ReceivedEntry) and not answer.header.deleted


def _is_same_header(row: RemoteHeader, answer: Answer) -> bool:
    """Whether the record was asked for though its header is the one that was known."""
    if not isinstance(answer, ReceivedEntry) or row.state not in _HEADER_IS_KNOWN:
        return False
    return (answer.header.stamp, answer.header.deleted) == (row.datestamp, row.deleted)


def _header_of(row: RemoteHeader) -> ReceivedHeader:
    datestamp = "" if row.datestamp is None else datestamps.write(row.datestamp)
    return ReceivedHeader(row.identifier, row.key, datestamp, row.datestamp)
