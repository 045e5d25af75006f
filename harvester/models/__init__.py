"""What the harvester keeps: fields, constraints and facts about one row; a noun in each file."""

from harvester.models.alternative import Alternative
from harvester.models.canary import Canary
from harvester.models.conflict import Conflict
from harvester.models.host_clock import HostClock
from harvester.models.link import Link, Provider
from harvester.models.reject import Reject
from harvester.models.remote_header import RemoteHeader
from harvester.models.run import Run
from harvester.models.standby import Standby

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
