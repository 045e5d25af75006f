"""Fields of a link: what is odd about the lists of its provider; doubts stay until all headers are compared."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from harvester import messages
from harvester.messages import RemarkCode


class DoubtFields(models.Model):
    """Doubts about complete lists, and what a provider's completeListSize and its `from` are worth (H48, H49)."""

    FROM_IS_IGNORED = 2  # chosen: lists in a row; one may be a provider that was restored

    doubts = models.JSONField(
        _("doubts"),
        default=list,
        db_default=[],
        editable=False,
        help_text=_("remarks, with code and facts, that stay until all headers are compared"),
    )
    shortfall = models.PositiveIntegerField(
        _("records not listed"),
        default=0,
        db_default=0,
        editable=False,
        help_text=_("so many entries of the last list were announced and not listed; the next list may explain them"),
    )
    shortfall_from = models.DateTimeField(
        _("records not listed from"),
        null=True,
        editable=False,
        help_text=_("`from` of the list that was too short; none: it was the whole list"),
    )
    clean_comparisons = models.PositiveSmallIntegerField(
        _("comparisons without a difference"),
        default=0,
        db_default=0,
        editable=False,
        help_text=_("after a list that was too short: those that found nothing missing"),
    )
    size_is_estimate = models.BooleanField(
        _("its completeListSize is an estimate"),
        default=False,
        db_default=False,
        editable=False,
        help_text=_("two comparisons after lists that were too short have found nothing missing"),
    )

    from_ignored = models.PositiveIntegerField(
        _("lists that ignored “from”"),
        default=0,
        db_default=0,
        editable=False,
        help_text=_("lists in a row, until now, that were mostly older than what was asked for"),
    )

    class Meta:
        abstract = True

    def is_doubted(self, code: RemarkCode) -> bool:
        """Whether the link has a doubt with this code."""
        return any(doubt["code"] == code for doubt in self.doubts)

    @property
    def doubt_sentences(self) -> list[str]:
        """The doubts as an operator reads them."""
        return [messages.describe_remark(doubt["code"], doubt["facts"]) for doubt in self.doubts]
