"""The end of a list, and of a run: when a link is complete, and up to when (promise 2)."""

import logging
from datetime import datetime, timedelta

from harvester import clock, headers, schedule, slices
from harvester.models import Conflict, Link, Run
from harvester.words import Kind

logger = logging.getLogger(__name__)
_CHANGED = (
    *("first_response", "newest", "harvested_to", "failures", "failing_since"),
    *("reconciles", "next_slice", "compared_to"),
)


def end_list(run: Run, *, now: datetime) -> None:
    """The last page is stored, in the caller's transaction: what is wanted is fetched next, or the run is done.

    `run` as it stands in the database.
    """
    if run.is_comparison:
        slices.ask_for_unseen(run)
    if headers.any_wanted(run.link):
        Run.objects.filter(pk=run.pk).update(phase=Run.Phase.FETCHING, token="")
    else:
        finish(run, now=now)


def finish(run: Run, *, now: datetime) -> None:
    """All that was listed is stored: the run is done and the link's `harvested_to` moves, in the caller's transaction.

    `run` as it stands in the database.
    """
    if run.is_comparison:
        slices.finish(run, now=now)
        return
    assert run.first_response is not None
    link = Link.objects.select_for_update().get(pk=run.link_id)
    silence = schedule.silence_days(
        link.first_response, run.first_response, link.deleted_record, link.tombstone_days, link.interval_s
    )
    if silence:
        link.reconciles, link.compared_to = True, None
    if link.reconciles:
        link.next_slice = now
    elif link.next_slice is None:
        link.next_slice = now + timedelta(days=1)
    link.first_response = run.first_response
    link.newest = run.newest or link.newest
    link.harvested_to = schedule.harvested_to(link.first_response, link.newest, by_response=_by_response(link))
    link.failures, link.failing_since = 0, None
    link.save(update_fields=_CHANGED)
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.DONE, finished=now, token="", message=" ".join(_remarks(run, link, silence))
    )
    logger.info("run done", extra=run.log_facts(harvested_to=link.harvested_to))


def recompute(link: Link) -> None:
    """Set `harvested_to` as the link's policy says, from what the last complete list told."""
    if link.first_response is not None:
        link.harvested_to = schedule.harvested_to(link.first_response, link.newest, by_response=_by_response(link))


def _by_response(link: Link) -> bool:
    return link.from_policy == Link.FromPolicy.RESPONSE


def _remarks(run: Run, link: Link, silence: int) -> list[str]:
    """What an operator should know of a list that is complete."""
    remarks = [run.message] if run.message else []  # what its pages showed
    if silence:  # H15
        remarks.append(
            f"The harvest before was {silence} days ago, which is longer than the provider keeps deletions "
            f"({link.deleted_record or 'it does not say for how long'}); all its headers are compared now."
        )
    if run.newest is not None and run.first_response is not None and run.newest > run.first_response:  # H11
        remarks.append("The provider has datestamps in its own future; its responseDate was used instead.")
    if remark := clock.skew_remark(link.skew_s):
        remarks.append(remark)
    if run.listed == 0 and run.list_from is None:  # H13
        remarks.append(
            f"The provider lists nothing for {link.provider.remote_set or 'the link'}; an unknown set and an empty one answer "
            "alike, so look whether it still offers the set. Nothing was deleted."
        )
    if link.kind == Kind.BACKUP:  # W44
        waiting = Conflict.objects.filter(link=link, kind=Conflict.Kind.OFFERED, settled=None).count()
        remarks.append(f"Nothing was stored; {waiting} records of the co-owner wait among the conflicts.")
    if run.list_size is not None and run.listed != run.list_size:  # H25
        remarks.append(f"The provider announced {run.list_size} entries and listed {run.listed}.")
    return remarks
