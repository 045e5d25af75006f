"""End a list and a run: decide when a link is complete, and up to when (promise 2).

`finish` is the only place where a run moves the link's `harvested_to`.
"""

import logging
from datetime import datetime, timedelta

from django.db.models import Q

from harvester import schedule
from harvester.link_rules import Kind
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
    silence_days = schedule.silence_days(
        link.first_response, run.first_response, link.deleted_record, link.tombstone_days, link.interval_s
    )
    doubts = _doubts(run, link)
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
    runs.mark_done(run, now=now, message=" ".join([*_remarks(run, link, silence_days), *doubts]))
    logger.info("run done", extra=run.log_facts(harvested_to=link.harvested_to))


def _remarks(run: Run, link: Link, silence_days: int) -> list[str]:
    """What an operator should know of a list that is complete."""
    remarks = []
    if silence_days:  # H15
        remarks.append(
            f"The last harvest was {silence_days} days ago, which is longer than the provider keeps deletions "
            f"({link.deleted_record or 'it does not say for how long'}); all its headers are compared now."
        )
    if run.newest is not None and run.first_response is not None and run.newest > run.first_response:  # H11
        remarks.append("The provider has datestamps in its own future; its responseDate was used instead.")
    if remark := health.describe_skew(link.skew_s):
        remarks.append(remark)
    if link.lacks_remote_set:  # H17, H18
        remarks.append(describe_remote_set(link))
    elif run.listed == 0 and run.list_from is None:  # H13
        remarks.append(_describe_empty_list(link))
    if link.kind == Kind.BACKUP:  # W44
        waiting = Conflict.objects.filter(link=link, kind=Conflict.Kind.OFFERED, settled=None).count()
        remarks.append(f"Nothing was stored; {waiting} records of the co-owner wait among the conflicts.")
    if run.list_size is not None and run.listed != run.list_size:  # H25
        remarks.append(f"The provider announced {run.list_size} entries and listed {run.listed}.")
    return remarks


def _doubts(run: Run, link: Link) -> list[str]:
    """Why a list that came to its end may not be what the provider has: then all headers are compared at once."""
    doubts = []
    if run.list_from is None and run.listed:  # F83
        stored = remote_headers.live(link).count()
        if stored > 2 * run.listed and stored - run.listed > comparison.ceiling(link):
            doubts.append(
                f"The provider lists {run.listed} entries, and {stored} are stored here. Ask the provider whether it was "
                "installed anew. Nothing was deleted; its headers are compared now, and what is missing waits for you."
            )
    # F35: the order changed while the list was read. Of what came unasked the table says nothing.
    if run.pages > 1 and run.list_size is not None and (run.list_from is None or not run.message):
        listed = Q() if run.list_from is None else Q(datestamp__gte=run.list_from) | Q(datestamp=None)
        different = remote_headers.of_provider(link).filter(listed).count()
        different += run.rejects.filter(identifier="").count()
        if different < min(run.listed, run.list_size):
            doubts.append(
                f"Of the {run.listed} entries of the list only {different} are different records; others may have been "
                "left out. All its headers are compared now."
            )
    return doubts


def _describe_empty_list(link: Link) -> str:
    remote_set = link.provider.remote_set
    if remote_set and link.set_state == Link.SetState.LISTED:
        return f"The provider lists the set {remote_set}, and no records in it. Nothing was deleted."
    return (
        f"The provider lists nothing for {remote_set or 'the link'}; an unknown set and an empty one answer alike, and its "
        "sets could not be listed. Nothing was deleted."
    )


def describe_remote_set(link: Link) -> str:
    """A sentence on whether the provider has the set that the link asks for."""
    remote_set = link.provider.remote_set
    if not remote_set:
        return "The link asks for all that the provider has."
    if not link.set_state:
        return f"The set {remote_set} has not been looked for yet."
    if link.set_state == Link.SetState.LISTED:
        return f"The provider lists the set {remote_set}."
    if link.set_state == Link.SetState.NOT_TOLD:
        return f"The provider could not be asked whether it has the set {remote_set}."
    finding = "does not list the set"
    if link.set_state == Link.SetState.NO_SETS:
        finding = "says that it has no sets, and the link asks for"
    return (
        f"The provider {finding} {remote_set}: it may be gone, or have another name now. Nothing was deleted; list its "
        "sets by “retrieve info”, and correct the link's remote setSpec."
    )
