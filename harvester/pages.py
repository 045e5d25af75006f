"""Store one page of a list: its entries, the run's place and its counters, in one transaction (promise 2).

`harvested_to` moves in the transaction of the last page, and only there.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from catalogue import datestamps, metadata, oai, store
from harvester import leases, parse, schedule
from harvester.models import Link, Reject, Run

logger = logging.getLogger(__name__)


def store_page(run: Run, page: parse.Page) -> bool:
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
            pk=run.pk, state=Run.State.OPEN, pages=run.pages, restarts=run.restarts, holder=leases.me()
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
    logger.info("page stored", extra=run.log_facts(page=run.pages + 1, entries=len(page.entries), rejects=len(rejects)))
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
        return store.prepare_deletion(header.identifier, provenance=provenance)
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
    logger.info("run done", extra=run.log_facts(harvested_to=link.harvested_to))
