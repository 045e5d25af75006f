"""The tables of the harvester: fields, constraints and facts about one row. Used by all rooms above."""

from harvester.models.centre import Centre
from harvester.models.conflict import Conflict
from harvester.models.health import Canary, HostClock
from harvester.models.link import Link
from harvester.models.link_address import Provider
from harvester.models.link_day import LinkDay
from harvester.models.provider import Alternative, Standby
from harvester.models.quiet_cause import QuietCause
from harvester.models.reject import Reject
from harvester.models.remote_header import RemoteHeader
from harvester.models.run import Run

__all__ = [
    "Alternative",
    "Canary",
    "Centre",
    "Conflict",
    "HostClock",
    "Link",
    "LinkDay",
    "Provider",
    "QuietCause",
    "Reject",
    "RemoteHeader",
    "Run",
    "Standby",
]
