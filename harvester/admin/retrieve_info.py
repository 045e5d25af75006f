"""What the page "Retrieve info" shows of a provider: what it is, what it offers, and where to go on from there."""

from typing import Any

from django import forms
from django.contrib.admin.utils import flatten
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.text import slugify
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from catalogue.models import MetadataSet
from harvester.admin import access_form
from harvester.errors import HarvestError
from harvester.link_rules import Kind
from harvester.models import Link
from harvester.protocol import probe

PROVIDER = ("base_url", "prefix", "remote_set")
SEALED = ("sealed_password", "sealed_proxy_password")
CARRIED = ("user", "proxy", "proxy_user", "post", "user_agent", "sender")  # to the form of a new link
BAD_SKEW_S = 60  # chosen: more than the network and a busy provider explain


class LookForm(access_form.LinkForm):
    """Which provider to ask, how, and what a link would want of it."""

    class Meta:
        model = Link
        fields = (
            *("base_url", "prefix", "remote_set"),
            *("user", "certificates", "proxy", "proxy_user", "post", "user_agent", "sender"),
        )
        widgets = {
            **dict.fromkeys(fields, UnfoldAdminTextInputWidget),
            "certificates": UnfoldAdminTextareaWidget,
            "post": UnfoldBooleanWidget,
        }

    @property
    def provider_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in PROVIDER]

    @property
    def access_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in flatten(access_form.FIELDS)]

    @property
    def shows_access(self) -> bool:
        """Whether there is anything to see in the part of the page that is folded otherwise."""
        return any(field.errors or field.value() for field in self.access_fields)


def form_for(held: Link | None, data: QueryDict | None) -> LookForm:
    """The form; where a link is `held`, its passwords are used, for the same provider and the same proxy."""
    secrets = {} if held is None else {name: getattr(held, name) for name in ("pk", *SEALED)}
    return LookForm(data, instance=Link(**secrets))


def ask(asked: Link) -> dict[str, Any]:
    """What the page shows of the answers of a link's provider, or the fault that there were none."""
    base_url, prefix, remote_set = asked.base_url, asked.prefix, asked.remote_set
    try:
        offer = probe.retrieve_info(base_url, remote_set=remote_set, access=asked.access_to_own_provider())
    except (HarvestError, ValueError) as exc:  # ValueError: an address that requests cannot take apart
        return {"fault": f"{base_url} gave no answer that a link could use: {exc}"}
    return {
        "offer": offer,
        "faults": offer.faults(prefix, remote_set),
        "agreement": f"A link with the prefix {prefix} and {_set_in_words(remote_set)} will work.",
        "clock_warning": _clock_warning(offer.skew_s),
        "identity_table": {"rows": _identity_rows(offer)},
        "formats_table": {
            "headers": ["prefix", "namespace"],
            "rows": [[item.prefix, item.namespace] for item in offer.formats],
        },
        "sets_warning": f"The sets cannot be listed: {offer.sets_fault}",
        "sets_table": {
            "headers": ["setSpec", "name", "local set", ""],
            "rows": _set_rows(asked, offer),
        },
    }


def _set_in_words(spec: str) -> str:
    return f"the set {spec}" if spec else "all that the provider has"


def _clock_warning(skew_s: float) -> str:
    if abs(skew_s) <= BAD_SKEW_S:
        return ""
    return (
        f"The provider's clock is {abs(skew_s):.0f} s {'ahead of' if skew_s > 0 else 'behind'} ours. Harvests go by the "
        "provider's clock, so nothing is missed; but one of the two is wrong."
    )


def _identity_rows(offer: probe.Offer) -> list[list[str]]:
    """What Identify says, in words."""
    identity = offer.identity
    deletions = {
        "no": "no: deletions are not told; only a comparison finds them",
        "transient": "transient: deletions are told for a while",
        "persistent": "persistent: every deletion is told, for ever",
    }
    return [
        ["Repository", identity.repository_name],
        ["Protocol version", identity.protocol_version],
        ["Granularity", identity.granularity.value],
        ["Deleted records", deletions.get(identity.deleted_record, identity.deleted_record or "not said")],
        ["Earliest datestamp", identity.earliest_datestamp],
        ["Clock", f"{offer.skew_s:+.0f} s against ours"],
        ["Sample record", _sample_in_words(offer.sample)],
        ["ISO 19139 is called", offer.iso_prefix or "not on offer"],
        ["Friends it names", ", ".join(identity.friends) or "none"],
        ["Moved for good to", offer.moved_to or "has not moved"],
        ["Remarks", " ".join(offer.warnings) or "none"],
    ]


def _sample_in_words(sample: probe.Sample) -> str:
    told = " ".join(filter(None, (sample.identifier, sample.datestamp, sample.title)))
    return f"{told} ({sample.fault})" if told and sample.fault else told or sample.fault


def _set_rows(asked: Link, offer: probe.Offer) -> list[list[str]]:
    """A row for each set on offer: the local set of that name, and where to go on from here."""
    offered = [item.prefix for item in offer.formats]
    prefix = asked.prefix if asked.prefix in offered else offer.iso_prefix or asked.prefix
    local = {item.spec: item for item in MetadataSet.objects.all()}
    rows = []
    for item in offer.sets:
        held = local.get(item.spec)
        if held is None:
            there = "none"
            fields = {"spec": item.spec, "name": item.name[:200] or item.spec, "kind": MetadataSet.Kind.PEER}
            step = _anchor("admin:catalogue_metadataset_add", fields, "Add a local set")
        elif held.kind in (MetadataSet.Kind.PEER, MetadataSet.Kind.SHARED):
            there = held.spec
            fields = {"name": _link_name(item.spec), "base_url": asked.base_url, "prefix": prefix}
            fields |= {name: str(value) for name in CARRIED if (value := getattr(asked, name))}
            kind = Kind.SHARED if held.kind == MetadataSet.Kind.SHARED else Kind.PEER
            fields |= {"remote_set": item.spec, "local_set": str(held.pk), "kind": kind.value}
            step = _anchor("admin:harvester_link_add", fields, "Add a link")
        else:
            there, step = f"{held.spec} ({held.get_kind_display().partition(':')[0]})", "not for harvesting"
        rows.append([item.spec, item.name, there, step])
    return rows


def _anchor(to: str, query: dict[str, str], text: str) -> str:
    return format_html('<a class="text-link" href="{}?{}">{}</a>', reverse(to), urlencode(query), text)


def _link_name(spec: str) -> str:
    """A short name for the link that harvests this set."""
    return slugify(spec.lower().removeprefix("wis-gisc-").replace(":", "-").replace(".", "-"))[:60]
