"""Add a link: ask its provider, fill in what nobody has chosen, say what cannot work, and save it together with its set."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from catalogue import oai
from catalogue.models import MetadataSet
from catalogue.writing import set_inclusion
from harvester import link_rules, messages
from harvester.errors import FaultCode, HarvestError
from harvester.link_rules import Identifiers, Kind
from harvester.messages import ConnectionCode
from harvester.models import Centre, Link, Run
from harvester.protocol import probe
from harvester.runs import lifecycle

_MAX_NAME = 60
_NOT_OAI_PMH = frozenset({FaultCode.NOT_OAI_PMH, FaultCode.NOT_WELL_FORMED, FaultCode.DOCTYPE})
_WEB_PAGE_MARKS = ("<html", "<!doctype html", "<head", "<body")
_HARVESTED = (MetadataSet.Kind.PEER, MetadataSet.Kind.SHARED, MetadataSet.Kind.OWN)  # what links store into

Faults = dict[str, list[str]]  # sentences by field of a link


class Answer(NamedTuple):
    """What a provider answered: its offer, or why there is none and what to try. `wants_access`: a user name and password."""

    offer: probe.Offer | None = None
    fault: str = ""
    hint: str = ""
    wants_access: bool = False


@dataclass(frozen=True, slots=True)
class SetChoice:
    """Which set is harvested, "" for all, and into which: an existing one, or one that is found by its setSpec, or made.

    What is empty is taken from the remote set.
    """

    remote_set: str = ""
    into: MetadataSet | None = None
    spec: str = ""
    name: str = ""
    kind: str = ""


class OfferedSet(NamedTuple):
    """A set on offer ("": all sets), and what comes of it if nothing else is chosen. `refusal`: why it cannot be harvested."""

    spec: str
    name: str
    size: int | None
    into: str
    is_new: bool
    link_name: str
    refusal: str


# --- Centres ----------------------------------------------------------------------------------------


def list_centre_addresses() -> list[tuple[str, str]]:
    """Return the addresses of the other centres in the list of centres, each with what people call it."""
    found = []
    for centre in Centre.objects.exclude(set_spec=settings.GISC_NAME):
        found += [(url, f"{centre.name}: {url}") for url in centre.base_urls]
    return found


def find_centre_set(base_url: str) -> str:
    """Return the setSpec of the centre that has this address; empty if none has it."""
    for centre in Centre.objects.all():
        if any(link_rules.is_same_url(url, base_url) for url in centre.base_urls):
            return centre.set_spec
    return ""


# --- Asking -----------------------------------------------------------------------------------------


def find_address_fault(link: Link) -> str:
    """Return why nobody is asked at the link's base URL; empty if somebody can be."""
    if link_rules.is_same_url(link.base_url, _our_url()):
        return _(
            "This is the address of this node itself. A node cannot harvest itself: write the address of the other."
        )
    return ""


def ask(link: Link, *, remote_set: str = "") -> Answer:
    """Ask the provider of a link, saved or not, what it is and what it offers. Stores nothing."""
    try:
        offer = probe.retrieve_info(link.base_url, remote_set=remote_set, access=link.access_to_own_provider())
    except HarvestError as exc:
        hint = _hint(link.base_url, exc)
        return Answer(fault=messages.as_sentence(str(exc)), hint=hint, wants_access=exc.status in (401, 407))
    except ValueError as exc:  # an address that requests cannot take apart
        return Answer(fault=_("Nobody can be asked at this address: %(why)s.") % {"why": exc})
    return Answer(offer)


def _has_no_port(base_url: str) -> bool:
    return ":" not in urlsplit(base_url).netloc.rpartition("@")[2].rpartition("]")[2]


def count_sets(link: Link, offer: probe.Offer) -> probe.Offer:
    """Return the offer with the sizes of its sets, where the provider says them within a few seconds."""
    return probe.count_sets(offer, link.base_url, access=link.access_to_own_provider())


def _hint(base_url: str, fault: HarvestError) -> str:
    """Return what to try after a fault, for a person who does not know OAI-PMH."""
    parts = urlsplit(base_url)
    why = fault.facts.get("detail")
    if fault.code in _NOT_OAI_PMH and any(
        mark in str(fault.facts.get("beginning", "")).lower() for mark in _WEB_PAGE_MARKS
    ):
        return _(
            "There is a web page at this address, and not a provider. The address that is wanted is called base URL; it "
            "often ends in /oai, /oai-pmh or /oai/request. Ask the centre for it."
        )
    if fault.code == FaultCode.NO_ANSWER and why == ConnectionCode.REFUSED:
        text = _("Is the port right? %(host)s was asked.") % {"host": parts.netloc.rpartition("@")[2]}
        other = _("Many centres answer by https only: try https://%(rest)s") % {"rest": base_url.partition("://")[2]}
        return f"{text} {other}" if parts.scheme == "http" and _has_no_port(base_url) else text
    if fault.code == FaultCode.NO_ANSWER and why == ConnectionCode.HOST_UNKNOWN:
        return _("Look for a typing error in %(host)s.") % {"host": parts.hostname}
    if fault.code == FaultCode.CERTIFICATE_UNTRUSTED and why == ConnectionCode.NO_HTTPS:
        return _("Try http://%(rest)s") % {"rest": base_url.partition("://")[2]}
    return ""


# --- What is offered, and what is suggested ---------------------------------------------------------


def list_offered_sets(base_url: str, offer: probe.Offer, most: int) -> list[OfferedSet]:
    """Return all that the provider has as one, and so many of its sets: with sizes, and with what comes of each."""
    local = set(MetadataSet.objects.values_list("spec", flat=True))
    links = list(Link.objects.only("name", "base_url", "remote_set"))
    names = {link.name for link in links}
    found = []
    for spec, name in [("", ""), *((item.spec, item.name) for item in offer.sets[:most])]:
        refusal = _refusal(base_url, spec, offer, links)
        into = spec or settings.GISC_NAME
        found.append(
            OfferedSet(
                spec=spec,
                name=name if name != spec else "",
                size=offer.sizes.get(spec),
                into=into,
                is_new=into not in local,
                link_name=suggest_name(spec or offer.identity.repository_name, names),
                refusal=refusal,
            )
        )
    return found


def _refusal(base_url: str, spec: str, offer: probe.Offer, links: Iterable[Link]) -> str:
    if not spec and any(item.spec in (oai.CATALOGUE_SET, settings.GISC_NAME) for item in offer.sets):
        return _("It has everybody's records, and ours too, which would come back to us: pick one of its sets.")
    if spec == oai.CATALOGUE_SET:
        return _("It is everybody's records, and ours too, which would come back to us.")
    if spec == settings.GISC_NAME:
        return _("It is our own set.")
    if twin := _find_twin(base_url, spec, links):
        return _("The link %(link)s harvests it from there already.") % {"link": twin.name}
    return ""


def _find_twin(base_url: str, remote_set: str, links: Iterable[Link]) -> Link | None:
    """Return a link that harvests the same set from the same address."""
    return next(
        (link for link in links if link.remote_set == remote_set and link_rules.is_same_url(link.base_url, base_url)),
        None,
    )


def suggest_name(text: str, taken: Collection[str]) -> str:
    """Return a short name for a link that harvests this set, unlike those that are taken."""
    name = slugify(text.lower().removeprefix("wis-gisc-").replace(":", "-").replace(".", "-"))[:_MAX_NAME] or "link"
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name[: _MAX_NAME - 4]}-{number}"
    return found


def complete(link: Link, choice: SetChoice, offer: probe.Offer) -> None:
    """Fill in what nobody has chosen of a new link: prefix, identifiers, local set, kind and name. Nothing is saved."""
    link.remote_set = choice.remote_set
    link.prefix = link.prefix or offer.iso_prefix or oai.ISO19139
    link.identifiers = link.identifiers or offer.sample.identifiers or Identifiers.SAME
    link.local_set = choice.into or _find_or_prepare_set(choice, offer)
    link.kind = link.kind or _suggest_kind(link)
    if not link.name:
        names = set(Link.objects.values_list("name", flat=True))
        link.name = suggest_name(link.remote_set or offer.identity.repository_name, names)


def _find_or_prepare_set(choice: SetChoice, offer: probe.Offer) -> MetadataSet:
    spec = choice.spec or choice.remote_set or settings.GISC_NAME
    found = MetadataSet.objects.filter(spec=spec).first()
    if found is not None:
        return found
    remote_name = next((item.name for item in offer.sets if item.spec == choice.remote_set), "")
    name = choice.name or remote_name or spec
    return MetadataSet(spec=spec, name=name[:200], kind=choice.kind or MetadataSet.Kind.PEER)


def _suggest_kind(link: Link) -> Kind:
    if link.local_set.kind == MetadataSet.Kind.SHARED:
        return Kind.SHARED
    return Kind.CENTRE if not link.remote_set or link.local_set.kind == MetadataSet.Kind.OWN else Kind.PEER


def list_local_sets() -> list[MetadataSet]:
    """Return the sets that links can store into."""
    return list(MetadataSet.objects.filter(kind__in=_HARVESTED))


# --- What cannot work -------------------------------------------------------------------------------


def find_faults(link: Link, offer: probe.Offer | None = None) -> Faults:
    """Return why a new link would not work, by field: by the rules of this node, and by what the provider offers."""
    found: Faults = defaultdict(list)
    if fault := find_address_fault(link):
        found["base_url"].append(fault)
    _validate(link, found)
    if offer is not None:
        _find_faults_with_provider(link, offer, found)
    return {field: list(dict.fromkeys(sentences)) for field, sentences in found.items() if sentences}


def _validate(link: Link, found: Faults) -> None:
    is_new_set = link.local_set.pk is None
    if is_new_set:
        try:
            link.local_set.full_clean()
        except ValidationError as exc:
            found["local_set"] += [text for texts in exc.message_dict.values() for text in texts]
    try:
        link.full_clean(exclude={"local_set"} if is_new_set else None)
    except ValidationError as exc:
        for field, texts in exc.message_dict.items():
            if not (field == "base_url" and found["base_url"]):
                found[field] += texts


def _find_faults_with_provider(link: Link, offer: probe.Offer, found: Faults) -> None:
    if link_rules.is_same_url(offer.identity.base_url, _our_url()) and not found["base_url"]:
        sentence = _("This address leads to this node itself: who answers there gives our own base URL, %(url)s.")
        found["base_url"].append(sentence % {"url": _our_url()})
    if twin := _find_twin(link.base_url, link.remote_set, Link.objects.all()):
        sentence = _("The link %(link)s harvests this from there already: change that one instead.")
        found["remote_set"].append(sentence % {"link": twin.name})
    elif not link.remote_set and (refusal := _refusal(link.base_url, "", offer, ())):
        found["remote_set"].append(refusal)
    for field, sentence in offer.faults_by_field(link.prefix, link.remote_set, link.identifiers):
        if field == "remote_set" and offer.sets_fault:
            continue  # it cannot be known; the first run says it
        found[field].append(sentence)


# --- Saving -----------------------------------------------------------------------------------------


def save(link: Link, *, harvest_now: bool = False, first_due: datetime | None = None) -> Run | None:
    """Save a new link, with its local set where that is new; with `harvest_now` open its first run, and return it.

    Else the link is due at `first_due`; None: at the next tick.
    """
    local = link.local_set
    with transaction.atomic(durable=True):
        link.local_set = set_inclusion.ensure_set(local.spec, name=local.name, kind=local.kind)
        link.next_due = first_due
        link.save()
        return lifecycle.open_run(link, trigger="operator") if harvest_now else None


def _our_url() -> str:
    return f"{settings.GISC_BASE_URL}/oai"
