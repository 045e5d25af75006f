"""Crosswalks that operators upload, with the validators of their fields; versions of the built-in formats."""

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import oai
from catalogue.models.whole_seconds import is_in_whole_seconds
from oaiprovider import builtin_formats


def validate_prefix(value: str) -> None:
    """Refuse what is not a metadataPrefix, or has a meaning already (P60)."""
    if not oai.PREFIX.fullmatch(value):
        raise ValidationError(
            gettext("{value!r} is not a metadataPrefix: letters, digits and -_.!~*'() only").format(value=value)
        )
    if value.lower() in builtin_formats.RESERVED:
        raise ValidationError(gettext("{value!r} is reserved by this node; choose another prefix").format(value=value))


def validate_namespace(value: str) -> None:
    """Refuse what is no URI, and the namespace of OAI-PMH, which no metadata may use (P48)."""
    if not oai.is_identifier(value):
        raise ValidationError(
            gettext("{value!r} is not the name of a namespace: it {identifier_fault}").format(
                value=value, identifier_fault=oai.identifier_fault(value)
            )
        )
    if value == oai.OAI_NS:
        raise ValidationError(gettext("this is the namespace of OAI-PMH itself; metadata must be in another one"))


class Crosswalk(models.Model):
    """A metadata format that an XSLT 1.0 stylesheet makes from the stored record at each request (P66, G8).

    A trigger of the database (`sql/crosswalk_changes.*.sql`) sets `changed` whenever the row changes so that harvesters
    would receive something else (P93): a stamp of the datestamp clock, taken under its lock. It is null until the format
    is enabled for the first time. A format that is switched off later is withdrawn: its records are deleted (P87).
    """

    prefix = models.CharField(
        _("metadataPrefix"),
        max_length=100,
        unique=True,
        validators=[validate_prefix],
        help_text=_("what harvesters ask for: letters, digits and -_.!~*'(); cannot be changed later"),
    )
    namespace = models.CharField(
        _("namespace"),
        max_length=500,
        validators=[validate_namespace],
        help_text=_("of the element that the stylesheet makes, spelled exactly as in it"),
    )
    schema = models.CharField(
        _("schema"),
        max_length=500,
        validators=[URLValidator(schemes=["http", "https"])],
        help_text=_("the address of its XML schema, for harvesters; this node never fetches it"),
    )
    stylesheet = models.TextField(
        _("XSLT 1.0 stylesheet"),
        help_text=_("is given one ISO 19139 record and the parameter 'identifier', and makes one element"),
    )
    enabled = models.BooleanField(
        _("enabled"),
        default=True,
        help_text=_("offered to harvesters; when it is switched off, its records are deleted for them"),
    )
    for_everybody = models.BooleanField(
        _("for everybody"),
        default=True,
        help_text=_("else only harvesters whose profile names this format among its further formats get it"),
    )
    changed = models.DateTimeField(
        _("changed"),
        null=True,
        editable=False,
        help_text=_("in this format every record has this datestamp or a later one, so that harvesters fetch it again"),
    )

    class Meta:
        verbose_name = _("crosswalk")
        verbose_name_plural = _("crosswalks")
        ordering = ("prefix",)
        constraints = (
            models.CheckConstraint(
                name="a_crosswalk_changed_at_whole_seconds",
                condition=is_in_whole_seconds("changed"),
            ),
        )

    def __str__(self) -> str:
        return self.prefix


class Generation(models.Model):
    """The digest of a built-in format's stylesheet, and when a new version of the product changed it (P93)."""

    prefix = models.CharField(max_length=100, primary_key=True)
    digest = models.CharField(max_length=64, help_text=_("of the stylesheet that the records are made with"))
    changed = models.DateTimeField(null=True, help_text=_("none: not since the node was installed"))

    def __str__(self) -> str:
        return f"{self.prefix} {self.digest[:12]}"
