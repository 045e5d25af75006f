"""The link's table of remote headers: the last header of each identifier, by provider."""

from django.contrib.postgres.indexes import HashIndex
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from harvester.models.link import Link
from harvester.models.provider import Alternative


class RemoteHeader(models.Model):
    """The last header that a provider of a link gave of one identifier (H40). Comparisons work on these rows (W25).

    Each provider of a link has its own rows, as its datestamps are on its own clock (W32).
    """

    class State(models.TextChoices):
        STORED = "held", _("taken as the provider gave it")
        WANTED = "wanted", _("to be asked for by GetRecord")
        ABSENT = "absent", _("not listed where it should be: to be asked for by GetRecord")
        DOUBTFUL = "doubted", _("changed here while another provider served the link: to be asked for by GetRecord")
        UNPROVEN = (
            "unproven",
            _("its header is as before, which proves nothing in a total re-harvest: to be asked for by GetRecord"),
        )
        VANISHED = "vanished", _("no longer known to the provider")
        REJECTED = "rejected", _("what came was not stored")

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="headers", db_index=False)
    alternative = models.ForeignKey(
        Alternative,
        on_delete=models.CASCADE,
        null=True,
        db_index=False,
        related_name="+",
        help_text=_("the alternative that sent it; none: the link's own provider"),
    )
    key = models.TextField(db_collation="C", help_text=_("the OAI identifier of this node for it"))  # P68
    identifier = models.TextField(help_text=_("as the provider spells it, or names it"))
    datestamp = models.DateTimeField(null=True, help_text=_("on the provider's clock; none: not known"))
    deleted = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.STORED)
    digest = models.BinaryField(
        null=True, help_text=_("of the version that was stored last; none: not known, or a deletion")
    )
    removed_at = models.DateTimeField(
        null=True,
        help_text=_(
            "when the provider deleted a record that was live here: stored, or waiting for the operator if not deleted"
        ),
    )
    seen_in = models.BigIntegerField(null=True, help_text=_("the last comparison that saw it listed"))

    class Meta:
        verbose_name = _("remote header")
        verbose_name_plural = _("remote headers")
        constraints = (
            models.UniqueConstraint(
                fields=("link", "alternative", "key"), nulls_distinct=False, name="one_header_of_a_provider"
            ),
        )
        indexes = (
            models.Index(fields=("link", "datestamp"), name="headers_by_datestamp"),
            # by what its provider calls it, where that is not its key; a hash, as a name may be of any length
            HashIndex(fields=("identifier",), condition=~Q(identifier=F("key")), name="headers_by_name"),
            models.Index(
                fields=("link", "id"),
                condition=Q(state__in=("wanted", "absent", "doubted", "unproven")),
                name="headers_wanted",
            ),
            models.Index(
                fields=("link", "removed_at"), condition=Q(removed_at__isnull=False), name="headers_of_removed"
            ),
            models.Index(fields=("link",), condition=Q(state="rejected"), name="headers_rejected"),
        )

    def __str__(self) -> str:
        return self.identifier
