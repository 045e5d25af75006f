"""Links: what is harvested from whom into which set. The sum of the fields in `link_*`."""

from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.models import Category, MetadataSet
from catalogue.reasons import Facts
from harvester import link_rules
from harvester.link_rules import Kind
from harvester.messages import Remark, RemarkCode
from harvester.models.link_access import AccessFields
from harvester.models.link_address import AddressFields, Provider
from harvester.models.link_attention import GRACE_INTERVALS, LEAST_GRACE, AttentionFields
from harvester.models.link_comparison import ComparisonFields
from harvester.models.link_content import ContentFields
from harvester.models.link_counts import CountFields
from harvester.models.link_doubt import DoubtFields
from harvester.models.link_failover import FailoverFields
from harvester.models.link_schedule import ScheduleFields
from harvester.net.access import Access, Cookie
from harvester.net.addresses import may_send_credentials


class Link(
    AddressFields,
    AccessFields,
    ScheduleFields,
    FailoverFields,
    ComparisonFields,
    ContentFields,
    DoubtFields,
    AttentionFields,
    CountFields,
):
    """The standing arrangement to harvest one remote set of one provider into one local set (W13, W22)."""

    name = models.SlugField(
        _("name"), max_length=60, unique=True, help_text=_("short name, used on the command line and in logs")
    )
    kind = models.CharField(
        _("kind"), max_length=10, choices=Kind.choices, default=Kind.PEER, help_text=_("what the provider is to us")
    )
    local_set = models.ForeignKey(
        MetadataSet, verbose_name=_("our set"), on_delete=models.PROTECT, related_name="links"
    )
    category = models.ForeignKey(
        Category,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="links",
        verbose_name=_("who sees its records"),
        help_text=_("empty: everybody. A category limits all records that this link brought, and the link's own page"),
    )

    class Meta:
        verbose_name = _("link")
        verbose_name_plural = _("links")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse a link by which records could loop (W21, W42), and a base URL with arguments (P1)."""
        super().clean()
        if {"?", "#"} & set(self.base_url):
            raise ValidationError(
                {"base_url": gettext("The base URL has no arguments: leave out ? or # and what follows")}
            )
        self.check_access(self.base_url)
        self._check_password()
        if not hasattr(self, "local_set"):
            return  # no set was chosen: the field itself says so
        others = Link.objects.exclude(pk=self.pk).select_related("local_set")
        faults = link_rules.faults(
            self.arrangement(),
            [other.arrangement() for other in others],
            our_set=settings.GISC_NAME,
            our_url=f"{settings.GISC_BASE_URL}/oai",
        )
        if faults:
            raise ValidationError(dict(faults))

    def _check_password(self) -> None:
        """Refuse an edit by which a stored password would go to another provider, or to another proxy."""
        stored = Link.objects.filter(pk=self.pk).first()
        if stored is None:
            return
        again = gettext("enter it again, or leave the user name empty")
        is_unchanged = self.sealed_password and self.sealed_password == stored.sealed_password
        if is_unchanged and not may_send_credentials(stored.base_url, self.base_url):
            raise ValidationError(
                {"user": gettext("The password was given for another provider: {again}").format(again=again)}
            )
        is_unchanged = self.sealed_proxy_password and self.sealed_proxy_password == stored.sealed_proxy_password
        if is_unchanged and self.proxy != stored.proxy:
            raise ValidationError(
                {"proxy_user": gettext("The password was given for another proxy: {again}").format(again=again)}
            )

    @property
    def grace(self) -> timedelta:
        """How old the last complete harvest may be before the link is stale."""
        if self.grace_h:
            return timedelta(hours=self.grace_h)
        return max(LEAST_GRACE, GRACE_INTERVALS * timedelta(seconds=self.longest_wait_s))

    def access(self, cookies: tuple[Cookie, ...] = ()) -> Access:
        """Return the access to the provider that serves the link now.

        Raises RefusedByProvider if a password cannot be decrypted any more.
        """
        if self.serving_id is not None:
            return self.access_to_alternative(cookies=cookies)
        return self.access_to_own_provider(cookies=cookies)

    @property
    def is_served_by_alternative(self) -> bool:
        """Whether another provider than the link's own serves it now."""
        return self.serving_id is not None

    @property
    def provider(self) -> Provider:
        """The provider that serves the link now: its own, or an alternative."""
        source = self if self.serving is None else self.serving
        return Provider(source.base_url, source.prefix, source.remote_set, self.identifiers)

    @property
    def is_relayed(self) -> bool:
        """Whether the provider that serves the link now passes on records of others."""
        return self.kind == Kind.RELAY or self.serving_id is not None

    @property
    def only_reports(self) -> bool:
        """Whether runs store no records: what differs waits for an operator (W42 to W44).

        A link of the kind shared stores none either once records are uploaded into its set at this node.
        """
        return self.kind == Kind.BACKUP or (self.kind == Kind.SHARED and self.local_set.fed_here)

    @property
    def set_facts(self) -> Facts:
        """The facts of a remark, or a fault, about the set that the link asks for."""
        facts = {"set": self.provider.remote_set, "state": str(self.set_state)}
        return facts if self.serving is None else {**facts, "alternative": str(self.serving)}

    @property
    def has_brought_nothing(self) -> bool:
        """Whether no list has had a record until now, though the set is not known to be there, and empty (H13, H17)."""
        return self.harvested_to is not None and self.newest is None and self.set_state != self.SetState.LISTED

    @property
    def remarks(self) -> list[Remark]:
        """What an operator should know of the provider for as long as it is so."""
        found = []
        if self.set_state in (*self.LACKING, self.SetState.UNLISTED):  # H17, H18
            found.append(Remark(RemarkCode.SET_MISSING, self.set_facts))
        elif self.has_brought_nothing:  # H13
            facts = {"set": self.provider.remote_set, "is_set_listed": False}
            found.append(Remark(RemarkCode.LIST_EMPTY, facts))
        if self.from_ignored >= self.FROM_IS_IGNORED:  # F55
            found.append(Remark(RemarkCode.FROM_IGNORED, {"lists": self.from_ignored}))
        return found

    def arrangement(self) -> link_rules.Arrangement:
        """Return what the link harvests, for the rules of `harvester.link_rules`."""
        return link_rules.Arrangement(
            name=self.name,
            kind=self.kind,
            base_url=self.base_url,
            remote_set=self.remote_set,
            local_set=self.local_set.spec,
            local_kind=self.local_set.kind,
            enabled=self.enabled,
            is_fed_here=self.local_set.fed_here,
        )
