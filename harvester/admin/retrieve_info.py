"""The page "Retrieve info": ask a provider what it is and what it offers, and link to the next steps."""

from typing import Any

from django import forms
from django.contrib.admin.utils import flatten
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.text import slugify
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from catalogue.models import MetadataSet
from harvester.admin import access_form
from harvester.errors import HarvestError
from harvester.link_rules import Identifiers, Kind
from harvester.models import Link
from harvester.protocol import probe

PROVIDER_FIELDS = ("base_url", "prefix", "remote_set", "identifiers")
SEALED_FIELDS = ("sealed_password", "sealed_proxy_password")
COPIED_TO_NEW_LINK = ("user", "proxy", "proxy_user", "post", "user_agent", "sender")
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
        return {"fault": f"{base_url} gave no answer that a link could use: {exc}"}
    return {
        "offer": offer,
        "faults": offer.faults(prefix, remote_set, link.identifiers),
        "agreement": f"A link with the prefix {prefix} and {_describe_set(remote_set)} will work.",
        "clock_warning": _describe_skew(offer.skew_s),
        "identity_table": {"rows": _identity_rows(offer)},
        "formats_table": {
            "headers": ["prefix", "namespace"],
            "rows": [[item.prefix, item.namespace] for item in offer.formats],
        },
        "sets_warning": f"The sets cannot be listed: {offer.sets_fault}",
        "sets_table": {
            "headers": ["setSpec", "name", "local set", ""],
            "rows": _set_rows(link, offer),
        },
    }


def _describe_set(spec: str) -> str:
    return f"the set {spec}" if spec else "all that the provider has"


def _describe_skew(skew_s: float) -> str:
    if abs(skew_s) <= SKEW_WARNING_S:
        return ""
    return (
        f"The provider's clock is {abs(skew_s):.0f} s {'ahead of' if skew_s > 0 else 'behind'} ours. Harvests go by the "
        "provider's clock, so nothing is missed; but one of the two is wrong."
    )


def _identity_rows(offer: probe.Offer) -> list[list[str]]:
    """Rows of name and value, from Identify."""
    identity = offer.identity
    deletions = {
        "no": "no: deletions are not reported; only a comparison finds them",
        "transient": "transient: deletions are reported for a while",
        "persistent": "persistent: every deletion is reported, for ever",
    }
    return [
        ["Repository", identity.repository_name],
        ["Protocol version", identity.protocol_version],
        ["Granularity", identity.granularity.value],
        ["Deleted records", deletions.get(identity.deleted_record, identity.deleted_record or "not said")],
        ["Earliest datestamp", identity.earliest_datestamp],
        ["Clock", f"{offer.skew_s:+.0f} s against ours"],
        ["Sample record", _describe_sample(offer.sample)],
        ["Identifiers", _describe_identifiers(offer.sample)],
        ["ISO 19139 is called", offer.iso_prefix or "not on offer"],
        ["Friends it names", ", ".join(identity.friends) or "none"],
        ["Moved for good to", offer.moved_to or "has not moved"],
        ["Remarks", " ".join(offer.warnings) or "none"],
    ]


def _describe_sample(sample: probe.Sample) -> str:
    text = " ".join(filter(None, (sample.identifier, sample.datestamp, sample.title)))
    return f"{text} ({sample.fault})" if text and sample.fault else text or sample.fault


def _describe_identifiers(sample: probe.Sample) -> str:
    """What a link to this provider should count as identifier, by the first records (H38)."""
    return str(Identifiers(sample.identifiers).label) if sample.identifiers else "not known: no record was seen"


def _set_rows(link: Link, offer: probe.Offer) -> list[list[str]]:
    """A row for each set on offer: the local set of that name, and a link to the next step."""
    offered = [item.prefix for item in offer.formats]
    prefix = link.prefix if link.prefix in offered else offer.iso_prefix or link.prefix
    local_sets = {item.spec: item for item in MetadataSet.objects.all()}
    rows = []
    for item in offer.sets:
        local_set = local_sets.get(item.spec)
        if local_set is None:
            local_name = "none"
            fields = {"spec": item.spec, "name": item.name[:200] or item.spec, "kind": MetadataSet.Kind.PEER}
            step = _anchor("admin:catalogue_metadataset_add", fields, "Add a local set")
        elif local_set.kind in (MetadataSet.Kind.PEER, MetadataSet.Kind.SHARED):
            local_name = local_set.spec
            fields = {"name": _link_name(item.spec), "base_url": link.base_url, "prefix": prefix}
            fields |= {"identifiers": offer.sample.identifiers or link.identifiers}
            fields |= {name: str(value) for name in COPIED_TO_NEW_LINK if (value := getattr(link, name))}
            kind = Kind.SHARED if local_set.kind == MetadataSet.Kind.SHARED else Kind.PEER
            fields |= {"remote_set": item.spec, "local_set": str(local_set.pk), "kind": kind.value}
            step = _anchor("admin:harvester_link_add", fields, "Add a link")
        else:
            local_name = f"{local_set.spec} ({local_set.get_kind_display().partition(':')[0]})"
            step = "not for harvesting"
        rows.append([item.spec, item.name, local_name, step])
    return rows


def _anchor(to: str, query: dict[str, str], text: str) -> str:
    return format_html('<a class="text-link" href="{}?{}">{}</a>', reverse(to), urlencode(query), text)


def _link_name(spec: str) -> str:
    """A short name for the link that harvests this set."""
    return slugify(spec.lower().removeprefix("wis-gisc-").replace(":", "-").replace(".", "-"))[:60]
