"""The end of a list, and of a run: when a link is complete, and up to when (promise 2)."""

import logging
from datetime import datetime, timedelta

from django.db.models import Q

from harvester import schedule
from harvester.link_rules import Kind
from harvester.models import Conflict, Link, Run
from harvester.rows import health, remote_headers
from harvester.runs import comparison

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
        comparison.ask_for_unseen(run)
    if remote_headers.any_wanted(run.link):
        Run.objects.filter(pk=run.pk).update(phase=Run.Phase.FETCHING, token="")
    else:
        finish(run, now=now)


def finish(run: Run, *, now: datetime) -> None:
    """All that was listed is stored: the run is done and the link's `harvested_to` moves, in the caller's transaction.

    `run` as it stands in the database.
    """
    if run.is_comparison:
        comparison.finish(run, now=now)
        return
    assert run.first_response is not None
    link = Link.objects.select_for_update().get(pk=run.link_id)
    silence = schedule.silence_days(
        link.first_response, run.first_response, link.deleted_record, link.tombstone_days, link.interval_s
    )
    doubts = _doubts(run, link)
    if silence or doubts:
        link.compare_all()
    if link.reconciles:
        link.next_slice = now
    elif link.next_slice is None:
        link.next_slice = now + timedelta(days=1)
    if run.listed or not link.lacks_remote_set:  # else the empty list tells nothing of the set: it is asked again
        link.first_response = run.first_response
        link.newest = run.newest or link.newest
    link.update_harvested_to()
    link.failures, link.failing_since = 0, None
    link.save(update_fields=_CHANGED)
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.DONE,
        finished=now,
        token="",
        sealed_cookies="",
        message=" ".join([*_remarks(run, link, silence), *doubts]),
    )
    logger.info("run done", extra=run.log_facts(harvested_to=link.harvested_to))


def _remarks(run: Run, link: Link, silence: int) -> list[str]:
    """What an operator should know of a list that is complete."""
    remarks = []
    if silence:  # H15
        remarks.append(
            f"The harvest before was {silence} days ago, which is longer than the provider keeps deletions "
            f"({link.deleted_record or 'it does not say for how long'}); all its headers are compared now."
        )
    if run.newest is not None and run.first_response is not None and run.newest > run.first_response:  # H11
        remarks.append("The provider has datestamps in its own future; its responseDate was used instead.")
    if remark := health.skew_remark(link.skew_s):
        remarks.append(remark)
    if link.lacks_remote_set:  # H17, H18
        remarks.append(set_in_words(link))
    elif run.listed == 0 and run.list_from is None:  # H13
        remarks.append(_nothing_listed(link))
    if link.kind == Kind.BACKUP:  # W44
        waiting = Conflict.objects.filter(link=link, kind=Conflict.Kind.OFFERED, settled=None).count()
        remarks.append(f"Nothing was stored; {waiting} records of the co-owner wait among the conflicts.")
    if run.list_size is not None and run.listed != run.list_size:  # H25
        remarks.append(f"The provider announced {run.list_size} entries and listed {run.listed}.")
    return remarks


def _doubts(run: Run, link: Link) -> list[str]:
    """Why a list that came to its end may not be what the provider holds: then all headers are compared at once."""
    found = []
    rows = remote_headers.of(link)
    if run.list_from is None and run.listed:  # F83
        held = remote_headers.live(link).count()
        if held > 2 * run.listed and held - run.listed > comparison.ceiling(link):
            found.append(
                f"The provider lists {run.listed} entries, and {held} are held; if it was installed anew, ask it. Nothing "
                "was deleted; its headers are compared now, and what is missing waits for you."
            )
    # F35: the order changed while the list was read. Of what came unasked the table says nothing.
    if run.pages > 1 and run.list_size is not None and (run.list_from is None or not run.message):
        since = Q() if run.list_from is None else Q(datestamp__gte=run.list_from) | Q(datestamp=None)
        distinct = rows.filter(since).count() + run.rejects.filter(identifier="").count()
        if distinct < min(run.listed, run.list_size):
            found.append(
                f"Of the {run.listed} entries of the list only {distinct} are different records; others may have been left "
                "out. All its headers are compared now."
            )
    return found


def _nothing_listed(link: Link) -> str:
    remote_set = link.provider.remote_set
    if remote_set and link.set_state == Link.SetState.LISTED:
        return f"The provider lists the set {remote_set}, and no records in it. Nothing was deleted."
    return (
        f"The provider lists nothing for {remote_set or 'the link'}; an unknown set and an empty one answer alike, and its "
        "sets could not be looked at. Nothing was deleted."
    )


def set_in_words(link: Link) -> str:
    """How it stands with the set that the link asks for, as the operator is told."""
    remote_set = link.provider.remote_set
    if not remote_set:
        return "The link asks for all that the provider has."
    if not link.set_state:
        return f"The set {remote_set} has not been looked for yet."
    if link.set_state == Link.SetState.LISTED:
        return f"The provider lists the set {remote_set}."
    if link.set_state == Link.SetState.NOT_TOLD:
        return f"The provider could not be asked whether it has the set {remote_set}."
    told = "does not list the set"
    if link.set_state == Link.SetState.NO_SETS:
        told = "says that it has no sets, and the link asks for"
    return (
        f"The provider {told} {remote_set}: it may be gone, or be called otherwise. Nothing was deleted; look at its sets by "
        "“retrieve info”, and correct the link's remote setSpec."
    )
