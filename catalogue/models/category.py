"""Categories: classes of records that not everybody may see, and which records and sources name one."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Category(models.Model):
    """A class of records that not everybody may see. Sets, links and records name one; none: public.

    Who may see it: people who are signed in, if it says so, and the harvesters whose profiles name it. Whoever may not see
    each of the categories of a record does not see the record (`docs/ARCHITECTURE.md`, "Who sees what").
    """

    name = models.CharField(
        _("name"), max_length=60, unique=True, help_text=_("such as “members only”; harvesters never see it")
    )
    description = models.TextField(
        _("description"), blank=True, help_text=_("for the administration: why, until when, whom to ask")
    )
    signed_in = models.BooleanField(
        _("for people who are signed in"),
        default=True,
        help_text=_("they find its records on the public pages as well; else harvesters alone get them"),
    )

    class Meta:
        verbose_name = _("category")
        verbose_name_plural = _("categories")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class RecordCategory(models.Model):
    """The category that a record was given itself, by its OAI identifier: it stays when the record is deleted and purged."""

    key = models.TextField(primary_key=True, db_collation="C", help_text=_("the OAI identifier"))
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="records")

    class Meta:
        verbose_name = _("category of a record")
        verbose_name_plural = _("categories of records")

    def __str__(self) -> str:
        return f"{self.key}: {self.category_id}"


class SourceCategory(models.Model):
    """The category of all records whose version came by a link. It stays when the link is removed, as its records do."""

    source = models.TextField(primary_key=True, help_text=_("the name of the link"))
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="sources")

    class Meta:
        verbose_name = _("category of a link's records")
        verbose_name_plural = _("categories of links' records")

    def __str__(self) -> str:
        return f"{self.source}: {self.category_id}"
