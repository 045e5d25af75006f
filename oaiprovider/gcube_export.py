"""Export profiles as the XML file that `gcube_import` reads, and say what such a file cannot express.

What is lost is found by reading the file back: each profile is compared with the one that an import would make of it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext
from lxml import etree

from catalogue.models import MetadataSet, SetInclusion, SetSearch
from oaiprovider import gcube_import
from oaiprovider.gcube_import import NO_SET, ImportedAgent, VirtualSet
from oaiprovider.models import Crosswalk, Profile
from oaiprovider.terms import ANY

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MEMBER_KINDS = (MetadataSet.Kind.OWN, MetadataSet.Kind.PEER, MetadataSet.Kind.SHARED)
# Fields that an import sets; what it leaves as it is in a new profile is lost where it is not the default.
_COMPARED = (
    *("name", "networks", "page_records", "page_headers", "page_sets", "requests_per_minute", "may_be_limited"),
    *("set_tombstones", "repository_name", "admin_emails", "formats"),
)


@dataclass(frozen=True, slots=True)
class Export:
    """The file, the names of the profiles that are in it, and sentences on what is not."""

    document: bytes
    names: tuple[str, ...]
    lost: tuple[str, ...]


def export() -> Export:
    """Export all profiles, in the order of their names."""
    agents: dict[str, ImportedAgent] = {}
    lost = []
    for profile in Profile.objects.prefetch_related("sets"):
        agent = agent_of(profile)
        if agent.name in agents:
            lost.append(
                gettext(
                    "{profile} is left out: the file tells harvesters apart by the first 60 characters of their User-Agent, and another "
                    "profile has the same."
                ).format(profile=profile)
            )
            continue
        agents[agent.name] = agent
        lost += _lost(profile, agent)
    return Export(write(agents.values()), tuple(agents), tuple(lost))


def agent_of(profile: Profile) -> ImportedAgent:
    """Make the user-agent of a profile."""
    sets: list[str] = []
    virtual_sets: list[VirtualSet] = []
    for shown in () if profile.everything else profile.sets.all():
        members = _members(shown)
        if members and shown.name.strip() not in ("", NO_SET):
            virtual_sets.append(VirtualSet(shown.spec, shown.name.strip(), members))
        else:
            sets.append(shown.spec)
    known = Crosswalk.objects.in_bulk(profile.formats, field_name="prefix")
    return ImportedAgent(
        match=ANY if profile.name == ANY else profile.match,
        sets=tuple(sets),
        virtual_sets=tuple(virtual_sets),
        admin_emails=tuple(profile.admin_emails),
        repository_name=profile.repository_name.strip(),
        batch_size="" if profile.page_records is None else str(profile.page_records),
        formats=tuple(
            (prefix, known[prefix].schema, known[prefix].namespace) for prefix in profile.formats if prefix in known
        ),
    )


def write(agents: Iterable[ImportedAgent]) -> bytes:
    """Write user-agents as a file from which `gcube_import.read` reads the same, but for characters that XML cannot have."""
    root = etree.Element("user-agents")
    for agent in agents:
        element = etree.SubElement(root, "user-agent", value=agent.match)
        if agent.sets:
            _add_collections(etree.SubElement(element, "set", name=NO_SET), agent.sets)
        for virtual_set in agent.virtual_sets:
            named = etree.SubElement(element, "set", name=_NOT_XML.sub("", virtual_set.name), id=virtual_set.spec)
            _add_collections(named, virtual_set.members)
        if agent.batch_size:
            etree.SubElement(element, "harvestBatchSize").text = agent.batch_size
        for address in agent.admin_emails:
            etree.SubElement(element, "adminEmail").text = address
        if agent.repository_name:
            etree.SubElement(element, "repositoryName").text = _NOT_XML.sub("", agent.repository_name)
        if agent.formats:
            requested = etree.SubElement(element, "requestedMetadataFormats")
            for prefix, schema, namespace in agent.formats:
                described = etree.SubElement(requested, "metadataFormat")
                etree.SubElement(described, "schemaPrefix").text = prefix
                etree.SubElement(described, "schemaURI").text = schema
                etree.SubElement(described, "schemaNamespace").text = namespace
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)


def _add_collections(element: etree._Element, specs: Iterable[str]) -> None:
    scope = etree.SubElement(element, "scope", name="/")
    for spec in specs:
        collection = etree.SubElement(scope, "collection")
        etree.SubElement(collection, "name").text = spec
        etree.SubElement(collection, "id").text = spec


def _members(shown: MetadataSet) -> tuple[str, ...]:
    """Return the sets that a virtual set is made of, without those below another of them, which come with it.

    One that is defined by a search is a collection itself: the file has no searches.
    """
    if shown.kind != MetadataSet.Kind.VIRTUAL or SetSearch.objects.filter(pk=shown.pk).exists():
        return ()
    specs = _included(shown)
    return tuple(spec for spec in specs if not any(spec.startswith(f"{other}:") for other in specs))


def _included(shown: MetadataSet) -> list[str]:
    included = SetInclusion.objects.filter(parent=shown, child__kind__in=_MEMBER_KINDS)
    return sorted(included.values_list("child__spec", flat=True))


def _lost(profile: Profile, agent: ImportedAgent) -> Iterator[str]:
    """Compare a profile with what an import would make of it in another node."""
    (read,) = gcube_import.read(write([agent]))
    imported = gcube_import.apply(read, Profile(name=read.name))
    for name in _COMPARED:
        before, after = getattr(profile, name), getattr(imported, name)
        if before != after:
            field = Profile._meta.get_field(name)
            text = gettext("{profile}: “{field}” is not in the file as it is here ({here}; after an import: {there}).")
            yield text.format(
                profile=profile, field=getattr(field, "verbose_name", name), here=_say(before), there=_say(after)
            )
    for shown in () if profile.everything else profile.sets.all():
        if shown.spec not in read.visible_sets:
            yield gettext("{profile}: the set {spec} is not in the file.").format(profile=profile, spec=shown.spec)
        for virtual_set in read.virtual_sets:
            if virtual_set.spec == shown.spec:
                yield from _lost_of_set(profile, shown, virtual_set)


def _lost_of_set(profile: Profile, shown: MetadataSet, virtual_set: VirtualSet) -> Iterator[str]:
    if shown.public:
        text = gettext("{profile}: the set {spec} is public here; an import makes it one that only named profiles see.")
        yield text.format(profile=profile, spec=shown.spec)
    if shown.description:
        text = gettext("{profile}: the description of the set {spec} is not in the file.")
        yield text.format(profile=profile, spec=shown.spec)
    prefixes = tuple(f"{spec}:" for spec in virtual_set.members)
    below = {each.spec for each in MetadataSet.objects.filter(kind__in=_MEMBER_KINDS) if each.spec.startswith(prefixes)}
    left_out = sorted(below - set(_included(shown)))
    if left_out:
        text = gettext("{profile}: an import puts {specs} into the set {spec}, too: they are below its members.")
        yield text.format(profile=profile, specs=", ".join(left_out), spec=shown.spec)


def _say(value: object) -> str:
    """Say a value of a profile in a few words."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list):
        return ", ".join(map(str, value)) or gettext("none")
    return gettext("default") if value is None or value == "" else str(value)
