"""Other addresses at which the set of a link may be had: of its centre, of the friends that its provider names, and of relays."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from harvester.models import Alternative, Centre, Link

MAX_OFFERS = 20  # chosen: a provider may name hundreds of friends


class Source(StrEnum):
    """Who names an address."""

    CENTRE = "centre"
    FRIEND = "friend"
    RELAY = "relay"


@dataclass(frozen=True, slots=True)
class OfferedAddress:
    """An address, who names it, and the centre in the list that has it, if one does."""

    base_url: str
    source: Source
    centre: Centre | None

    @property
    def name(self) -> str:
        """What an alternative at this address is called."""
        return (self.centre.name if self.centre else urlsplit(self.base_url).hostname or self.base_url)[:60]


def find_offers(link: Link, friends: Iterable[str] = ()) -> list[OfferedAddress]:
    """Return the addresses that a link does not use yet: of the centre whose set it brings, `friends`, and relays of other links.

    An address with a password, or that is ours, is none of them. Nobody is asked whether they answer.
    """
    centres = list(Centre.objects.all())
    of_address = {base_url: centre for centre in centres for base_url in centre.base_urls}
    spec = link.local_set.spec if hasattr(link, "local_set") else ""
    own = [base_url for centre in centres if centre.set_spec == spec for base_url in centre.base_urls]
    used = {link.base_url, f"{settings.GISC_BASE_URL}/oai"}
    if link.pk is not None:
        used |= {other.base_url for other in link.alternatives.all()}
    found: dict[str, OfferedAddress] = {}
    relays = (
        Alternative.objects.exclude(link=link.pk).order_by("base_url").values_list("base_url", flat=True).distinct()
    )
    for source, addresses in ((Source.CENTRE, own), (Source.FRIEND, friends), (Source.RELAY, relays)):
        for base_url in addresses:
            if base_url not in used and base_url not in found and _is_address(base_url):
                found[base_url] = OfferedAddress(base_url, source, of_address.get(base_url))
    return list(found.values())[:MAX_OFFERS]


def _is_address(base_url: str) -> bool:
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


@transaction.atomic
def add_alternative(link: Link, base_url: str, name: str, prefix: str = "", remote_set: str = "") -> Alternative:
    """Add an address as the last alternative of a link, by default for its set in its prefix. Raises ValidationError."""
    last = link.alternatives.order_by("position").last()
    other = Alternative(
        link=link,
        position=last.position + 1 if last else 1,
        name=name[:60],
        base_url=base_url,
        prefix=prefix or link.prefix,
        remote_set=remote_set or link.remote_set,
    )
    other.full_clean()
    other.save()
    return other
