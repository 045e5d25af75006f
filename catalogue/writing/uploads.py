"""Say what may be uploaded into a set that links store into as well (W42, promise 9)."""

from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from catalogue.models import MetadataSet
from catalogue.reasons import ActRefused, Reason, ReasonCode

Kind = MetadataSet.Kind


class LinksIntoSet(NamedTuple):
    """The names of the links that store into a set: of all from a co-owner (W42), and of the others that are enabled."""

    from_co_owners: tuple[str, ...] = ()
    enabled: tuple[str, ...] = ()


def check(into: MetadataSet) -> frozenset[str]:
    """Return the links whose versions an upload into this set does not replace. Raises ActRefused.

    Nothing is uploaded into a shared set that is harvested from a co-owner (W42). The provider of a peer's set decides
    about its content, an upload does not (promise 9). `gisc.settings` names the function that knows the links.
    """
    if into.kind not in (Kind.SHARED, Kind.PEER):
        return frozenset()
    links: LinksIntoSet = import_string(settings.LINKS_INTO_SET)(into)
    if into.kind == Kind.PEER:
        return frozenset(links.enabled)
    if links.from_co_owners:
        facts = {"set": into.spec, "link": ", ".join(links.from_co_owners)}
        raise ActRefused(Reason(ReasonCode.HARVESTED_FROM_CO_OWNER, facts))
    return frozenset()


def check_move(into: MetadataSet) -> None:
    """Raise ActRefused if records of this node cannot be moved into this set."""
    if into.kind not in (Kind.OWN, Kind.SHARED):
        raise ActRefused(Reason(ReasonCode.NO_SET_OF_THIS_NODE, {"set": into.spec}))
    check(into)


@transaction.atomic
def stop_feeding(into: MetadataSet) -> None:
    """Store that this node uploads into a shared set no more, so that it may be harvested from its owners. Raises ActRefused.

    Not while it has a link from a co-owner: what that has not stored until now would never be asked for.
    """
    check(into)
    MetadataSet.objects.filter(pk=into.pk).update(fed_here=False)
