"""The page "Retrieve info": ask a provider what it is and what it offers, and link to the next steps."""

from typing import Any

from django import forms
from django.contrib.admin.utils import flatten
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from catalogue.models import MetadataSet
from harvester.admin import access_form
from harvester.admin.add_link.form import GIVEN
from harvester.errors import HarvestError
from harvester.link_rules import Identifiers
from harvester.models import Link
from harvester.protocol import probe

PROVIDER_FIELDS = ("base_url", "prefix", "remote_set", "identifiers")
SEALED_FIELDS = ("sealed_password", "sealed_proxy_password")
SKEW_WARNING_S = 60  # chosen: more than the network and a busy provider explain


class RetrieveInfoForm(access_form.LinkForm):
    """Which provider to ask, with which access, and for which prefix and set."""

    class Meta:
        model = Link
        fields = (
            *PROVIDER_FIELDS,
            *("user", "certificates", "proxy", "proxy_user", "post", "user_agent", "sender"),
        )
        widgets = {
            **dict.fromkeys(fields, UnfoldAdminTextInputWidget),
            "certificates": UnfoldAdminTextareaWidget,
            "post": UnfoldBooleanWidget,
            "identifiers": UnfoldAdminSelectWidget,
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["identifiers"].required = False

    @property
    def provider_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in PROVIDER_FIELDS]

    @property
    def access_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in flatten(access_form.FIELDS)]

    @property
    def shows_access(self) -> bool:
        """Whether the folded part of the page has a value or an error, so that it is opened."""
        return any(field.errors or field.value() for field in self.access_fields)


def form_for(link: Link | None, data: QueryDict | None) -> RetrieveInfoForm:
    """The form; the passwords of a stored link are used, for the same provider and the same proxy."""
    secrets = {} if link is None else {name: getattr(link, name) for name in ("pk", *SEALED_FIELDS)}
    return RetrieveInfoForm(data, instance=Link(**secrets))


def retrieve(link: Link) -> dict[str, Any]:
    """Ask the provider of a link, saved or not; its answers for the page, or the fault."""
    base_url, prefix, remote_set = link.base_url, link.prefix, link.remote_set
    try:
        offer = probe.retrieve_info(base_url, remote_set=remote_set, access=link.access_to_own_provider())
    except (HarvestError, ValueError) as exc:  # ValueError: an address that requests cannot take apart
        return {
            "fault": gettext("{base_url} gave no answer that a link could use: {exc}").format(
                base_url=base_url, exc=exc
            )
        }
    return {
        "offer": offer,
        "faults": offer.faults(prefix, remote_set, link.identifiers),
        "agreement": gettext("A link with the prefix {prefix} and {set} will work.").format(
            prefix=prefix, set=_describe_set(remote_set)
        ),
        "clock_warning": describe_skew(offer.skew_s),
        "identity_table": {"rows": _identity_rows(offer)},
        "formats_table": {
            "headers": ["prefix", "namespace"],
            "rows": [[item.prefix, item.namespace] for item in offer.formats],
        },
        "sets_warning": gettext("The sets cannot be listed: {sets_fault}").format(sets_fault=offer.sets_fault),
        "sets_table": {
            "headers": ["setSpec", "name", gettext("local set"), ""],
            "rows": _set_rows(link, offer),
        },
    }


def _describe_set(spec: str) -> str:
    return gettext("the set {spec}").format(spec=spec) if spec else gettext("all that the provider has")


def describe_skew(skew_s: float) -> str:
    """Return what is to be known of a provider's clock that is wrong; empty if it is right."""
    if abs(skew_s) <= SKEW_WARNING_S:
        return ""
    if skew_s > 0:
        text = gettext(
            "The provider's clock is {seconds:.0f} s ahead of ours. Harvests go by the provider's clock, so nothing is missed; "
            "but one of the two is wrong."
        )
    else:
        text = gettext(
            "The provider's clock is {seconds:.0f} s behind ours. Harvests go by the provider's clock, so nothing is missed; "
            "but one of the two is wrong."
        )
    return text.format(seconds=abs(skew_s))


def _identity_rows(offer: probe.Offer) -> list[list[str]]:
    """Rows of name and value, from Identify."""
    identity = offer.identity
    deletions = {
        "no": gettext("no: deletions are not reported; only a comparison finds them"),
        "transient": gettext("transient: deletions are reported for a while"),
        "persistent": gettext("persistent: every deletion is reported, for ever"),
    }
    return [
        [gettext("Repository"), identity.repository_name],
        [gettext("Protocol version"), identity.protocol_version],
        [gettext("Granularity"), identity.granularity.value],
        [
            gettext("Deleted records"),
            deletions.get(identity.deleted_record, identity.deleted_record or gettext("not said")),
        ],
        [gettext("Earliest datestamp"), identity.earliest_datestamp],
        ["Clock", gettext("{skew_s:+.0f} s against ours").format(skew_s=offer.skew_s)],
        [gettext("Sample record"), _describe_sample(offer.sample)],
        ["Identifiers", _describe_identifiers(offer.sample)],
        [gettext("ISO 19139 is called"), offer.iso_prefix or gettext("not on offer")],
        [gettext("Friends it names"), ", ".join(identity.friends) or "none"],
        [gettext("Moved for good to"), offer.moved_to or gettext("has not moved")],
        ["Remarks", " ".join(offer.warnings) or "none"],
    ]


def _describe_sample(sample: probe.Sample) -> str:
    text = " ".join(filter(None, (sample.identifier, sample.datestamp, sample.title)))
    return f"{text} ({sample.fault})" if text and sample.fault else text or sample.fault


def _describe_identifiers(sample: probe.Sample) -> str:
    """What a link to this provider should count as identifier, by the first records (H38)."""
    return (
        str(Identifiers(sample.identifiers).label) if sample.identifiers else gettext("not known: no record was seen")
    )


def _set_rows(link: Link, offer: probe.Offer) -> list[list[str]]:
    """A row for each set on offer: the local set of that name, and a link to the page that adds a link."""
    local_sets = {item.spec: item for item in MetadataSet.objects.all()}
    rows = []
    for item in offer.sets:
        local_set = local_sets.get(item.spec)
        kind = "" if local_set is None else f" ({local_set.get_kind_display().partition(':')[0]})"
        step = gettext("not for harvesting")
        if local_set is None or local_set.kind in (MetadataSet.Kind.PEER, MetadataSet.Kind.SHARED):
            given = {"base_url": link.base_url, "set": item.spec}
            given |= {name: str(value) for name in GIVEN if (value := getattr(link, name))}
            step = _anchor("admin:harvester_link_add", given, gettext("Add a link"))
        rows.append([item.spec, item.name, "none" if local_set is None else f"{local_set.spec}{kind}", step])
    return rows


def _anchor(to: str, query: dict[str, str], text: str) -> str:
    return format_html('<a class="text-link" href="{}?{}">{}</a>', reverse(to), urlencode(query), text)
