"""What the harvester keeps: fields, constraints and facts about one row; a noun in each file."""

from harvester.models.conflict import Conflict
from harvester.models.health import Canary, HostClock
from harvester.models.link import Link, Provider
from harvester.models.provider import Alternative, Standby
from harvester.models.remote_header import RemoteHeader
from harvester.models.run import Reject, Run

__all__ = [
    "Alternative",
    "Canary",
    "Conflict",
    "HostClock",
    "Link",
    "Provider",
    "Reject",
    "RemoteHeader",
    "Run",
    "Standby",
]
