"""End a list and a run: decide when a link is complete, and up to when (promise 2).

`finish` is the only place where a run moves the link's `harvested_to`.
"""

import logging
from datetime import datetime, timedelta

from django.db.models import Q

from harvester import messages, schedule
from harvester.link_rules import Kind
from harvester.messages import Outcome, OutcomeCode, Remark, RemarkCode, WarningCode
from harvester.models import Conflict, Link, Run
from harvester.rows import health, links, remote_headers, runs
from harvester.runs import comparison

logger = logging.getLogger(__name__)


def end_list(run: Run, *, now: datetime) -> None:
    """Go on after the last page, in the caller's transaction: to single records if any are requested, else to the end.

    `run`: as it stands in the database.
    """
    if run.is_comparison:
        comparison.request_unseen(run)
    if remote_headers.any_to_request(run.link):
        runs.begin_fetching(run)
    else:
        finish(run, now=now)


def finish(run: Run, *, now: datetime) -> None:
    """End a run whose whole list is stored, and move the link's `harvested_to`, in the caller's transaction.

    `run`: as it stands in the database.
    """
    if run.is_comparison:
        comparison.finish(run, now=now)
        return
    assert run.first_response is not None
    link = Link.objects.select_for_update().get(pk=run.link_id)
    doubts = _doubts(run, link)
    silence_days = schedule.silence_days(
        link.first_response, run.first_response, link.deleted_record, link.tombstone_days, link.interval_s
    )
    compares_all = bool(silence_days or doubts)
    reconciles = compares_all or link.reconciles
    first_response, newest = link.first_response, link.newest
    if run.listed or not link.lacks_remote_set:  # an empty list of a set that is missing says nothing of the set
        first_response, newest = run.first_response, run.newest or link.newest
    links.record_complete_list(
        link,
        first_response=first_response,
        newest=newest,
        reconciles=reconciles,
        compared_to=None if compares_all else link.compared_to,
        next_slice=now if reconciles else link.next_slice or now + timedelta(days=1),
    )
    remarks = [remark.to_json() for remark in (*_remarks(run, link, silence_days), *doubts)]
    runs.mark_done(run, now=now, outcome=Outcome(OutcomeCode.DONE, {"remarks": remarks}))
    logger.info("run done", extra={**run.log_facts, "harvested_to": link.harvested_to})


def _remarks(run: Run, link: Link, silence_days: int) -> list[Remark]:
    """What an operator should know of a list that is complete."""
    remarks = []
    if silence_days:  # H15
        facts = {"days": silence_days, "deleted_record": link.deleted_record}
        remarks.append(Remark(RemarkCode.LONG_SILENCE, facts))
    if run.newest is not None and run.first_response is not None and run.newest > run.first_response:  # H11
        remarks.append(Remark(RemarkCode.FUTURE_DATESTAMPS))
    if link.skew_s is not None and abs(link.skew_s) > health.SKEW_WARNING_S:  # W19
        facts = {"skew_s": round(link.skew_s, 1), "is_alarm": abs(link.skew_s) > health.SKEW_ALARM_S}
        remarks.append(Remark(RemarkCode.CLOCK_SKEW, facts))
    if link.lacks_remote_set:  # H17, H18
        facts = {"set": link.provider.remote_set, "state": link.set_state}
        remarks.append(Remark(RemarkCode.SET_MISSING, facts))
    elif run.listed == 0 and run.list_from is None:  # H13
        remote_set = link.provider.remote_set
        is_listed = bool(remote_set) and link.set_state == Link.SetState.LISTED
        remarks.append(Remark(RemarkCode.LIST_EMPTY, {"set": remote_set, "is_set_listed": is_listed}))
    if link.kind == Kind.BACKUP:  # W44
        waiting = Conflict.objects.filter(link=link, kind=Conflict.Kind.OFFERED, settled=None).count()
        remarks.append(Remark(RemarkCode.OFFERS_WAIT, {"waiting": waiting}))
    if run.list_size is not None and run.listed != run.list_size:  # H25
        remarks.append(Remark(RemarkCode.SIZE_DIFFERS, {"announced": run.list_size, "listed": run.listed}))
    return remarks


def _doubts(run: Run, link: Link) -> list[Remark]:
    """Why a list that came to its end may not be what the provider has: then all headers are compared at once."""
    doubts = []
    if run.list_from is None and run.listed:  # F83
        stored = remote_headers.live(link).count()
        if stored > 2 * run.listed and stored - run.listed > comparison.ceiling(link):
            doubts.append(Remark(RemarkCode.FEWER_THAN_STORED, {"listed": run.listed, "stored": stored}))
    # F35: the order changed while the list was read. What is older than `from` is not counted below.
    came_unasked = any(warning["code"] == WarningCode.TOO_OLD for warning in run.warnings)
    if run.pages > 1 and run.list_size is not None and (run.list_from is None or not came_unasked):
        listed = Q() if run.list_from is None else Q(datestamp__gte=run.list_from) | Q(datestamp=None)
        different = remote_headers.of_provider(link).filter(listed).count()
        different += run.rejects.filter(identifier="").count()
        if different < min(run.listed, run.list_size):
            doubts.append(Remark(RemarkCode.ENTRIES_REPEATED, {"listed": run.listed, "different": different}))
    return doubts


def describe_remote_set(link: Link) -> str:
    """A sentence on whether the provider has the set that the link asks for."""
    return messages.describe_remote_set(link.provider.remote_set, link.set_state)
