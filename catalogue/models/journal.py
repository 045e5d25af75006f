"""The journal in the database: the outbox, the last number that was given, and the writers."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class JournalOutbox(models.Model):
    """An event that is committed but not yet on disk in the journal (promise 6); emptied by `journal.flush`.

    Epoch and number are given by a trigger (`sql/journal_numbers.*.sql`), when the row is inserted.
    """

    class Event(models.TextChoices):
        DELETED = "deleted", _("deleted")
        RETURNED = "returned", _("returned after a deletion")
        LEFT = "left", _("left a set and lives elsewhere")
        JOINED = "joined", _("came back to a set it had left")
        MOVED = "moved", _("moved to another owner")
        RESTRICTED = "restricted", _("who sees a set, the records of a link, or a record, was changed")

    event = models.CharField(_("event"), max_length=10, choices=Event.choices)
    identifier = models.TextField(_("identifier"))
    datestamp = models.DateTimeField(_("datestamp"))
    set_specs = ArrayField(models.TextField(), verbose_name=_("sets"), default=list)
    epoch = models.BigIntegerField(null=True, editable=False)
    number = models.BigIntegerField(null=True, editable=False, help_text=_("counts the events of the epoch, from 1"))

    class Meta:
        verbose_name = _("event waiting for the journal")
        verbose_name_plural = _("events waiting for the journal")
        constraints = (models.UniqueConstraint(fields=("epoch", "number"), name="one_event_a_number"),)

    def __str__(self) -> str:
        return f"{self.identifier} {self.event}"


class JournalPosition(models.Model):
    """The last number that an event of the journal was given; one row, inserted with the first event.

    Counted up by a trigger on the outbox, under the clock's lock, so that numbers grow in the order of commits and have
    no gaps. An epoch begins with the database and with each restore: its number is the time in milliseconds when it began,
    and larger than every epoch that was known then.
    """

    class State(models.TextChoices):
        CURRENT = "current", _("has all events that the journal has")
        BEHIND = "behind", _("was put back from a copy that is older than the journal")
        RESTORING = "restoring", _("is being restored")

    epoch = models.BigIntegerField()
    number = models.BigIntegerField()
    state = models.CharField(
        max_length=10, choices=State.choices, default=State.CURRENT, db_default=State.CURRENT.value
    )

    class Meta:
        constraints = (models.CheckConstraint(name="there_is_one_journal_position", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.epoch}-{self.number}"


class JournalWriter(models.Model):
    """A writer of the journal, which is a folder of a host, and the last event that it has on disk."""

    writer = models.CharField(max_length=32, primary_key=True, help_text=_("random; in the names of its files"))
    epoch = models.BigIntegerField()
    number = models.BigIntegerField()
    host = models.TextField()
    directory = models.TextField()
    written = models.DateTimeField()

    def __str__(self) -> str:
        return self.writer
