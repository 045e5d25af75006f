"""Name the kinds of link, and refuse links by which records could go in circles (W21, W42, W48). No database."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from django.db.models import TextChoices
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import oai
from catalogue.models import MetadataSet


class Kind(TextChoices):
    """What a link's provider is to us."""

    PEER = "peer", _("peer: another GISC's own set, from that GISC")
    RELAY = "relay", _("relay: a GISC's set, from another GISC that holds it")
    CENTRE = "centre", _("centre: an NC, a DCPC or another catalogue that harvests nobody")
    SHARED = "shared", _("shared: a set of joint responsibility, from one of its owners")
    BACKUP = "backup", _("backup: a set that we look after, too, from its other owner; by hand, each record confirmed")
    RECOVERY = "recovery", _("recovery: our own set back from another GISC, by hand")


class Identifiers(TextChoices):
    """What counts where the identifier of a header is not the gmd:fileIdentifier of its record (H38)."""

    SAME = "same", _("must be the same: a record whose header differs from its gmd:fileIdentifier is rejected")  # W3
    FILE = "file", _("gmd:fileIdentifier counts: the header has only the provider's own name for the record")
    HEADER = "header", _("the header counts: it is the OAI identifier here, whatever gmd:fileIdentifier is")


BETWEEN_CO_OWNERS = frozenset({Kind.SHARED, Kind.BACKUP})
_SetKind = MetadataSet.Kind
_LOCAL_SET_KINDS = {
    Kind.PEER: (_SetKind.PEER,),
    Kind.RELAY: (_SetKind.PEER,),
    Kind.CENTRE: (_SetKind.OWN, _SetKind.SHARED, _SetKind.PEER),
    Kind.SHARED: (_SetKind.SHARED,),
    Kind.BACKUP: (_SetKind.SHARED,),
    Kind.RECOVERY: (_SetKind.OWN,),
}
_FROM_GISC = frozenset({Kind.PEER, Kind.RELAY, Kind.SHARED, Kind.BACKUP, Kind.RECOVERY})


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What a link harvests from where, and into which set."""

    name: str
    kind: str
    base_url: str
    remote_set: str
    local_set: str
    local_kind: str
    enabled: bool
    is_fed_here: bool = False  # the local set is a shared one, and records are uploaded into it at this node


def _word(kind: TextChoices) -> str:
    """The word of a kind, which its label begins with."""
    return str(kind.label).partition(":")[0]


def faults(link: Arrangement, others: Sequence[Arrangement], *, our_set: str, our_url: str) -> dict[str, str]:
    """Return why this link is refused: a sentence by field. `others`: the other links of this node."""
    kind = Kind(link.kind)
    found: dict[str, str] = {}
    if is_same_url(link.base_url, our_url):
        found["base_url"] = gettext("This is the node's own address; it cannot harvest itself")  # W21
    fault = _remote_set_fault(kind, link, others, our_set)
    if fault:
        found["remote_set"] = fault
    if link.local_kind not in _LOCAL_SET_KINDS[kind]:
        wanted = reduce(
            lambda some, other: gettext("{some} or {other}").format(some=some, other=other),
            (_word(each) for each in _LOCAL_SET_KINDS[kind]),
        )
        found["local_set"] = gettext(
            "{local_set} is a set of the kind {local_kind}; a {value} link stores into a set of the kind "
            "{wanted}, so that records cannot loop"
        ).format(
            local_set=link.local_set, local_kind=_word(_SetKind(link.local_kind)), value=_word(kind), wanted=wanted
        )  # W21
    if kind is Kind.RECOVERY and link.enabled:
        found["enabled"] = gettext(
            "A recovery is started by a person and never by schedule: leave “enabled” off"
        )  # W35
    if kind is Kind.BACKUP and link.enabled:
        found["enabled"] = gettext(
            "A backup synchronisation is started by a person, after telling the co-owner, and never by schedule: leave "
            "“enabled” off"
        )  # W43, W44
    if kind is Kind.SHARED and link.is_fed_here:
        how = gettext("by uploads; if that is over, manage.py set stop-feeding {local_set}").format(
            local_set=link.local_set
        )
        found["kind"] = _between_co_owners(link.local_set, how, link.name)
    clash = _clash(kind, link, others)
    if clash:
        found.setdefault(*clash)
    return found


def _between_co_owners(local_set: str, how: str, name: str) -> str:
    return (
        gettext(
            "{local_set} is fed by us, too ({how}): between co-owners of a shared set nothing is harvested. "
            "Make {name} a link of the kind backup; it shows what differs, and stores what you confirm"
        ).format(local_set=local_set, how=how, name=name)  # W42 to W44
    )


def _remote_set_fault(kind: Kind, link: Arrangement, others: Sequence[Arrangement], our_set: str) -> str:
    remote = link.remote_set
    if remote == oai.CATALOGUE_SET:
        return gettext("{CATALOGUE_SET} holds everybody's records, ours too; harvest one set").format(
            CATALOGUE_SET=oai.CATALOGUE_SET
        )  # W21
    if kind is Kind.RECOVERY:
        return (
            ""
            if remote == our_set
            else gettext("A recovery brings our own set back: write {our_set}").format(our_set=our_set)
        )  # W35
    if remote == our_set:
        return gettext("{our_set} is our own set; only a recovery brings it back from elsewhere").format(
            our_set=our_set
        )  # W21, W35
    if not remote and kind in _FROM_GISC:
        return (
            gettext(
                "Without a set the provider gives all it has, and a GISC has everybody's records, ours too: name one set. A "
                "provider that harvests nobody is of the kind centre"
            )  # W21
        )
    elsewhere = next((o for o in others if o.local_set == remote and o.local_set != link.local_set), None)
    if elsewhere is not None and kind is not Kind.CENTRE:
        return gettext("{remote} has a local set of the same name, into which the link {name} stores").format(
            remote=remote, name=elsewhere.name
        )  # W21
    return ""


def _clash(kind: Kind, link: Arrangement, others: Sequence[Arrangement]) -> tuple[str, str] | None:
    """Return the field and the reason why this link cannot exist beside one of the others; None if it can."""
    for other in others:
        other_kind = Kind(other.kind)
        if is_same_url(link.base_url, other.base_url) and (kind is Kind.CENTRE) != (other_kind is Kind.CENTRE):
            return "kind", (
                gettext(
                    "The link {name} takes this provider for {other_kind}: a GISC's records do not go into a set of "
                    "ours as those of a centre"
                ).format(
                    name=other.name, other_kind=gettext("a centre") if other_kind is Kind.CENTRE else "a GISC"
                )  # W21
            )
        if other.local_set != link.local_set:
            continue
        if Kind.SHARED in (kind, other_kind) and Kind.CENTRE in (kind, other_kind):
            centre, shared = (link, other) if kind is Kind.CENTRE else (other, link)
            return "kind", _between_co_owners(
                link.local_set, gettext("link {name}").format(name=centre.name), shared.name
            )
        if not (link.enabled and other.enabled):
            continue
        if link.local_kind == _SetKind.PEER and kind in _FROM_GISC and other_kind in _FROM_GISC:
            return "enabled", (
                gettext(
                    "The link {name} stores into {local_set} already; a peer's set has one enabled link. Disable "
                    "one of the two"
                ).format(name=other.name, local_set=link.local_set)  # W48
            )
    return None


def is_same_url(one: str, other: str) -> bool:
    """Whether two base URLs are written alike, but for case and a slash at the end."""
    return one.rstrip("/").casefold() == other.rstrip("/").casefold()
