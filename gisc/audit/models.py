"""The table of the audit log."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Act(models.Model):
    """What a person did: when, who, from where, to what, and the values before and after. Written once, never changed."""

    class Source(models.TextChoices):
        ADMINISTRATION = "administration", _("administration")
        COMMAND_LINE = "command line", _("command line")

    at = models.DateTimeField(_("time"))
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        verbose_name=_("account"),
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
    )
    who = models.CharField(_("who"), max_length=150, help_text=_("the account, or the user of the operating system"))
    source = models.CharField(_("done by"), max_length=20, choices=Source.choices)
    address = models.CharField(_("client address"), max_length=45, blank=True)
    act = models.CharField(_("what"), max_length=500)
    model = models.CharField(_("kind of object"), max_length=100, blank=True, help_text=_("such as harvester.link"))
    object_id = models.CharField(_("number of the object"), max_length=100, blank=True)
    object_name = models.CharField(_("object"), max_length=200, blank=True)
    changes = models.JSONField(
        _("changes"), default=list, blank=True, help_text=_("objects with their fields: before and after")
    )
    answer = models.TextField(_("answer"), blank=True, help_text=_("what the node said to it"))

    class Meta:
        verbose_name = _("act")
        verbose_name_plural = _("acts in the audit log")
        ordering = ("-at", "-pk")
        indexes = (models.Index(fields=("-at", "-id"), name="audit_act_newest"),)

    def __str__(self) -> str:
        return f"{self.who}: {self.act}"
