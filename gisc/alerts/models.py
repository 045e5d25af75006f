"""Who is alerted, the problems as they were seen, and the outbox: what was sent, and what waits."""

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalogue.models import TickCanary
from harvester.models import Link
from harvester.net import access

_ADDRESS = "alert address"
SEALED = {"sealed_url": _ADDRESS}  # columns and their purposes


class Recipient(models.Model):
    """Somebody who is told of problems: by e-mail, or by a service whose address is encrypted and never displayed."""

    class Least(models.TextChoices):
        """The values are those of `gisc.problems.Severity`."""

        URGENT = "urgent", _("urgent ones only")
        SOON = "soon", _("urgent ones, and those of this week")
        NOTICE = "notice", _("all")

    class Day(models.IntegerChoices):
        MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = (
            (0, _("Monday")),
            (1, _("Tuesday")),
            (2, _("Wednesday")),
            (3, _("Thursday")),
            (4, _("Friday")),
            (5, _("Saturday")),
            (6, _("Sunday")),
        )

    name = models.CharField(_("name"), max_length=60, unique=True, help_text=_("of a person, or of a service"))
    email = models.EmailField(_("e-mail address"), blank=True)
    sealed_url = models.TextField(blank=True, editable=False)
    service = models.CharField(_("service"), max_length=60, blank=True, editable=False)
    enabled = models.BooleanField(_("enabled"), default=True)
    least_severity = models.CharField(_("problems"), max_length=10, choices=Least.choices, default=Least.SOON)
    codes = models.JSONField(_("kinds of problems"), default=list, blank=True, help_text=_("none chosen: all kinds"))
    links = models.ManyToManyField(
        Link, verbose_name=_("links"), blank=True, related_name="+", help_text=_("none chosen: all links.")
    )
    node = models.BooleanField(
        _("this node"), default=True, help_text=_("also problems of the node itself: its disk, clock, worker, backup")
    )
    weekly = models.BooleanField(_("weekly summary"), default=False)
    weekly_day = models.PositiveSmallIntegerField(_("on"), choices=Day.choices, default=Day.MONDAY)
    weekly_hour = models.PositiveSmallIntegerField(
        _("at, hour UTC"), default=6, validators=[MaxValueValidator(23)], help_text=_("0 to 23")
    )
    last_weekly = models.DateTimeField(_("last weekly summary"), null=True, editable=False)

    class Meta:
        ordering = ("name",)
        verbose_name = _("recipient of alerts")
        verbose_name_plural = _("recipients of alerts")
        constraints = (
            models.CheckConstraint(name="a_recipient_has_one_address", condition=Q(email="") ^ Q(sealed_url="")),
        )

    def __str__(self) -> str:
        return self.name

    def set_url(self, url: str, service: str) -> None:
        """Encrypt the address of a service, which takes the place of an e-mail address. Nothing is saved."""
        self.sealed_url, self.service, self.email = access.seal(url, _ADDRESS), service, ""

    def read_url(self) -> str:
        """Decrypt the address of the service. Raises `access.UnreadableSecret` of another SECRET_KEY."""
        return access.unseal(self.sealed_url, _ADDRESS)


class Condition(models.Model):
    """A problem from when it was first seen until it is over. At most one is open for each code and subject."""

    code = models.CharField(_("code"), max_length=40)
    subject = models.CharField(_("subject"), max_length=80)
    name = models.CharField(_("name"), max_length=100)
    severity = models.CharField(_("severity"), max_length=10)
    state = models.CharField(_("state"), max_length=10)
    text = models.TextField(_("text"))
    todo = models.TextField(_("what to do"), blank=True)
    url = models.TextField(_("page"))
    link_id = models.BigIntegerField(_("link"), null=True, help_text=_("the link may have been removed since"))
    begun = models.DateTimeField(_("begun"), help_text=_("since when it is so, as far as is known"))
    first_seen = models.DateTimeField(_("first seen"))
    gone_since = models.DateTimeField(
        _("gone since"), null=True, help_text=_("it was not there any more from then on; it may come back")
    )
    ended = models.DateTimeField(_("ended"), null=True, help_text=_("it is over"))

    class Meta:
        verbose_name = _("problem")
        verbose_name_plural = _("problems")
        ordering = ("-first_seen", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("code", "subject"), condition=Q(ended=None), name="one_open_condition_of_a_subject"
            ),
        )
        indexes = (models.Index(fields=("ended",), name="conditions_by_end"),)

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


class Message(models.Model):
    """One alert for one recipient. A row is written in the transaction that finds its cause, and sent after its commit."""

    class Kind(models.TextChoices):
        BEGIN = "begin", _("begins")
        END = "end", _("is over")
        WEEKLY = "weekly", _("weekly summary")
        TEST = "test", _("test")

    recipient = models.ForeignKey(
        Recipient, verbose_name=_("recipient"), on_delete=models.CASCADE, related_name="messages", db_index=False
    )
    condition = models.ForeignKey(
        Condition, verbose_name=_("problem"), on_delete=models.CASCADE, null=True, related_name="messages"
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    title = models.TextField(_("title"))
    body = models.TextField(_("text"))
    created = models.DateTimeField(_("created"))
    not_before = models.DateTimeField(_("next try"))
    attempts = models.PositiveIntegerField(_("tries"), default=0)
    batch = models.UUIDField(
        _("sent together"),
        null=True,
        help_text=_("what is sent together, and again together if nobody knows whether it was sent"),
    )
    leased_until = models.DateTimeField(
        _("sent by a process until"), null=True, help_text=_("a process sends it; another may try after this")
    )
    fault = models.TextField(_("why it was not sent"), blank=True)
    sent = models.DateTimeField(_("sent"), null=True)

    class Meta:
        ordering = ("-created", "-pk")
        verbose_name = _("alert")
        verbose_name_plural = _("alerts in the log")
        constraints = (models.UniqueConstraint(fields=("recipient", "condition", "kind"), name="one_alert_of_a_kind"),)
        indexes = (
            models.Index(fields=("recipient", "id"), condition=Q(sent=None), name="alerts_that_wait"),
            models.Index(fields=("-created", "-id"), name="alerts_by_created"),
        )

    def __str__(self) -> str:
        return self.title


class AlertCanary(TickCanary):
    """The last tick of alerts."""

    class Meta:
        verbose_name_plural = _("alert canaries")
        constraints = (models.CheckConstraint(name="there_is_one_alert_canary", condition=Q(id=1)),)
