"""Profiles of harvesters and containers of Identify, as operators edit them.

The choice between profiles is in `oaiprovider.terms`, without a database.
"""

import functools
import ipaddress
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.apps import apps as installed
from django.apps.registry import Apps
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import oai
from catalogue.documents import xml_tree
from catalogue.models import Category, MetadataSet, Record
from catalogue.reading.scopes import EVERYTHING, Scope
from catalogue.reasons import ActRefused
from oaiprovider import builtin_formats
from oaiprovider.models.crosswalk import Crosswalk
from oaiprovider.protocol import identify_descriptions
from oaiprovider.protocol.identify_descriptions import is_deliverable
from oaiprovider.terms import ANY, Candidate, Terms, choose_profile, match_fault, network_fault

_PAGE = (MinValueValidator(1), MaxValueValidator(10_000))  # G16


# The transaction and place of each row (PostgreSQL, 5.6 System Columns): the text differs if any row was edited. At the end
# the epoch of the journal, which each restore of the database raises.
_EDITION = """
    SELECT (SELECT string_agg(xmin::text || ctid::text, ' ') FROM oaiprovider_profile),
           (SELECT string_agg(xmin::text || ctid::text, ' ') FROM oaiprovider_profile_sets),
           (SELECT string_agg(xmin::text || ctid::text, ' ') FROM oaiprovider_profile_categories),
           (SELECT epoch FROM catalogue_journalposition)
"""
_WITH_SETS = """
    SELECT p.*, ARRAY(SELECT s.metadataset_id FROM oaiprovider_profile_sets s WHERE s.profile_id = p.id) AS set_ids,
           ARRAY(SELECT c.category_id FROM oaiprovider_profile_categories c WHERE c.profile_id = p.id) AS category_ids,
           EXISTS (
               SELECT FROM oaiprovider_profile_sets s JOIN catalogue_metadataset c ON c.id = s.metadataset_id
               WHERE s.profile_id = p.id AND c.kind = 'catalogue'
           ) AS whole
    FROM oaiprovider_profile p
"""


def default_terms() -> Terms:
    """Return the terms without any profile: everything public, by the settings."""
    return Terms(
        key="",
        name=ANY,
        scope=replace(EVERYTHING, set_tombstones=False),
        repository_name=settings.GISC_REPOSITORY_NAME,
        admin_emails=(settings.GISC_ADMIN_EMAIL,),
        page_records=settings.GISC_PAGE_RECORDS,
        page_headers=settings.GISC_PAGE_HEADERS,
        page_sets=settings.GISC_PAGE_SETS,
    )


class ProfileQuerySet(models.QuerySet["Profile"]):
    """Chooses the profile of a request."""

    def terms_for(self, user_agent: str, address: str) -> Terms:
        """Return the terms on which a request is answered.

        One query of each request detects edits, so that an edit takes effect at once in every process; the terms are
        cached until then.
        """
        with connection.cursor() as cursor:
            cursor.execute(_EDITION)
            edition = cursor.fetchone()
        return _terms(edition, default_terms(), user_agent, address)


@functools.lru_cache(maxsize=200)
def _terms(
    edition: tuple[str | None, str | None, str | None, int | None], default: Terms, user_agent: str, address: str
) -> Terms:
    """Read and choose the terms. `edition` and `default` are part of the key of the cache."""
    epoch = edition[-1]
    with connection.cursor() as cursor:
        cursor.execute(_WITH_SETS)
        names = [column.name for column in cursor.description]
        rows = {row["name"]: row for row in (dict(zip(names, values, strict=True)) for values in cursor)}
    candidates = (Candidate(row["name"], row["match"], tuple(row["networks"])) for row in rows.values())
    chosen = choose_profile(candidates, user_agent, address)
    if chosen is None:
        return _for_software(replace(default, epoch=epoch), user_agent)
    row = rows[chosen.name]
    scope = Scope(frozenset(row.pop("set_ids")), row.pop("whole"))
    categories = frozenset(row.pop("category_ids"))
    terms = replace(Profile(**row).terms(scope, categories), epoch=epoch)
    return _for_software(terms, user_agent)


def _for_software(terms: Terms, user_agent: str) -> Terms:
    """Add what harvesters of this software understand, and no other need (P75)."""
    if not oai.is_own_software(user_agent):
        return terms
    return replace(terms, scope=replace(terms.scope, set_tombstones=True))


class Profile(models.Model):
    """Which sets and formats a harvester gets, and how fast, by its User-Agent (G1). `Any` is for all others (G3)."""

    name = models.CharField(
        _("name"), max_length=60, unique=True, help_text=_("for the administration; harvesters never see it")
    )
    match = models.CharField(
        _("User-Agent contains"),
        max_length=200,
        blank=True,
        help_text=_(
            "the characters agreed with the harvester's operator, such as DRIVER, case-sensitive; * stands for "
            "anything. Of several profiles that fit, the longest wins"
        ),
    )
    networks = ArrayField(
        models.CharField(max_length=50),
        verbose_name=_("networks"),
        default=list,
        blank=True,
        help_text=_(
            "where the harvester asks from: networks or addresses, separated by commas, such as 192.0.2.0/24. "
            "Under its User-Agent from elsewhere, it is served as if this profile did not exist. Empty: from anywhere"
        ),
    )
    everything = models.BooleanField(
        _("shows everything"),
        default=True,
        help_text=_(
            "every listed set and every record that everybody sees; else the sets chosen below and the records in them, "
            "and nothing else"
        ),
    )
    sets = models.ManyToManyField(
        MetadataSet,
        verbose_name=_("sets"),
        blank=True,
        related_name="profiles",
        help_text=_("exactly these are listed, hidden ones too; a virtual set hides what it is made of"),
    )
    categories = models.ManyToManyField(
        Category,
        blank=True,
        related_name="profiles",
        verbose_name=_("also sees"),
        help_text=_(
            "records of these categories, which not everybody sees. Anybody can send a User-Agent, so networks are needed"
        ),
    )
    set_tombstones = models.BooleanField(
        _("deletions of sets"),
        default=False,
        db_default=False,
        help_text=_(
            "in the list of a set, records that left it and live in another set come as deleted. For a harvester "
            "that keeps a store for each set; one that puts several sets into one store would delete live records"
        ),
    )
    page_records = models.PositiveIntegerField(
        _("records on a page"), null=True, blank=True, validators=_PAGE, help_text=_("empty: GISC_PAGE_RECORDS")
    )
    page_headers = models.PositiveIntegerField(
        _("headers on a page"), null=True, blank=True, validators=_PAGE, help_text=_("empty: GISC_PAGE_HEADERS")
    )
    page_sets = models.PositiveIntegerField(
        _("sets on a page"), null=True, blank=True, validators=_PAGE, help_text=_("empty: GISC_PAGE_SETS")
    )
    repository_name = models.CharField(
        _("repositoryName"), max_length=200, blank=True, help_text=_("empty: GISC_REPOSITORY_NAME")
    )
    admin_emails = ArrayField(
        models.CharField(max_length=254),
        verbose_name=_("adminEmail"),
        default=list,
        blank=True,
        help_text=_("one or more, separated by commas; empty: GISC_ADMIN_EMAIL"),
    )
    formats = ArrayField(
        models.CharField(max_length=100),
        verbose_name=_("further formats"),
        default=list,
        blank=True,
        help_text=_(
            "metadataPrefixes, separated by commas, of formats that not everybody gets. iso19139 and oai_dc are "
            "always there"
        ),
    )
    requests_per_minute = models.PositiveIntegerField(
        _("requests a minute"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("empty: as the node limits everybody"),
    )
    may_be_limited = models.BooleanField(
        _("flow control applies"),
        default=True,
        help_text=_("else flow control never makes this harvester wait; then networks are required"),
    )

    objects = ProfileQuerySet.as_manager()

    class Meta:
        verbose_name = _("harvester profile")
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=("match", "networks"),
                name="one_profile_for_the_same_requests",
                violation_error_message=_("Another profile is for the same User-Agent and networks."),
            ),
            models.CheckConstraint(
                name="any_serves_everyone_and_no_other_profile_does",
                condition=Q(name=ANY, match="", networks__len=0) | (~Q(name=ANY) & ~Q(match="")),
                violation_error_message=_("Any is for every User-Agent from everywhere, and no other profile is."),
            ),
        )

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse what cannot be served, with a sentence that says what to write instead (G16)."""
        faults: dict[str, list[str]] = {}
        if self.name == ANY:
            if self.match or self.networks:
                faults["match"] = [
                    gettext("{ANY} serves everyone whom no other profile fits; leave this and networks empty.").format(
                        ANY=ANY
                    )
                ]
        elif fault := match_fault(self.match):
            faults["match"] = [fault]
        self.networks = [network.strip() for network in self.networks]
        faults["networks"] = [fault for network in self.networks if (fault := network_fault(network))]
        faults["admin_emails"] = [
            gettext(
                "{address} is no address that other centres can reach; write one such as oai-admin@gisc.example.org."
            ).format(address=address)  # P54
            for address in self.admin_emails
            if not is_deliverable(address)
        ]
        if not self.may_be_limited and not self.networks and self.name != ANY:
            faults["may_be_limited"] = [
                gettext("Anybody can send this User-Agent and would not be limited; write its networks too.")
            ]
        faults["formats"] = [fault for prefix in self.formats if (fault := _format_fault(prefix))]
        if any(faults.values()):
            raise ValidationError({field: sentences for field, sentences in faults.items() if sentences})
        self.networks = sorted({str(ipaddress.ip_network(network)) for network in self.networks})

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.name, self.match, tuple(self.networks))

    def seen_categories(self, chosen: Collection[int]) -> frozenset[int]:
        """Return the categories whose records this harvester sees: those chosen, and one that it alone has.

        What it lost the right to see is told to it by that one. `Any`, whom everybody may be, has none.
        """
        return frozenset() if self.name == ANY or not self.networks else frozenset({*chosen, -self.pk})

    def terms(self, scope_of_sets: Scope, categories: Collection[int] = ()) -> Terms:
        """Fill in the defaults. `scope_of_sets` is used unless the profile shows everything."""
        default = default_terms()
        scope = EVERYTHING if self.everything else scope_of_sets
        return Terms(
            key="" if self.name == ANY else str(self.pk),
            name=self.name,
            scope=replace(scope, set_tombstones=self.set_tombstones, categories=self.seen_categories(categories)),
            repository_name=self.repository_name or default.repository_name,
            admin_emails=tuple(self.admin_emails) or default.admin_emails,
            page_records=self.page_records or default.page_records,
            page_headers=self.page_headers or default.page_headers,
            page_sets=self.page_sets or default.page_sets,
            formats=frozenset(self.formats),
            requests_per_minute=self.requests_per_minute,
            may_be_limited=self.may_be_limited,
        )


def _format_fault(prefix: str) -> str:
    """Return why a profile cannot name this format, as a sentence; empty if it can (G8)."""
    if not oai.PREFIX.fullmatch(prefix):
        return gettext("{prefix} is no metadataPrefix.").format(prefix=prefix)  # P60
    crosswalk = Crosswalk.objects.filter(prefix=prefix).first()
    if prefix in builtin_formats.FORMATS or (crosswalk is not None and crosswalk.for_everybody):
        return gettext("{prefix} is given to everybody; leave it out here.").format(prefix=prefix)
    if crosswalk is None:
        others = ", ".join(Crosswalk.objects.filter(for_everybody=False).values_list("prefix", flat=True))
        return gettext(
            "There is no crosswalk to {prefix} that is not for everybody; such crosswalks are: {others}."
        ).format(prefix=prefix, others=others or "none")
    return ""


def ensure_any(*, using: str, apps: Apps = installed, **_: Any) -> None:
    """Add the profile `Any` after each migration, if it is missing (G3); without it the settings decide."""
    try:
        apps.get_model("oaiprovider", "Profile").objects.using(using).get_or_create(name=ANY)
    except LookupError:
        return  # migrated back to a version without profiles


class DescriptionQuerySet(models.QuerySet["IdentifyDescription"]):
    """Containers in the order of Identify."""

    def elements(self) -> list[bytes]:
        return [xml_tree.to_splice(text.encode()) for text in self.filter(shown=True).values_list("xml", flat=True)]


class IdentifyDescription(models.Model):
    """The content of a `description` of Identify: branding, oai-identifier, rights or gateway (P128 to P130)."""

    name = models.CharField(
        _("name"), max_length=60, unique=True, help_text=_("for the administration; harvesters never see it")
    )
    xml = models.TextField(_("XML"), help_text=_("one element with its namespace and xsi:schemaLocation"))
    shown = models.BooleanField(_("shown"), default=True)

    objects = DescriptionQuerySet.as_manager()

    class Meta:
        verbose_name = _("description in Identify")
        verbose_name_plural = _("descriptions in Identify")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def container(self) -> identify_descriptions.Container:
        return identify_descriptions.read(self.xml)

    def clean(self) -> None:
        """Refuse what would make Identify wrong; store the element without declaration and comments."""
        try:
            container = identify_descriptions.read(self.xml, schema_dir=settings.GISC_SCHEMA_DIR)
        except ActRefused as exc:
            raise ValidationError({"xml": ValidationError(str(exc), code=exc.reason.code)}) from exc
        self.xml = container.xml
        if self.shown and container.name in identify_descriptions.ONCE:
            others = IdentifyDescription.objects.filter(shown=True).exclude(pk=self.pk)
            same = next((other for other in others if other.container.name == container.name), None)
            if same is not None:
                raise ValidationError(
                    {
                        "xml": gettext("Identify can have only one {name}, and {same} is one.").format(
                            name=container.name, same=same
                        )
                    }
                )
        start = f"oai:{identify_descriptions.repository_identifier(container)}:"
        if self.shown and container.name == "oai-identifier":
            stranger = Record.objects.exclude(identifier__startswith=start).first()
            if stranger is not None:
                raise ValidationError(
                    {
                        "xml": gettext(
                            "This would be wrong: {stranger} is an identifier here that does not begin with {start}."
                        ).format(stranger=stranger, start=start)  # P129
                    }
                )
