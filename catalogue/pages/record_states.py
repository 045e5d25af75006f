"""Say in words what happened to a record: what began each of its states, and who brought it."""

from django.utils.translation import gettext

from catalogue.models import RecordVersion
from catalogue.reading.record_history import Change, State

Act = RecordVersion.Act


def describe_change(state: State) -> str:
    """Say what began a state."""
    match state.change:
        case Change.FIRST:
            if state.number == 1:
                return gettext("Stored as deleted") if state.deleted else gettext("Stored for the first time")
            return gettext("First state that is kept")
        case Change.DELETED:
            return gettext("Withdrawn") if state.act == Act.WITHDRAW else gettext("Deleted")
        case Change.RETURNED if state.act == Act.RESTORE:
            return gettext("Brought back with the content of a former version")
        case Change.RETURNED:
            return gettext("Brought back")
        case Change.MOVED:
            return gettext("Moved to {owner}").format(owner=state.owner)
    match state.act:
        case Act.RESTORE:
            return gettext("Restored from a former version")
        case Act.REPLACE:
            return gettext("Replaced by hand")
    return gettext("Content changed") if state.differs else gettext("Stored again with the same content")


def describe_source(state: State) -> str:
    """Say who brought a state: a link, a person, or this node. Empty where it is not known."""
    if state.change is Change.FIRST:
        if state.deleted:
            return ""
        return _link(state.link) if state.link else gettext("put in at this node")
    if state.by:
        return _link(state.by)
    return gettext("{who}, at this node").format(who=state.who) if state.who else gettext("at this node")


def _link(name: str) -> str:
    return gettext("link {name}").format(name=name)


def describe(state: State) -> str:
    """Describe a state on one line."""
    at = f"{state.began or state.datestamp:%Y-%m-%d %H:%M:%S}"
    parts = [describe_change(state), describe_source(state), state.owner, state.reason]
    return f"{state.number:>4}  {at}  {', '.join(filter(None, parts))}"
