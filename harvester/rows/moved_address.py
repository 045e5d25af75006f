"""A provider that says it has moved for good: its new address is proposed, and taken by a person only (H27)."""

import logging
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction

from harvester.models import Link
from harvester.net import addresses

logger = logging.getLogger(__name__)
_LONGEST = 500  # characters that the field holds


def note(link: Link, moved_to: str) -> None:
    """Remember the base URL that the provider names instead of the link's; "" where it does not, or no longer.

    `link` as it was asked. Of its own provider only: an alternative has no address of its own in the link.
    """
    if link.is_served_by_alternative or link.moved_to == moved_to or len(moved_to) > _LONGEST:
        return
    if Link.objects.filter(pk=link.pk, base_url=link.base_url, serving=None).update(moved_to=moved_to):
        link.moved_to = moved_to
        logger.warning("provider has moved", extra={"link": link.name, "moved_to": moved_to or "has come back"})


@transaction.atomic
def accept(link: Link, moved_to: str) -> str:
    """Make the proposed address the link's base URL, and tell what that means. Raises ValueError with the reason if not.

    `moved_to`: the address as the person who accepts it has seen it. `harvested_to` stays: it is the provider's own
    word that this is the same repository, and the last harvests were redirected there already.
    """
    held = Link.objects.select_for_update(of=("self",)).select_related("local_set").get(pk=link.pk)
    if not moved_to or held.moved_to != moved_to:
        raise ValueError("the provider proposes " + (held.moved_to or "no other address"))
    before = held.base_url
    here, there = (urlsplit(url).hostname or "" for url in (before, moved_to))
    if here != there and not addresses.is_redirect_allowed(addresses.resolve(here), addresses.resolve(there)):
        raise ValueError(
            f"{there} is a more private address than {here}; if it is right, write it into the link yourself"
        )
    keeps_password = addresses.may_send_credentials(before, moved_to) or not held.user
    if not keeps_password:
        held.user = held.sealed_password = ""
    held.base_url, held.moved_to = moved_to, ""
    try:
        held.full_clean()
    except ValidationError as exc:
        raise ValueError(" ".join(exc.messages)) from exc
    held.save(update_fields=["base_url", "moved_to", "user", "sealed_password"])
    logger.info("new address accepted", extra={"link": held.name, "base_url": moved_to})
    told = f"The base URL of {held} is now {moved_to}; the next run goes on from where the last one ended"
    if keeps_password:
        return f"{told}."
    return f"{told}. It is another host, so user name and password were forgotten: enter them again if it wants them."
