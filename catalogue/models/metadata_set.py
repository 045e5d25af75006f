"""Sets, which sets a set includes, and the changes of virtual sets."""

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import oai
from catalogue.models.category import Category


def validate_set_spec(value: str) -> None:
    """Raise ValidationError for what is not a setSpec (P72)."""
    if not oai.is_set_spec(value):
        raise ValidationError(
            gettext("{value!r} is not a setSpec: letters, digits and -_.!~*'() with single colons between").format(
                value=value
            )
        )


class MetadataSet(models.Model):
    """A set (OAI-PMH 2.6). `WIS-CATALOGUE`, of kind CATALOGUE, is every record and has no membership rows."""

    class Kind(models.TextChoices):
        OWN = "own", _("own: this node's area of responsibility")
        PEER = "peer", _("peer: another GISC's")
        SHARED = "shared", _("shared: joint responsibility")
        VIRTUAL = "virtual", _("virtual: made of other sets, or of what a search finds")
        CATALOGUE = "catalogue", _("catalogue: every record")

    spec = models.CharField(_("setSpec"), max_length=200, unique=True, validators=[validate_set_spec])
    name = models.CharField(_("setName"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices, default=Kind.PEER)
    public = models.BooleanField(
        _("public"),
        default=True,
        help_text=_(
            "listed by ListSets and on the public pages; records that are in no listed set are not public either"
        ),
    )
    category = models.ForeignKey(
        Category,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="sets",
        verbose_name=_("who sees its records"),
        help_text=_("empty: everybody. A category limits all records of the set, also those that are in another one"),
    )
    fed_here = models.BooleanField(
        _("fed by uploads"),
        default=False,
        db_default=False,
        editable=False,
        help_text=_(
            "records of this shared set are uploaded at this node, so it is not harvested from a co-owner"
        ),  # W42
    )

    class Meta:
        verbose_name = _("set")
        ordering = ("spec",)
        constraints = (
            models.UniqueConstraint(
                fields=("kind",), condition=Q(kind__in=("own", "catalogue")), name="one_own_set_and_one_catalogue_set"
            ),
        )

    def __str__(self) -> str:
        return self.spec


class SetInclusion(models.Model):
    """`child` is part of `parent`: by hierarchy (`a` includes `a:b`, P74) or because a virtual set names it (G4).

    Memberships of a parent are rows like any other, written by `catalogue.writing`, so that one index serves its lists.
    """

    parent = models.ForeignKey(
        MetadataSet, verbose_name=_("includes"), on_delete=models.CASCADE, related_name="inclusions"
    )
    child = models.ForeignKey(
        MetadataSet, verbose_name=_("included set"), on_delete=models.CASCADE, related_name="included_in"
    )

    class Meta:
        verbose_name = _("inclusion")
        constraints = (
            models.UniqueConstraint(fields=("parent", "child"), name="a_set_includes_another_once"),
            models.CheckConstraint(name="no_set_includes_itself", condition=~Q(parent=F("child"))),
        )

    def __str__(self) -> str:
        return f"{self.child_id} in {self.parent_id}"


class SetSearch(models.Model):
    """The search that a virtual set is defined by: it has the live records that the search finds, beside those of its members.

    `condition` is what the writer goes by (`catalogue.reading.query.stored`); the texts are what it was made of, for people.
    Written by `catalogue.writing.set_searches` alone, under the clock's lock.
    """

    set = models.OneToOneField(
        MetadataSet, verbose_name=_("set"), on_delete=models.CASCADE, primary_key=True, related_name="search"
    )
    address = models.TextField(_("search"), blank=True, help_text=_("the arguments of a search on the public page"))
    filter = models.TextField(_("filter"), blank=True, help_text=_("a filter in CQL2 text"))
    condition = models.JSONField()
    changed = models.DateTimeField(_("changed"))

    class Meta:
        verbose_name = _("search of a virtual set")
        verbose_name_plural = _("searches of virtual sets")

    def __str__(self) -> str:
        return " & ".join(text for text in (self.address, self.filter) if text)


class SetChange(models.Model):
    """A change of what a virtual set is made of, sets or a search, and how far the memberships that follow are written.

    Rows stay as the report of what was done. One that has not ended is gone on with by the next tick (`writing.set_changes`).
    """

    class Act(models.TextChoices):
        INCLUDE = "include", _("included")
        EXCLUDE = "exclude", _("excluded")
        SEARCH = "search", _("found by its search")

    parent = models.ForeignKey(MetadataSet, on_delete=models.CASCADE, related_name="+", db_index=False)
    act = models.CharField(max_length=10, choices=Act.choices)
    specs = ArrayField(models.TextField(), help_text=_("the sets that were named, or the search"))
    children = ArrayField(models.BigIntegerField(), help_text=_("their ids, and those of the sets below them"))
    total = models.BigIntegerField(help_text=_("records to go through"))
    done = models.BigIntegerField(default=0)
    last_record = models.BigIntegerField(default=0, help_text=_("id of the last record that was gone through"))
    begun = models.DateTimeField()
    ended = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("change of a virtual set")
        verbose_name_plural = _("changes of virtual sets")
        indexes = (
            models.Index(fields=("parent", "-id"), name="set_changes_newest_first"),
            models.Index(fields=("id",), condition=Q(ended=None), name="open_set_changes"),
        )

    def __str__(self) -> str:
        return f"{self.act} {', '.join(self.specs)}"
