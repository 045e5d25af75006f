"""Write the address that a provider has moved to: proposed by runs, accepted by a person only (H27)."""

import logging
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from catalogue.reasons import ActRefused, Reason
from harvester.models import Link
from harvester.net import addresses, networks
from harvester.reasons import ActCode

logger = logging.getLogger(__name__)
_MAX_LENGTH = 500  # characters of the field


def propose(link: Link, moved_to: str) -> None:
    """Store the base URL to which the provider redirects for good; "" where it does not, or no longer.

    `link`: as the provider was asked. Only of the link's own provider: a link stores no address of an alternative.
    """
    if link.serving_id is not None or link.moved_to == moved_to or len(moved_to) > _MAX_LENGTH:
        return
    if Link.objects.filter(pk=link.pk, base_url=link.base_url, serving=None).update(moved_to=moved_to):
        link.moved_to = moved_to
        logger.warning("provider has moved", extra={"link": link.name, "moved_to": moved_to or "has come back"})


@transaction.atomic
def accept(link: Link, moved_to: str) -> str:
    """Make the proposed address the link's base URL; the message for the operator. Raises ActRefused.

    `moved_to`: the address as the person who accepts it has seen it. `harvested_to` stays: the provider itself says
    that this is the same repository, and the last harvests were redirected there already.
    """
    current = Link.objects.select_for_update(of=("self",)).select_related("local_set").get(pk=link.pk)
    if not moved_to or current.moved_to != moved_to:
        raise ActRefused(Reason(ActCode.OTHER_ADDRESS, {"proposed": current.moved_to}))
    old_url = current.base_url
    old_host, new_host = (urlsplit(url).hostname or "" for url in (old_url, moved_to))
    if old_host != new_host and not networks.is_redirect_allowed(
        networks.resolve(old_host), networks.resolve(new_host)
    ):
        raise ActRefused(Reason(ActCode.PRIVATE_ADDRESS, {"host": new_host, "old_host": old_host}))
    keeps_password = addresses.may_send_credentials(old_url, moved_to) or not current.user
    if not keeps_password:
        current.user = current.sealed_password = ""
    current.base_url, current.moved_to = moved_to, ""
    try:
        current.full_clean()
    except ValidationError as exc:
        raise ActRefused(Reason(ActCode.LINK_INVALID, {"faults": exc.messages})) from exc
    current.save(update_fields=["base_url", "moved_to", "user", "sealed_password"])
    logger.info("new address accepted", extra={"link": current.name, "base_url": moved_to})
    text = (
        gettext("The base URL of {link} is now {base_url}; the next run goes on from where the last one ended.")
        if keeps_password
        else gettext(
            "The base URL of {link} is now {base_url}; the next run goes on from where the last one ended. It is another "
            "host, so user name and password were removed: enter them again if it needs them."
        )
    )
    return text.format(link=current, base_url=moved_to)
