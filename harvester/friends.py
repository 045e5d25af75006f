"""Whom we harvest, as we tell it to others. `gisc.settings` names this to the provider, which may not import it."""

from urllib.parse import urlsplit

from catalogue.models import MetadataSet
from harvester.models import Link


def base_urls() -> list[str]:
    """The base URLs of the peer GISCs that are harvested here, for whoever looks for more repositories (P127).

    Links into peers' sets that are enabled; an address that holds a password is nobody's business.
    """
    enabled = Link.objects.filter(enabled=True, local_set__kind=MetadataSet.Kind.PEER)
    known = enabled.order_by("base_url").values_list("base_url", flat=True).distinct()
    return [base_url for base_url in known if "@" not in urlsplit(base_url).netloc]
