"""Ask for single records by GetRecord, a few at a time, and store each batch with the run's place (W18)."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from catalogue import oai
from harvester.errors import BrokenReply, HarvestError, RefusedByProvider, Unreachable
from harvester.models import Provider, Reject, RemoteHeader, Run
from harvester.net import client
from harvester.net.access import Access, Cookie
from harvester.protocol import warnings
from harvester.protocol.answers import ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.protocol.warnings import ProviderWarning
from harvester.rows import remote_headers, runs
from harvester.runs import comparison, finish, store_page
from harvester.runs.pipeline import Progress

logger = logging.getLogger(__name__)
State = RemoteHeader.State
_SUSPECTED = (State.ABSENT, State.DOUBTED)

BATCH = 20  # chosen: well within a lease at a second for each
GIVE_UP_AFTER = 3  # chosen: tries that brought nothing but failures

Answer = ReceivedEntry | RefusedByProvider


@dataclass(slots=True)
class _Replies:
    """What one thread brings: answers, the fault that ended them early, if any, and the cookies it has then."""

    answers: list[tuple[RemoteHeader, Answer]] = field(default_factory=list)
    fault: Exception | None = None
    cookies: tuple[Cookie, ...] = ()
    warnings: tuple[ProviderWarning, ...] = ()


def fetch(run: Run, *, until: float, progress: Progress) -> None:
    """Ask for what is wanted until nothing is, or the time is over. Raises HarvestError, with what came stored."""
    at_once = run.link.at_once
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        while time.monotonic() < until:
            rows = remote_headers.wanted(run.link, BATCH)
            access = run.link.access(run.cookies)
            leave_out = run.attempts >= GIVE_UP_AFTER and _answers(run.link.provider, access)
            ask = partial(_ask, run.link.provider, access, leave_out=leave_out)
            replies = list(pool.map(ask, _shares(rows, at_once)))  # the threads see no database
            fault = next((reply.fault for reply in replies if reply.fault is not None), None)
            got = [answer for reply in replies for answer in reply.answers]
            if not _store(run, got, replies, last=not rows):
                return
            run.refresh_from_db()
            progress(run)
            if fault is not None:
                raise fault
            if not run.is_open or run.holder != runs.this_worker():
                return


def _shares(rows: list[RemoteHeader], number: int) -> list[list[RemoteHeader]]:
    return [rows[first::number] for first in range(min(number, len(rows)))]


def _answers(at: Provider, access: Access) -> bool:
    """Whether the provider answers at all, so that it is a record that cannot be had."""
    try:
        with client.new_session(access) as session:
            Conversation(session, at.base_url, at.prefix).identify()
    except HarvestError:
        return False
    return True


def _ask(at: Provider, access: Access, rows: list[RemoteHeader], *, leave_out: bool) -> _Replies:
    """The answers for some rows, one after the other. No database.

    `leave_out`: a record that the provider fails to give is a reject, and does not keep the others back (F89).
    """
    replies = _Replies()
    with client.new_session(access) as session:
        provider = Conversation(session, at.base_url, at.prefix)
        for row in rows:
            try:
                replies.answers.append((row, _of(row, provider.record(row.identifier))))
            except RefusedByProvider as exc:
                if not exc.codes:  # not about this record
                    replies.fault = exc
                    break
                replies.answers.append((row, exc))
            except (BrokenReply, Unreachable) as exc:
                if not leave_out or (isinstance(exc, Unreachable) and exc.status != 500):
                    replies.fault = exc
                    break
                replies.answers.append((row, RefusedByProvider(f"it cannot be had: {exc}")))
            except Exception as exc:
                replies.fault = exc
                break
        replies.cookies, replies.warnings = session.export_cookies(), provider.take_new_warnings()
    return replies


def _of(row: RemoteHeader, answer: ReceivedEntry) -> Answer:
    said = answer.entry.header.identifier
    if oai.identifier_key(said) == row.key:
        return answer
    return RefusedByProvider(f"the answer to GetRecord was of {said!r}")


def _store(run: Run, answers: list[tuple[RemoteHeader, Answer]], replies: list[_Replies], *, last: bool) -> bool:
    """Store a batch and the run's place in one transaction; False if another worker stored it first."""
    received = [answer for _, answer in answers if isinstance(answer, ReceivedEntry)]
    refused = [(row, answer) for row, answer in answers if isinstance(answer, RefusedByProvider)]
    vanished = [row for row, exc in refused if row.state in _SUSPECTED and exc.codes == {"idDoesNotExist"}]
    prepared, rejects = store_page.prepare(run, received, at=run.first_response)
    rejects += [
        Reject(run=run, identifier=row.identifier, datestamp=_written(row), reason=f"the provider listed it, but {exc}")
        for row, exc in refused
        if row not in vanished
    ]
    with transaction.atomic():
        now = timezone.now()
        won = Run.objects.filter(
            pk=run.pk, state=Run.State.OPEN, phase=Run.Phase.FETCHING, fetched=run.fetched, holder=runs.this_worker()
        ).update(
            fetched=F("fetched") + len(answers),
            attempts=0 if answers else F("attempts"),
            not_before=None,
            **({"message": ""} if run.attempts > 1 else {}),  # what a wait was for is over; what the list showed stays
            warnings=warnings.merge_warnings(
                run.warnings, (warning for reply in replies for warning in reply.warnings)
            ),
            sealed_cookies=run.seal_cookies(replies[0].cookies) if replies else F("sealed_cookies"),
            leased_until=now + timedelta(seconds=settings.GISC_LEASE_SECONDS),
        )
        if won != 1:
            return False
        store_page.put(run, prepared, rejects, at=run.first_response)
        if vanished:
            comparison.keep_vanished(run, vanished)
        if run.is_comparison:
            still_there = [row for row, answer in answers if row.state == State.ABSENT and _is_live(answer)]
            runs.add_to_counters(run, extra=-len(still_there))
        if last:
            run.refresh_from_db()
            finish.finish(run, now=now)
    logger.info("records fetched", extra=run.log_facts(records=len(answers), rejects=len(rejects)))
    return True


def _is_live(answer: Answer) -> bool:
    return isinstance(answer, ReceivedEntry) and not answer.entry.header.deleted


def _written(row: RemoteHeader) -> str:
    return "" if row.datestamp is None else f"{row.datestamp:%Y-%m-%dT%H:%M:%SZ}"
