"""Check before a link is saved whether what its prefix brings can be stored: the provider is asked for its formats (H1, H2)."""

from typing import NamedTuple

from django.utils.translation import gettext

from catalogue import oai
from harvester import messages
from harvester.errors import HarvestError
from harvester.models import Alternative, Link
from harvester.net import client
from harvester.net.session import Session
from harvester.protocol import answers
from harvester.protocol.conversation import Conversation


class PrefixCheck(NamedTuple):
    """What was found, as sentences. `fault`: the prefix brings something else. `warning`: it cannot be known now."""

    fault: str = ""
    warning: str = ""


def check(provider: Link | Alternative) -> PrefixCheck:
    """Ask a provider, of a link that is saved or not, what its prefix brings. An operator waits for it."""
    prefix = provider.prefix
    try:
        offered = _ask(provider)
    except (HarvestError, ValueError) as exc:  # ValueError: an address that requests cannot take apart
        if prefix != oai.OAI_DC:
            return PrefixCheck(
                warning=gettext("{unknown} The provider could not be asked: {reason}.").format(
                    unknown=_unknown(prefix), reason=exc
                )
            )
        offered = [answers.Format(oai.OAI_DC, oai.OAI_DC_NS)]  # P61: known all the same
    if fault := answers.find_prefix_fault(offered, prefix):
        return PrefixCheck(fault=messages.as_sentence(str(fault)))
    if any(item.prefix == prefix and item.is_iso for item in offered):
        return PrefixCheck()
    prefixes = ", ".join(answers.iso_prefixes(offered))
    text = (
        gettext("{unknown} The provider does not say what it brings. ISO 19139 is called {prefixes} there.")
        if prefixes
        else gettext("{unknown} The provider does not say what it brings.")
    )
    return PrefixCheck(warning=text.format(unknown=_unknown(prefix), prefixes=prefixes))


def _unknown(prefix: str) -> str:
    return gettext(
        "It is not known whether the prefix {prefix} brings ISO 19139, which alone can be stored: look by “retrieve info” "
        "or `manage.py link check`."
    ).format(prefix=prefix)


def _ask(provider: Link | Alternative) -> list[answers.Format]:
    """Ask for the formats. Raises HarvestError, also where a password cannot be decrypted any more."""
    access = provider.access_to_own_provider() if isinstance(provider, Link) else provider.link.access_to_alternative()
    with Session(access) as session:
        return Conversation(session, provider.base_url, provider.prefix, limits=client.INTERACTIVE_LIMITS).formats()
