"""Make the report that a provider is sent of its records that were not stored: for people, and as JSON.

Strangers read it: no password, and no address but the provider's own where that is a public one.
"""

import ipaddress
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings

from catalogue import datestamps, seams
from harvester.models import Link, Reject
from harvester.monitoring import advice
from harvester.monitoring.reject_groups import RejectGroup, read_groups


def report(link: Link) -> dict[str, Any]:
    """Return the causes with their counts, examples and advice, all of it text, numbers and lists."""
    groups = read_groups(link)
    return {
        "link": link.name,
        "made": datestamps.write(seams.now()),
        "by": settings.GISC_REPOSITORY_NAME,
        "contact": settings.GISC_ADMIN_EMAIL,
        "set": link.remote_set,
        "prefix": link.prefix,
        "rejected": sum(group.number for group in groups),
        "causes": [_cause(link, group) for group in groups],
    }


def _cause(link: Link, group: RejectGroup) -> dict[str, Any]:
    advised = advice.advise(group.code)
    return {
        "code": group.code,
        "text": group.text,
        "records": group.number,
        "times": group.times,
        "first_seen": datestamps.write(group.first_seen),
        "last_seen": datestamps.write(group.last_seen),
        "rule": str(advised.rule),
        "check": str(advised.check),
        "examples": [_example(link, reject) for reject in group.examples],
    }


def _example(link: Link, reject: Reject) -> dict[str, str]:
    arguments = {"verb": "GetRecord", "metadataPrefix": link.prefix, "identifier": reject.identifier}
    query = urlencode(arguments, quote_via=quote, safe=":/")
    return {
        "identifier": reject.identifier,
        "datestamp": reject.datestamp,
        "reason": reject.reason_text,
        "request": f"{public_base_url(link)}?{query}" if reject.identifier else "",
    }


def public_base_url(link: Link) -> str:
    """The address of the link's own provider as strangers may read it; a word for it where it is an internal one."""
    try:
        parts = urlsplit(link.base_url)
        host = parts.hostname or ""
        is_public = "@" not in parts.netloc and "." in host and not host.endswith((".local", ".internal", ".lan"))
        if host.replace(".", "").isdecimal() or ":" in host:
            is_public = ipaddress.ip_address(host).is_global and "@" not in parts.netloc
    except ValueError:
        is_public = False
    return link.base_url if is_public else "BASE-URL"
