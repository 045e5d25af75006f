"""The pages of links and runs in the admin: their addresses, the fields of their forms, what they answer."""

from catalogue.models import MetadataSet
from harvester import schedule_words
from harvester.models import Link
from tests.support.world import TOULOUSE

LINKS = "/admin/harvester/link/"
RUNS = "/admin/harvester/run/"
REJECTS = "/admin/harvester/reject/"
LOOK = f"{LINKS}retrieve-info/"
ADD = f"{LINKS}add/"  # the page that grows
PLAIN = f"{ADD}plain/"  # the form of all fields


def form(**changes: object) -> dict[str, object]:
    """The fields of a link to Toulouse, as the form sends them."""
    fields = {
        "name": "toulouse",
        "kind": "peer",
        "base_url": TOULOUSE.base_url,
        "prefix": "iso19139",
        "identifiers": "same",
        "remote_set": TOULOUSE.spec,
        "local_set": MetadataSet.objects.get(spec=TOULOUSE.spec).pk,
        "enabled": "on",
        "is_told": "on",
        "schedule": "every hour",
        "overlap_s": "60",
        "strategy": "records",
        "at_once": "4",
        "cycle_days": "28",
        "content_days": "28",
        "switch_after_h": "0",
        "return_after_h": "0",
        "alternatives-TOTAL_FORMS": "0",
        "alternatives-INITIAL_FORMS": "0",
        "tombstone_days": "90",
        "ceiling_records": "100",
        "ceiling_percent": "1",
        "hold_percent": "33",
        "lateness_h": "72",
        "grace_h": "0",
    }
    return {name: value for name, value in (fields | changes).items() if value is not None}


def unchanged(link: Link, **changes: object) -> dict[str, object]:
    """The form of a link as it stands, but for the changes."""
    current = {"base_url": link.base_url, "schedule": schedule_words.describe_rhythm(link.schedule)}
    return form(**(current | changes))


def messages(response) -> str:
    """What the page that follows a redirect tells the operator."""
    assert response.status_code == 200, response.status_code
    return " ".join(str(message) for message in response.context["messages"])
