"""Lock sign-ins out after too many failures, so that nobody locks out somebody else.

Failures count for an hour. Three limits, of which the first holds for everybody:

- of one name from one address: `settings.AXES_FAILURE_LIMIT`. Another person at that address, and the same person at another
  address, are not concerned;
- of one name from all addresses, which stops guesses that are spread over many hosts;
- of one address for all names, which stops one password that is tried with many names.

The last two do not hold for a name at an address from which it has signed in within the last months (`AccessLog`): who attacks a
name from elsewhere, or other names from a proxy that is missing in GISC_TRUSTED_PROXIES, does not keep its owner out. While a sign-in is
locked, further tries neither count nor prolong the lock. An address is that of the client, seen through
GISC_TRUSTED_PROXIES; of IPv6 the network of /64, because one host has all of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Address, ip_address
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt, AccessLog
from django.db.models import Sum
from django.http import HttpRequest

from catalogue import seams
from catalogue.limits import Replaceable
from gisc.access_log import client_of
from oaiprovider.flow_control import address_key


@dataclass(frozen=True, slots=True)
class LockOutLimits:
    """Failures within an hour, besides AXES_FAILURE_LIMIT. All are chosen."""

    of_a_name: int = 50  # from all addresses; a person who has forgotten the password does not come so far
    of_an_address: int = 50  # for all names; an office behind one address has a few of them on a Monday morning
    known_days: int = 90  # so long the rows of sign-ins are kept (gisc/upkeep.py)


LIMITS = Replaceable(LockOutLimits())


def counted_address(request: HttpRequest) -> str | None:
    """Return the address that failed sign-ins are counted by (AXES_CLIENT_IP_CALLABLE); None on a Unix socket."""
    client = client_of(request.META)
    if not client:
        return None
    address = ip_address(client)
    return client if isinstance(address, IPv4Address) else address_key(address).partition("/")[0]


class LockOut(AxesDatabaseHandler):  # type: ignore[misc]  # django-axes has no types
    """The rows and rules of django-axes for a name at an address, with the two wider limits (AXES_HANDLER)."""

    def is_locked(self, request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> bool:
        return bool(super().is_locked(request, credentials)) or self._is_over_wider_limit(request, credentials)

    def _is_over_wider_limit(self, request: HttpRequest, credentials: Mapping[str, Any] | None) -> bool:
        limits, address = LIMITS.in_force, request.axes_ip_address  # type: ignore[attr-defined]
        name = get_client_username(request, credentials)
        if name is None:
            return False
        since = get_cool_off_threshold(request)
        if not (
            _failures(since, username=name) >= limits.of_a_name
            or _failures(since, ip_address=address) >= limits.of_an_address
        ):
            return False
        days = timedelta(days=limits.known_days)
        known = AccessLog.objects.filter(username=name, ip_address=address, attempt_time__gte=seams.now() - days)
        return not known.exists()


def _failures(since: Any, **of: str | None) -> int:
    attempts = AccessAttempt.objects.filter(attempt_time__gte=since, **of)
    return int(attempts.aggregate(all=Sum("failures_since_start"))["all"] or 0)
