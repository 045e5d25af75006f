"""Open, work on, restart, finish and fail runs: the only writer of Run (design.md, promises 2 and 4).

A worker claims a run for a while (a lease), fetches a page outside any transaction, and stores it in one
transaction together with the run's place. Whoever comes second finds the place moved on and stores nothing.
`harvested_to` moves in the transaction of the last page, and only there.
"""

import logging
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from catalogue import datestamps, metadata, oai, store
from catalogue.datestamps import Granularity
from harvester import client, parse, schedule
from harvester.errors import BrokenReply, HarvestError, Retry, TokenLost
from harvester.models import Link, Reject, Run

logger = logging.getLogger(__name__)

SLICE_S = 60  # design.md, section 5: a task takes pages for at most a minute

Progress = Callable[[Run], None]


# --- Opening ----------------------------------------------------------------------------------------


def open_run(link: Link, *, trigger: str, full: bool = False) -> Run | None:
    """A new run of the link, or None if one is open already. `full` asks for the whole list."""
    now = timezone.now()
    run, is_new = Run.objects.get_or_create(
        link=link,
        state=Run.State.OPEN,
        defaults={"trigger": trigger, "begun": now, "list_from": None if full else link.harvested_to},
    )
    if not is_new:
        return None
    Link.objects.filter(pk=link.pk).update(next_due=now + timedelta(seconds=link.interval_s))
    logger.info("run opened", extra=_facts(run, trigger=trigger, full=full))
    return run


def open_due_runs() -> list[Run]:
    """Open a run for every link that is due. Two beats do no harm: a due link is locked while it is looked at."""
    opened = []
    with transaction.atomic():
        due = Link.objects.select_for_update(skip_locked=True).filter(
            Q(next_due__isnull=True) | Q(next_due__lte=timezone.now()), enabled=True
        )
        for link in due:
            run = open_run(link, trigger="schedule")
            if run is not None:
                opened.append(run)
    return opened


def claimable() -> list[Run]:
    """Open runs that nobody works on, whose wait is over, and for which no task was queued of late."""
    now = timezone.now()
    recently = now - timedelta(seconds=settings.GISC_BEAT_SECONDS)
    waiting = Run.objects.filter(
        Q(not_before__isnull=True) | Q(not_before__lte=now), state=Run.State.OPEN
    ).select_related("link")
    return [
        run
        for run in waiting
        if _is_abandoned(run, now) and (run.queued is None or run.queued < recently or run.holder)
    ]


def mark_queued(run: Run) -> None:
    """Remember that a task is on its way for this run."""
    Run.objects.filter(pk=run.pk).update(queued=timezone.now())


# --- Working ----------------------------------------------------------------------------------------


def work(run_id: int, *, for_s: float = SLICE_S, progress: Progress = lambda run: None) -> Run | None:
    """Take pages of a run for a while; the run as it then stands, or None if it is not there or another has it.

    What can go wrong at the provider is written into the run, with what happens next; it is not raised.
    """
    run = _claim(run_id)
    if run is None:
        return None
    try:
        _take_pages(run, until=time.monotonic() + for_s, progress=progress)
    except HarvestError as exc:
        _react(run, exc)
    finally:
        _release(run)
    return Run.objects.select_related("link").filter(pk=run.pk).first()  # gone if its link was removed meanwhile


def _take_pages(run: Run, *, until: float, progress: Progress) -> None:
    with client.new_session() as session, ThreadPoolExecutor(max_workers=1) as ahead:
        fetch = partial(client.get, session, run.link.base_url)
        if not run.token and not run.pages:
            _prepare_list(run, parse.identify(fetch({"verb": "Identify"}).body))
        reply: Future[client.Reply] = ahead.submit(fetch, _arguments(run))
        while True:
            page = parse.page(reply.result().body, continued=bool(run.token))
            if page.token is not None and page.token == run.token:
                raise BrokenReply("the provider gave the same resumption token again")  # H23
            goes_on = page.token is not None and time.monotonic() < until
            if goes_on:  # the next page is fetched while this one is stored
                reply = ahead.submit(fetch, {"verb": "ListRecords", "resumptionToken": page.token or ""})
            if not _store_page(run, page):
                return  # another worker was faster; its page stands
            run.refresh_from_db()
            progress(run)
            if not goes_on or run.holder != _me():
                return


def _prepare_list(run: Run, identity: parse.Identity) -> None:
    """Set the run's bounds before its first page: granularity from Identify each time, `from` from the link (H7, H8)."""
    run.granularity = identity.granularity
    if run.restarts == 0 and run.list_from is not None:
        run.list_from = schedule.list_from(run.link.harvested_to, identity.granularity, run.link.overlap_s)
    Run.objects.filter(pk=run.pk, holder=_me()).update(granularity=run.granularity, list_from=run.list_from)
    Link.objects.filter(pk=run.link_id).update(granularity=identity.granularity)


def _arguments(run: Run) -> dict[str, str]:
    """The arguments of the run's next request."""
    if run.token:
        return {"verb": "ListRecords", "resumptionToken": run.token}
    arguments = {"verb": "ListRecords", "metadataPrefix": run.link.prefix}
    if run.link.remote_set:
        arguments["set"] = run.link.remote_set
    if run.list_from is not None:
        arguments["from"] = datestamps.write(run.list_from, Granularity(run.granularity))
    return arguments


# --- Storing a page ---------------------------------------------------------------------------------


def _store_page(run: Run, page: parse.Page) -> bool:
    """Store one page and the run's place in one transaction; False if another worker stored it first."""
    prepared: list[tuple[parse.ReceivedEntry, store.Prepared]] = []
    rejects: list[Reject] = []
    for received in page.entries:
        try:
            prepared.append((received, _prepare(run, page, received)))
        except metadata.Unusable as exc:
            rejects.append(_reject(run, received, str(exc)))
    first_response = run.first_response if run.pages else page.response_date
    newest = _newest(run.newest if run.pages else None, page)
    with transaction.atomic():
        now = timezone.now()
        won = Run.objects.filter(
            pk=run.pk, state=Run.State.OPEN, pages=run.pages, restarts=run.restarts, holder=_me()
        ).update(
            pages=F("pages") + 1,
            token=page.token or "",
            first_response=first_response,
            newest=newest,
            list_size=page.list_size,
            attempts=0,
            not_before=None,
            message="",
            leased_until=now + timedelta(seconds=settings.GISC_LEASE_SECONDS),
        )
        if won != 1:
            return False
        results = store.put_entries([entry for _, entry in prepared], into=run.link.local_set, source=run.link.name)
        rejects += [
            _reject(run, received, f"the record {result.reason}")
            for (received, _), result in zip(prepared, results, strict=True)
            if result.action is store.Action.REJECTED
        ]
        _count(run, results, len(page.entries), len(rejects))
        Reject.objects.bulk_create(rejects)
        if page.token is None:
            _finish(run, first_response=first_response or page.response_date, newest=newest, now=now)
    logger.info("page stored", extra=_facts(run, page=run.pages + 1, entries=len(page.entries), rejects=len(rejects)))
    return True


def _prepare(run: Run, page: parse.Page, received: parse.ReceivedEntry) -> store.Prepared:
    """The entry, checked, with its provenance (P122 to P125). Raises metadata.Unusable."""
    header = received.entry.header
    if not header.identifier:
        raise metadata.Unusable("the entry has no identifier in its header")
    provenance = {
        "link": run.link.name,
        "baseURL": run.link.base_url,
        "identifier": header.identifier,
        "datestamp": header.datestamp,
        "metadataNamespace": oai.GMD_NS,
        "harvestDate": datestamps.write(page.response_date),
        "altered": False,
    }
    if received.provenance is not None:
        provenance["origin"] = received.provenance
    if header.deleted:
        return store.prepare_deletion(header.identifier)
    if received.entry.metadata is None:
        raise metadata.Unusable("the record has no metadata and is not deleted")
    try:
        prepared = store.prepare(received.entry.metadata, provenance=provenance)
    except metadata.Unusable as exc:
        raise metadata.Unusable(f"the record {exc}") from exc
    if prepared.key != oai.identifier_key(header.identifier):  # H38, W3
        raise metadata.Unusable(
            f"the header says {header.identifier!r}, the record's gmd:fileIdentifier says {prepared.identifier!r}"
        )
    return prepared


def _reject(run: Run, received: parse.ReceivedEntry, reason: str) -> Reject:
    header = received.entry.header
    return Reject(
        run=run,
        identifier=header.identifier,
        datestamp=header.datestamp[:100],
        reason=reason,
        raw=received.entry.metadata,
    )


def _newest(so_far: datetime | None, page: parse.Page) -> datetime | None:
    stamps = [datestamps.lenient(received.entry.header.datestamp) for received in page.entries]
    return max(filter(None, [so_far, *stamps]), default=None)


def _count(run: Run, results: list[store.Result], received: int, rejected: int) -> None:
    actions = [result.action for result in results]
    stored = {
        action.value: F(action.value) + actions.count(action)
        for action in store.Action
        if action is not store.Action.REJECTED
    }
    Run.objects.filter(pk=run.pk).update(received=F("received") + received, rejected=F("rejected") + rejected, **stored)


def _finish(run: Run, *, first_response: datetime, newest: datetime | None, now: datetime) -> None:
    """The list is complete: the run is done and the link's `harvested_to` moves, in the caller's transaction."""
    link = Link.objects.select_for_update().get(pk=run.link_id)
    link.harvested_to = schedule.harvested_to(first_response, newest, link.harvested_to)
    link.failures = 0
    link.save(update_fields=["harvested_to", "failures"])
    warning = ""
    if newest is not None and newest > first_response:  # H11
        warning = "The provider has datestamps in its own future; its responseDate was used instead."
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished=now, token="", message=warning)
    logger.info("run done", extra=_facts(run, harvested_to=link.harvested_to))


# --- When something goes wrong ----------------------------------------------------------------------


def _react(run: Run, error: HarvestError) -> None:
    """Decide what happens next, and write it into the run. What is stored stays; `harvested_to` does not move."""
    if isinstance(error, TokenLost) and run.restarts < schedule.MAX_RESTARTS:
        _restart(run, error)
    elif isinstance(error, Retry) and run.attempts < schedule.MAX_ATTEMPTS:
        _postpone(run, error)
    else:
        fail_run(run, str(error))


def _postpone(run: Run, error: Retry) -> None:
    attempt = max(run.attempts, 1)
    wait_s = schedule.retry_wait_s(attempt, error.retry_after_s)
    message = (
        f"{_sentence(error)} Page {run.pages + 1} is asked for again in {wait_s:.0f} s "
        f"(try {attempt} of {schedule.MAX_ATTEMPTS})."
    )
    Run.objects.filter(pk=run.pk, holder=_me()).update(
        attempts=attempt, not_before=timezone.now() + timedelta(seconds=wait_s), message=message
    )
    logger.warning("page failed", extra=_facts(run, error=str(error), wait_s=wait_s, attempt=attempt))


def _restart(run: Run, error: TokenLost) -> None:
    message = (
        f"{_sentence(error)} {run.pages} pages stay stored; the list is started again from the same `from` "
        f"(restart {run.restarts + 1} of {schedule.MAX_RESTARTS})."
    )
    Run.objects.filter(pk=run.pk, holder=_me()).update(
        token="", pages=0, restarts=F("restarts") + 1, first_response=None, newest=None, attempts=0, message=message
    )
    logger.warning("list restarted", extra=_facts(run, error=str(error)))


def start_over(link: Link) -> None:
    """Ask for the whole list again in the link's open run, if it has one: what the link asks for has changed."""
    Run.objects.filter(link=link, state=Run.State.OPEN).update(
        list_from=None,
        token="",
        pages=0,
        restarts=F("restarts") + 1,
        first_response=None,
        newest=None,
        list_size=None,
        attempts=0,
        not_before=None,
        message="The link was changed; its list is asked for from the start.",
    )


@transaction.atomic
def fail_run(run: Run, reason: str) -> None:
    """End the run as failed. What it stored stays, `harvested_to` stays, the link is due again after a while."""
    now = timezone.now()
    won = Run.objects.filter(pk=run.pk, state=Run.State.OPEN, holder=_me()).update(
        state=Run.State.FAILED,
        finished=now,
        message=f"{reason.rstrip('.')}. {run.pages} pages stay stored; the next run asks from the same `from` again.",
    )
    if won != 1:
        return
    link = Link.objects.select_for_update().get(pk=run.link_id)
    link.failures += 1
    link.next_due = schedule.due_after_failure(now, link.interval_s, link.failures)
    link.save(update_fields=["failures", "next_due"])
    logger.warning("run failed", extra=_facts(run, error=reason, next_due=link.next_due))


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


# --- The lease --------------------------------------------------------------------------------------


def _me() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _is_abandoned(run: Run, now: datetime) -> bool:
    """Whether nobody works on the run: no lease, a lease run out, or a holder on this host that is dead."""
    if run.leased_until is None or run.leased_until <= now:
        return True
    host, _, pid = run.holder.rpartition(":")
    return host == socket.gethostname() and not _is_alive(int(pid))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _claim(run_id: int) -> Run | None:
    """The run, leased to this process; None if it is not open, must wait, or is leased to another."""
    now = timezone.now()
    run = Run.objects.filter(pk=run_id, state=Run.State.OPEN).select_related("link__local_set").first()
    if run is None or not _is_abandoned(run, now) or (run.not_before is not None and run.not_before > now):
        return None
    won = Run.objects.filter(
        pk=run.pk, state=Run.State.OPEN, holder=run.holder, leased_until=run.leased_until, attempts=run.attempts
    ).update(
        holder=_me(), leased_until=now + timedelta(seconds=settings.GISC_LEASE_SECONDS), attempts=F("attempts") + 1
    )
    if won != 1:
        return None
    run.refresh_from_db()
    if run.attempts > schedule.MAX_ATTEMPTS:
        fail_run(run, f"{schedule.MAX_ATTEMPTS} tries in a row brought no page")
        return None
    return run


def _release(run: Run) -> None:
    Run.objects.filter(pk=run.pk, holder=_me()).update(holder="", leased_until=None)


def _facts(run: Run, **more: object) -> dict[str, object]:
    return {"link": run.link.name, "run": run.pk, **more}
