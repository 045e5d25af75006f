"""End a list and a run: decide when a link is complete, and up to when (promise 2).

`finish` is the only place where a run moves the link's `harvested_to`.
"""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from catalogue import seams
from harvester import messages, schedule
from harvester.errors import FaultCode, HarvestError
from harvester.link_rules import BETWEEN_CO_OWNERS
from harvester.messages import Outcome, OutcomeCode, Remark, RemarkCode
from harvester.models import Conflict, Link, Run
from harvester.reasons import KEPT_AS_IT_IS
from harvester.rows import clocks, conflicts, links, rejects, remote_headers, runs
from harvester.runs import comparison, doubts, remote_set
from harvester.runs.doubts import Judgement

logger = logging.getLogger(__name__)


def end_list(run: Run, *, now: datetime) -> None:
    """Go on after the last page, in the caller's transaction: to single records if any are requested, else to the end.

    `run`: as it stands in the database.
    """
    if run.compares:
        comparison.request_unseen(run)
    if remote_headers.any_to_request(run.link):
        runs.begin_fetching(run)
    else:
        finish(run, now=now)


def finish(run: Run, *, now: datetime) -> None:
    """End a run whose whole list is stored, and move the link's `harvested_to`, in the caller's transaction.

    `run`: as it stands in the database.
    """
    if run.compares:
        comparison.finish(run, now=now)
        return
    assert run.first_response is not None
    link = Link.objects.select_for_update(of=("self",)).select_related("serving").get(pk=run.link_id)
    if link.set_state in Link.LACKING:
        if not run.listed:  # an empty list of a set that is missing says nothing of the set
            fail_run(run, remote_set.fault(link))
            return
        links.record_set_state(link, set_state=Link.SetState.UNLISTED, checked=link.set_checked)
    took_nothing = bool(run.received) and run.received == run.rejected
    data = {"rejected": run.rejected, "reason": next(iter(rejects.reasons_in(run)), "")} if took_nothing else {}
    if took_nothing and _brings_nothing(run, link):
        rejects.settle(run, now=now)
        fail_run(run, HarvestError(FaultCode.NOTHING_TAKEN, data), next_due=link.next_due)
        return
    spellings = conflicts.load_spellings(link)
    judgement = doubts.judge(run, link)
    found = judgement.found
    reconciles = bool(found) or link.reconciles
    first_response, first_asked, newest = link.first_response, link.first_asked, link.newest
    if run.listed or not link.has_unlisted_set:  # an empty list of a set that is not listed says nothing of the set
        first_response, first_asked, newest = run.first_response, run.first_asked, _newest(run, link)
    link.from_ignored = judgement.from_ignored
    remarks = [remark.to_json() for remark in (*_remarks(run, link, judgement, spellings.flapping), *found)]
    links.record_complete_list(
        link,
        links.CompleteList(
            first_response=first_response,
            first_asked=first_asked,
            newest=newest,
            relisted_to=judgement.relisted_to,
            is_promised=run.is_promised,
            lateness_h=judgement.lateness_h,
            doubts=_merge(link.doubts, found) if found else link.doubts,
            shortfall=judgement.shortfall,
            shortfall_from=run.list_from,
            from_ignored=link.from_ignored,
            reconciles=reconciles,
            compared_to=None if found else link.compared_to,
            next_slice=now if reconciles else link.next_slice or now + timedelta(days=1),
            # From a node that keeps promise 1, what a list lacks comes with the next one, whenever that is.
            next_due=now if judgement.shortfall and not run.is_promised else link.next_due,
        ),
    )
    if spellings.are_disputed:
        conflicts.record_old_spellings(run)
    rejects.settle(run, now=now)
    code = OutcomeCode.NOTHING_TAKEN if took_nothing else OutcomeCode.DONE
    runs.mark_done(run, now=now, outcome=Outcome(code, {**data, "remarks": remarks}))
    logger.info("run done", extra={"harvested_to": link.harvested_to})


def _brings_nothing(run: Run, link: Link) -> bool:
    """Whether a link brings nothing at all, as all of a list was rejected: then no list is complete, and the link fails.

    One bad record among those of earlier lists is a reject, and the link goes on (H33). So are entries that this node
    knows better.
    """
    if not KEPT_AS_IT_IS.isdisjoint(rejects.reasons_in(run)):
        return False
    return run.list_from is None or not remote_headers.live(link).exists()


def _newest(run: Run, link: Link) -> datetime | None:
    """The largest datestamp of the list; one more than a day in the provider's future says nothing of lateness (H8)."""
    assert run.first_response is not None
    if run.skipped_size is not None and not doubts.adds_up(run):
        return link.newest  # so that the next list begins where this one should have begun
    if run.newest is None or run.newest <= run.first_response + timedelta(days=1):
        return run.newest or link.newest
    return remote_headers.newest(link, not_after=run.first_response) or run.newest


def _merge(before: list[dict[str, Any]], found: list[Remark]) -> list[dict[str, Any]]:
    """The doubts of a link, with new ones in the place of older ones of the same code."""
    codes = {str(remark.code) for remark in found}
    return [*(doubt for doubt in before if doubt["code"] not in codes), *(remark.to_json() for remark in found)]


def _remarks(run: Run, link: Link, judgement: Judgement, flapping: int) -> list[Remark]:
    """What an operator should know of a list that is complete. `link`: as it was before this list.

    `flapping`: how many records keep the spelling that they have here.
    """
    remarks = []
    if run.newest is not None and run.first_response is not None and run.newest > run.first_response:  # H11
        remarks.append(Remark(RemarkCode.FUTURE_DATESTAMPS))
    if link.skew_s is not None and abs(link.skew_s) > clocks.SKEW_WARNING_S:  # W19
        facts = {"skew_s": round(link.skew_s, 1), "is_alarm": abs(link.skew_s) > clocks.SKEW_ALARM_S}
        remarks.append(Remark(RemarkCode.CLOCK_SKEW, facts))
    if run.came_late:  # H8
        late = {"records": run.came_late, "lateness_h": judgement.lateness_h}
        remarks.append(Remark(RemarkCode.CAME_LATE, late))
    if flapping:  # F74
        remarks.append(Remark(RemarkCode.SPELLING_STAYS, {"records": flapping}))
    remarks += link.remarks
    if run.listed == 0 and run.list_from is None and not link.has_brought_nothing:  # H13
        asked_set = link.provider.remote_set
        is_listed = bool(asked_set) and link.set_state == Link.SetState.LISTED
        remarks.append(Remark(RemarkCode.LIST_EMPTY, {"set": asked_set, "is_set_listed": is_listed}))
    if link.kind in BETWEEN_CO_OWNERS and link.only_reports:  # W44
        waiting = Conflict.objects.filter(link=link, kind=Conflict.Kind.OFFERED, settled=None).count()
        remarks.append(Remark(RemarkCode.OFFERS_WAIT, {"waiting": waiting}))
    if run.list_size is not None and run.listed != run.list_size:  # H25
        remarks.append(Remark(RemarkCode.SIZE_DIFFERS, {"announced": run.list_size, "listed": run.listed}))
    return remarks


def describe_remote_set(link: Link) -> str:
    """A sentence on whether the provider has the set that the link asks for."""
    facts = link.set_facts
    return messages.describe_remote_set(facts["set"], facts["state"], facts.get("alternative", ""))


@transaction.atomic
def fail_run(run: Run, error: HarvestError, *, next_due: datetime | None = None) -> None:
    """End the run as failed. What it stored stays, `harvested_to` stays; the link is due again after a while.

    `next_due`: when, if not sooner than by its interval.
    """
    now = seams.now()
    outcome = Outcome(OutcomeCode.FAILED, {"cause": error.to_json(), "pages": run.pages})
    if not runs.mark_failed(run, now=now, outcome=outcome):
        return
    if run.compares:
        comparison.put_off(run)
        return
    link = Link.objects.select_for_update().get(pk=run.link_id)
    is_ours = error.code.is_of_this_node  # then nobody turns to another provider for it
    failures = link.failures if is_ours else link.failures + 1
    links.record_failure(
        link,
        failures=failures,
        failing_since=link.failing_since if is_ours else link.failing_since or run.begun,
        next_due=next_due or schedule.due_after_failure(now, link.schedule, max(failures, 1), link.next_due),
    )
    facts = {"code": str(error.code), "error": str(error), "next_due": link.next_due}
    logger.warning("run failed", extra=facts)
