"""Write what recipients read: of a problem that begins or is over, of several at once, and of a test."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from catalogue import datestamps
from gisc.alerts.models import Condition, Message
from gisc.problem_reasons import name_in_words, state_in_words


class Text(NamedTuple):
    """A title of one line, and a text."""

    title: str
    body: str


def when(moment: datetime) -> str:
    """Return an instant as people read it."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def absolute(url: str) -> str:
    """Return the address of a page of this node, as it is reached from outside."""
    return f"{settings.GISC_BASE_URL}{url}"


def of_begin(condition: Condition) -> Text:
    """Return the alert of a problem that begins."""
    facts = {
        "node": settings.GISC_NAME,
        "state": state_in_words(condition.state),
        "name": name_in_words(condition.subject, condition.name),
        "since": when(condition.begun),
    }
    lines = [_("{name}: {state} since {since}.").format_map(facts), condition.text]
    if condition.todo:
        lines.append(_("What to do: {todo}").format(todo=condition.todo))
    return Text(_("[{node}] {state}: {name}").format_map(facts), _paragraphs([*lines, absolute(condition.url)]))


def of_end(condition: Condition) -> Text:
    """Return the alert of a problem that is over."""
    facts = {
        "node": settings.GISC_NAME,
        "state": state_in_words(condition.state),
        "name": name_in_words(condition.subject, condition.name),
        "since": when(condition.begun),
        "until": when(condition.gone_since or condition.begun),
    }
    lines = [_("{name}: over since {until}. It was {state} since {since}:").format_map(facts), condition.text]
    return Text(_("[{node}] over: {name} ({state})").format_map(facts), _paragraphs([*lines, absolute(condition.url)]))


def of_test(name: str, now: datetime) -> Text:
    """Return what is sent to try an address."""
    facts = {"node": settings.GISC_NAME, "name": name, "now": datestamps.write(now)}
    body = _("This is a test of the alerts of {node} for {name}, sent at {now}. Nothing is wrong.").format_map(facts)
    return Text(_("[{node}] test of alerts").format_map(facts), _paragraphs([body, absolute("/admin/")]))


def of_several(messages: Sequence[Message]) -> Text:
    """Return one alert of several, or the only one as it is."""
    if len(messages) == 1:
        return Text(messages[0].title, messages[0].body)
    begun = sum(message.kind == Message.Kind.BEGIN for message in messages)
    facts = {"node": settings.GISC_NAME, "begun": begun, "over": len(messages) - begun}
    title = _("[{node}] problems that begin: {begun}, over: {over}").format_map(facts)
    return Text(title, "\n----\n\n".join(message.body for message in messages))


def _paragraphs(lines: Sequence[str]) -> str:
    return "\n\n".join(lines) + "\n"
