"""What the pages share that change a virtual set, by its members or by its search: sentences, and the way into the queue."""

from django.contrib import messages
from django.utils.translation import gettext, ngettext
from kombu.exceptions import OperationalError

from catalogue import tasks
from catalogue.models import MetadataSet


def describe_added(virtual: MetadataSet, number: int) -> list[str]:
    """Say what harvesters of a set see of records that come into it; nothing if none comes."""
    if not number:
        return []
    text = ngettext(
        "{number} record comes new in lists of {virtual}, with the datestamp of the moment at which that is written.",
        "{number} records come new in lists of {virtual}, with the datestamp of the moment at which that is written.",
        number,
    )
    return [text.format(number=f"{number:,}", virtual=virtual)]


def describe_leaving(virtual: MetadataSet, number: int) -> list[str]:
    """Say what harvesters of a set see of records that leave it, and which harvesters see nothing; nothing if none leaves."""
    if not number:
        return []
    text = ngettext(
        "{number} record leaves: harvesters of {virtual} get it as deleted, with a new datestamp.",
        "{number} records leave: harvesters of {virtual} get them as deleted, with a new datestamp.",
        number,
    )
    untold = gettext(
        "A harvester that is still shown these records in another set, and has no “set tombstones” in its profile, is told "
        "nothing: it would delete records that live. Ask its operator for a full harvest of {virtual}."
    )
    return [text.format(number=f"{number:,}", virtual=virtual), untold.format(virtual=virtual)]


def describe_rest(moved: int) -> list[str]:
    """Say what does not change. `moved`: how many records come or leave."""
    unmoved = [] if moved else [gettext("No record that is there now changes; what is stored later follows.")]
    return [*unmoved, gettext("In all other sets, and in lists of the whole catalogue, nothing changes.")]


def queue_or_wait(begun: str, waiting: str) -> tuple[str, int]:
    """Queue the changes that were begun; return the sentence for the user, which is `waiting` without a queue, and its level."""
    try:
        tasks.queue_set_changes()
    except OperationalError:
        return waiting, messages.WARNING
    return begun, messages.SUCCESS
