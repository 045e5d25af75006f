"""Collect what an act changes: rows of audited tables as they are before and after it.

Django's signals say which rows an act saves or deletes; rows that it changes by `QuerySet.update` are named by whoever
collects (`touch`). Signals are listened to only while an act is in progress in this process: a listener slows down each save,
and lets Django read each row that it deletes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import Field, Model
from django.db.models.signals import m2m_changed, post_save, pre_delete, pre_save
from django.dispatch import Signal

from catalogue import seams
from gisc import roles

_LONGEST = 500  # chosen: characters of a value
_MOST_ROWS = 200  # chosen: of one act; the number of others is in the answer
_SECRET_WORDS = ("password", "sealed", "secret", "token", "cookie", "private", "certificate")
_SECRETS = {"before": "(secret)", "after": "(another secret)"}
# What no act changes: the node itself notes it meanwhile.
_NOT_TOLD = frozenset({"last_login", "live_there", "counted_there"})
Key = tuple[type[Model], Any]
Values = dict[str, str]


@dataclass(slots=True)
class Collected:
    """The rows that an act may change, as they were before; None for a row that was not there."""

    before: dict[Key, Values | None] = field(default_factory=dict)
    names: dict[Key, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def touch(self, model: type[Model], pk: Any) -> None:
        """Remember a row as it is now, unless it is known already."""
        key = (model, pk)
        if key not in self.before and len(self.before) < _MOST_ROWS:
            row = model._base_manager.filter(pk=pk).first()
            self.before[key] = None if row is None else read_values(row)
            if row is not None:
                self.names[key] = str(row)[:200]

    def changes(self) -> list[dict[str, Any]]:
        """What differs now: objects with their changed fields, as JSON values without secrets."""
        return [change for key in self.before if (change := self._change(key)) is not None]

    def _change(self, key: Key) -> dict[str, Any] | None:
        model, pk = key
        row, before = model._base_manager.filter(pk=pk).first(), self.before[key]
        after = None if row is None else read_values(row)
        if before == after:
            return None
        what = "added" if before is None else "deleted" if after is None else "changed"
        old, new = before or {}, after or {}
        fields = {
            name: _pair(name, old.get(name), new.get(name))
            for name in sorted(old | new)
            if old.get(name) != new.get(name)
        }
        name = self.names.get(key) or str(row)[:200]
        return {"model": model._meta.label_lower, "pk": str(pk), "name": name, "what": what, "fields": fields}


_current: ContextVar[Collected | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[Collected]:
    """Collect what the block changes."""
    collected = Collected()
    token = _current.set(collected)
    _listeners.add()
    try:
        yield collected
    finally:
        _listeners.remove()
        _current.reset(token)


def note(text: str) -> None:
    """Say what the act in progress does, where no audited row shows it."""
    if (collected := _current.get()) is not None:
        collected.notes.append(text)


def touch(model: type[Model], pks: list[str]) -> None:
    """Remember rows that the act in progress is about."""
    collected = _current.get()
    for pk in pks if collected is not None else ():
        try:
            collected.touch(model, model._meta.pk.to_python(pk))  # type: ignore[union-attr]
        except Exception:  # nosec B112
            continue


class _Listeners:
    """Listens to the audited tables from the first act in progress to the last, over all threads of the process."""

    def __init__(self) -> None:
        self._lock, self._acts = seams.Lock(), 0

    def add(self) -> None:
        """Count an act that begins."""
        with self._lock:
            self._acts += 1
            if self._acts == 1:
                for signal, receiver, sender in _receivers():
                    signal.connect(receiver, sender=sender)

    def remove(self) -> None:
        """Count an act that is over."""
        with self._lock:
            self._acts -= 1
            if self._acts == 0:
                for signal, receiver, sender in _receivers():
                    signal.disconnect(receiver, sender=sender)


_listeners = _Listeners()


def _receivers() -> Iterator[tuple[Signal, Callable[..., None], type[Model]]]:
    for label in roles.edited_tables():
        model = apps.get_model(label)
        yield pre_save, _before_save, model
        yield post_save, _after_save, model
        yield pre_delete, _before_save, model
        for relation in model._meta.many_to_many:
            yield m2m_changed, _before_relation, relation.remote_field.through


def read_values(row: Model) -> Values:
    """The fields of a row as texts; secrets too, to be compared and never written down."""
    fields = (each for each in row._meta.concrete_fields if each.name not in _NOT_TOLD and not each.primary_key)
    values = {each.name: _text(row, each) for each in fields}
    for relation in row._meta.many_to_many:
        values[relation.name] = ", ".join(sorted(map(str, getattr(row, relation.name).all())))
    return values


def _text(row: Model, column: "Field[Any, Any]") -> str:
    if column.is_relation:
        related = getattr(row, column.name)
        return "" if related is None else str(related)
    value = getattr(row, column.attname)
    if isinstance(value, bytes | memoryview):
        return f"{len(value)} bytes" if not is_secret(column.name) else bytes(value).hex()
    return "" if value is None else str(value)


def is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET_WORDS)


def _pair(name: str, before: str | None, after: str | None) -> list[str | None]:
    if is_secret(name):
        before, after = (_SECRETS[side] if value else value for side, value in (("before", before), ("after", after)))
    return [value if value is None or len(value) <= _LONGEST else f"{value[:_LONGEST]} …" for value in (before, after)]


def _before_save(sender: type[Model], instance: Model, **_: Any) -> None:
    if (collected := _current.get()) is not None and instance.pk is not None:
        collected.touch(sender, instance.pk)


def _after_save(sender: type[Model], instance: Model, created: bool, **_: Any) -> None:
    if created and (collected := _current.get()) is not None:
        collected.before.setdefault((sender, instance.pk), None)


def _before_relation(instance: Model, action: str, **_: Any) -> None:
    if action.startswith("pre_") and (collected := _current.get()) is not None:
        collected.touch(type(instance), instance.pk)
