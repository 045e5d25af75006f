"""What an operator decides about the answers: profiles of harvesters, containers of Identify. Facts about one row.

`oaiprovider.terms` has the choice between profiles, without a database.
"""

import functools
import ipaddress
from typing import Any

from django.apps import apps as installed
from django.apps.registry import Apps
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models
from django.db.models import Q

from catalogue import oai
from catalogue.models import MetadataSet, Record
from catalogue.reading.scopes import EVERYTHING, Scope
from oaiprovider import builtin_formats
from oaiprovider.models.crosswalk import Crosswalk
from oaiprovider.protocol import identify_descriptions
from oaiprovider.protocol.identify_descriptions import is_deliverable
from oaiprovider.terms import ANY, Candidate, Terms, choose_profile, match_fault, network_fault

_PAGE = (MinValueValidator(1), MaxValueValidator(10_000))  # G16


# Who wrote each row and where it stands (PostgreSQL, 5.6 System Columns): another text, and something has been edited.
_EDITION = """
    SELECT (SELECT string_agg(xmin::text || ctid::text, ' ') FROM oaiprovider_profile),
           (SELECT string_agg(xmin::text || ctid::text, ' ') FROM oaiprovider_profile_sets)
"""
_WITH_SETS = """
    SELECT p.*, ARRAY(SELECT s.metadataset_id FROM oaiprovider_profile_sets s WHERE s.profile_id = p.id) AS set_ids,
           EXISTS (
               SELECT FROM oaiprovider_profile_sets s JOIN catalogue_metadataset c ON c.id = s.metadataset_id
               WHERE s.profile_id = p.id AND c.kind = 'catalogue'
           ) AS whole
    FROM oaiprovider_profile p
"""


def default_terms() -> Terms:
    """What everybody is served where nothing else is decided: everything public, by the settings."""
    return Terms(
        key="",
        name=ANY,
        scope=EVERYTHING,
        repository_name=settings.GISC_REPOSITORY_NAME,
        admin_emails=(settings.GISC_ADMIN_EMAIL,),
        page_records=settings.GISC_PAGE_RECORDS,
        page_headers=settings.GISC_PAGE_HEADERS,
        page_sets=settings.GISC_PAGE_SETS,
    )


class ProfileQuerySet(models.QuerySet["Profile"]):
    """Which profile is for whom."""

    def terms_for(self, user_agent: str, address: str) -> Terms:
        """The terms on which a request is answered.

        The database is asked for each request whether something was edited, so that an edit counts at once, in every
        process; what was read before is remembered as long as nothing was.
        """
        with connection.cursor() as cursor:
            cursor.execute(_EDITION)
            edition = cursor.fetchone()
        return _terms(edition, default_terms(), user_agent, address)


@functools.lru_cache(maxsize=200)
def _terms(_edition: tuple[str | None, str | None], otherwise: Terms, user_agent: str, address: str) -> Terms:
    """`otherwise`: where nothing is decided. Profiles are filled in with the same."""
    with connection.cursor() as cursor:
        cursor.execute(_WITH_SETS)
        names = [column.name for column in cursor.description]
        known = {row["name"]: row for row in (dict(zip(names, values, strict=True)) for values in cursor)}
    candidates = (Candidate(row["name"], row["match"], tuple(row["networks"])) for row in known.values())
    chosen = choose_profile(candidates, user_agent, address)
    if chosen is None:
        return otherwise
    row = known[chosen.name]
    scope = Scope(frozenset(row.pop("set_ids")), row.pop("whole"))
    return Profile(**row).terms(scope)


class Profile(models.Model):
    """What one harvester, known by its User-Agent, is shown, and how it is served (G1). `Any` serves everyone else (G3)."""

    name = models.CharField(max_length=60, unique=True, help_text="for the administration; harvesters never see it")
    match = models.CharField(
        "User-Agent contains",
        max_length=200,
        blank=True,
        help_text="the characters agreed with the harvester's operator, such as DRIVER, case-sensitive; * stands for "
        "anything. Of several profiles that fit, the longest wins",
    )
    networks = ArrayField(
        models.CharField(max_length=50),
        default=list,
        blank=True,
        help_text="where the harvester asks from: networks or addresses, separated by commas, such as 192.0.2.0/24. "
        "Under its User-Agent from elsewhere, it is served as if this profile did not exist. Empty: from anywhere",
    )
    everything = models.BooleanField(
        "shows everything",
        default=True,
        help_text="every public set, and every record, also what is in hidden sets only; else the sets chosen below and "
        "the records in them, and nothing else",
    )
    sets = models.ManyToManyField(
        MetadataSet,
        blank=True,
        related_name="profiles",
        help_text="exactly these are listed, hidden ones too; a virtual set hides what it is made of",
    )
    page_records = models.PositiveIntegerField(
        "records on a page", null=True, blank=True, validators=_PAGE, help_text="empty: GISC_PAGE_RECORDS"
    )
    page_headers = models.PositiveIntegerField(
        "headers on a page", null=True, blank=True, validators=_PAGE, help_text="empty: GISC_PAGE_HEADERS"
    )
    page_sets = models.PositiveIntegerField(
        "sets on a page", null=True, blank=True, validators=_PAGE, help_text="empty: GISC_PAGE_SETS"
    )
    repository_name = models.CharField(
        "repositoryName", max_length=200, blank=True, help_text="empty: GISC_REPOSITORY_NAME"
    )
    admin_emails = ArrayField(
        models.CharField(max_length=254),
        verbose_name="adminEmail",
        default=list,
        blank=True,
        help_text="one or more, separated by commas; empty: GISC_ADMIN_EMAIL",
    )
    formats = ArrayField(
        models.CharField(max_length=100),
        verbose_name="further formats",
        default=list,
        blank=True,
        help_text="metadataPrefixes, separated by commas, of formats that not everybody gets. iso19139 and oai_dc are "
        "always there",
    )
    requests_per_minute = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="empty: as the node limits everybody"
    )
    may_be_limited = models.BooleanField(
        default=True, help_text="else this harvester is never told to wait, whatever it asks for; it needs networks"
    )

    objects = ProfileQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=("match", "networks"),
                name="one_profile_for_the_same_requests",
                violation_error_message="Another profile is for the same User-Agent and networks.",
            ),
            models.CheckConstraint(
                name="any_serves_everyone_and_no_other_profile_does",
                condition=Q(name=ANY, match="", networks__len=0) | (~Q(name=ANY) & ~Q(match="")),
                violation_error_message=f"{ANY} is for every User-Agent from everywhere, and no other profile is.",
            ),
        )

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse what could not be served, saying what to write instead (G16)."""
        faults: dict[str, list[str]] = {}
        if self.name == ANY:
            if self.match or self.networks:
                faults["match"] = [f"{ANY} serves everyone whom no other profile fits; leave this and networks empty."]
        elif fault := match_fault(self.match):
            faults["match"] = [fault]
        self.networks = [network.strip() for network in self.networks]
        faults["networks"] = [fault for network in self.networks if (fault := network_fault(network))]
        faults["admin_emails"] = [
            f"{address} is no address that other centres can reach; write one such as oai-admin@gisc.example.org (P54)."
            for address in self.admin_emails
            if not is_deliverable(address)
        ]
        if not self.may_be_limited and not self.networks and self.name != ANY:
            faults["may_be_limited"] = [
                "Anybody may send this User-Agent, and would not be limited; write its networks too."
            ]
        faults["formats"] = [fault for prefix in self.formats if (fault := _format_fault(prefix))]
        if any(faults.values()):
            raise ValidationError({field: sentences for field, sentences in faults.items() if sentences})
        self.networks = sorted({str(ipaddress.ip_network(network)) for network in self.networks})

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.name, self.match, tuple(self.networks))

    def terms(self, its_sets: Scope) -> Terms:
        """The profile with its defaults filled in; its sets count where it does not show everything."""
        known = default_terms()
        return Terms(
            key="" if self.name == ANY else str(self.pk),
            name=self.name,
            scope=EVERYTHING if self.everything else its_sets,
            repository_name=self.repository_name or known.repository_name,
            admin_emails=tuple(self.admin_emails) or known.admin_emails,
            page_records=self.page_records or known.page_records,
            page_headers=self.page_headers or known.page_headers,
            page_sets=self.page_sets or known.page_sets,
            formats=frozenset(self.formats),
            requests_per_minute=self.requests_per_minute,
            may_be_limited=self.may_be_limited,
        )


def _format_fault(prefix: str) -> str:
    """Why a profile cannot ask for this format, as a sentence; empty where it can (G8)."""
    if not oai.PREFIX.fullmatch(prefix):
        return f"{prefix} is no metadataPrefix (P60)."
    crosswalk = Crosswalk.objects.filter(prefix=prefix).first()
    if prefix in builtin_formats.FORMATS or (crosswalk is not None and crosswalk.for_everybody):
        return f"{prefix} is given to everybody; leave it out here."
    if crosswalk is None:
        others = ", ".join(Crosswalk.objects.filter(for_everybody=False).values_list("prefix", flat=True))
        return f"There is no crosswalk to {prefix} that is not for everybody; there are: {others or 'none'}."
    return ""


def ensure_any(*, using: str, apps: Apps = installed, **_: Any) -> None:
    """After each migration: the profile `Any` is there (G3). Until then, and without it, the settings alone decide."""
    try:
        apps.get_model("oaiprovider", "Profile").objects.using(using).get_or_create(name=ANY)
    except LookupError:
        return  # migrated back to before there were profiles


class DescriptionQuerySet(models.QuerySet["IdentifyDescription"]):
    """Containers in the order in which Identify shows them."""

    def elements(self) -> list[bytes]:
        return [text.encode() for text in self.filter(shown=True).values_list("xml", flat=True)]


class IdentifyDescription(models.Model):
    """A container that Identify shows in a `description`: branding, oai-identifier, rights, gateway (P128 to P130)."""

    name = models.CharField(max_length=60, unique=True, help_text="for the administration; harvesters never see it")
    xml = models.TextField("XML", help_text="one element with its namespace and xsi:schemaLocation")
    shown = models.BooleanField(default=True)

    objects = DescriptionQuerySet.as_manager()

    class Meta:
        verbose_name = "container of Identify"
        verbose_name_plural = "containers of Identify"
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def element(self) -> identify_descriptions.Element:
        return identify_descriptions.read(self.xml)

    def clean(self) -> None:
        """Refuse what would make Identify wrong; keep the bare element, ready for the wire."""
        try:
            element = identify_descriptions.read(self.xml, schema_dir=settings.GISC_SCHEMA_DIR)
        except ValueError as exc:
            raise ValidationError({"xml": str(exc)}) from exc
        self.xml = element.xml
        if self.shown and element.name in identify_descriptions.ONCE:
            others = IdentifyDescription.objects.filter(shown=True).exclude(pk=self.pk)
            same = next((one for one in others if one.element.name == element.name), None)
            if same is not None:
                raise ValidationError({"xml": f"Identify holds one {element.name} at most, and {same} is one."})
        start = f"oai:{identify_descriptions.repository_identifier(element)}:"
        if self.shown and element.name == "oai-identifier":
            stranger = Record.objects.exclude(identifier__startswith=start).first()
            if stranger is not None:
                raise ValidationError(
                    {
                        "xml": f"Not all identifiers here begin with {start}, {stranger} for one, so this would be untrue (P129)."
                    }
                )
