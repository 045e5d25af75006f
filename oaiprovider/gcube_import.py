"""Import profiles from the XML file of a gCube provider (G16): all are read and checked before any is stored.

    user-agents / user-agent[@value] / set[@name, @id] / scope / collection / (name, id)
                                     / harvestBatchSize, adminEmail, repositoryName
                                     / requestedMetadataFormats / metadataFormat / (schemaPrefix, schemaURI, schemaNamespace)

The id of a collection is the setSpec of a set of this catalogue; scopes are ignored. A set becomes a virtual set of its
collections, unless its name is NO_SET: then the collections are the harvester's sets themselves (G4, G5).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext
from lxml import etree

from catalogue import oai
from catalogue.documents import xml_tree
from catalogue.models import MetadataSet, SetInclusion
from catalogue.reasons import ActRefused, Reason
from catalogue.writing import set_inclusion
from oaiprovider import builtin_formats
from oaiprovider.models import Crosswalk, Profile
from oaiprovider.reasons import InputCode
from oaiprovider.terms import ANY

NO_SET = "NO_SET"


@dataclass(frozen=True, slots=True)
class VirtualSet:
    """A virtual set of the file: `members` are the setSpecs of its collections."""

    spec: str
    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportedAgent:
    """One user-agent of the file. `sets`: the setSpecs of its sets that are not virtual."""

    match: str
    sets: tuple[str, ...]
    virtual_sets: tuple[VirtualSet, ...]
    admin_emails: tuple[str, ...] = ()
    repository_name: str = ""
    batch_size: str = ""
    formats: tuple[tuple[str, str, str], ...] = ()

    @property
    def name(self) -> str:
        return self.match[:60]

    @property
    def visible_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.sets, *(virtual_set.spec for virtual_set in self.virtual_sets))))


@dataclass(slots=True)
class ImportReport:
    """What an import changes, or would change: names of profiles and setSpecs."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    virtual_sets: list[str] = field(default_factory=list)


def read(document: bytes) -> list[ImportedAgent]:
    """Read the user-agents of a file. Raises ActRefused with a sentence for the operator."""
    if xml_tree.has_doctype(document):
        raise ActRefused(Reason(InputCode.FILE_DOCTYPE))
    try:
        xml_tree.check_complexity(document)
        root = etree.fromstring(document, xml_tree.parsers.strict)
    except xml_tree.Unusable as exc:
        raise ActRefused(exc.reason) from exc
    except etree.XMLSyntaxError as exc:
        raise ActRefused(Reason(InputCode.FILE_ILL_FORMED, {"error": exc.msg})) from exc
    agents = [root] if root.tag == "user-agent" else root.findall("user-agent")
    if root.tag not in ("user-agents", "user-agent") or not agents:
        raise ActRefused(Reason(InputCode.FILE_ROOT, {"root": root.tag}))
    return [_agent(agent) for agent in agents]


def _agent(agent: etree._Element) -> ImportedAgent:
    sets: list[str] = []
    virtual_sets = []
    for element in agent.findall("set"):
        collections = tuple(dict.fromkeys(_child_text(found, "id") for found in element.iter("collection")))
        name = element.get("name", "").strip()
        if name in ("", NO_SET):
            sets += collections
        else:
            virtual_sets.append(VirtualSet(element.get("id", "").strip() or name, name, collections))
    return ImportedAgent(
        match=agent.get("value", ""),
        sets=tuple(sets),
        virtual_sets=tuple(virtual_sets),
        admin_emails=tuple(filter(None, map(_text, agent.findall("adminEmail")))),
        repository_name=_child_text(agent, "repositoryName"),
        batch_size=_child_text(agent, "harvestBatchSize"),
        formats=tuple(
            (_child_text(found, "schemaPrefix"), _child_text(found, "schemaURI"), _child_text(found, "schemaNamespace"))
            for found in agent.iterfind("requestedMetadataFormats/metadataFormat")
        ),
    )


def _child_text(element: etree._Element, name: str) -> str:
    child = element.find(name)
    return "" if child is None else _text(child)


def _text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext())).strip()


def store(agents: Iterable[ImportedAgent], *, dry_run: bool = False) -> ImportReport:
    """Add or change the profiles with these names. Raises ValidationError before anything is stored.

    An existing profile keeps its networks and its rate limit, which the file does not have.
    """
    agents = list(agents)
    profiles = [_profile(agent) for agent in agents]
    faults = [fault for agent, profile in zip(agents, profiles, strict=True) for fault in _faults(agent, profile)]
    names = [profile.name for profile in profiles]
    faults += [
        gettext("{name}: is in the file more than once.").format(name=name)
        for name in sorted({n for n in names if names.count(n) > 1})
    ]
    if faults:
        raise ValidationError(faults)
    report = ImportReport(
        added=[profile.name for profile in profiles if profile.pk is None],
        changed=[profile.name for profile in profiles if profile.pk is not None],
        virtual_sets=sorted({virtual_set.spec for agent in agents for virtual_set in agent.virtual_sets}),
    )
    if dry_run:
        return report
    for agent in agents:
        for virtual_set in agent.virtual_sets:
            # In its own transactions, so that the writers' lock is taken for one batch at a time.
            _store_virtual_set(virtual_set)
    with transaction.atomic():
        for agent, profile in zip(agents, profiles, strict=True):
            profile.save()
            profile.sets.set(MetadataSet.objects.filter(spec__in=agent.visible_sets))
    return report


def _profile(agent: ImportedAgent) -> Profile:
    """Make the profile: that of this name or, if there is none, the only one for this User-Agent. Nothing is stored."""
    profile = Profile.objects.filter(name=agent.name).first()
    if profile is None:
        for_it = list(Profile.objects.filter(match=agent.match).exclude(name=ANY)[:2])
        profile = for_it[0] if len(for_it) == 1 else Profile(name=agent.name)
    return apply(agent, profile)


def apply(agent: ImportedAgent, profile: Profile) -> Profile:
    """Set the fields of a profile that the file has, all but its sets; return it."""
    profile.match = "" if agent.match == ANY else agent.match
    profile.everything = not agent.visible_sets
    size = int(agent.batch_size) if agent.batch_size.isascii() and agent.batch_size.isdigit() else None
    profile.page_records = profile.page_headers = size
    profile.repository_name = agent.repository_name
    profile.admin_emails = list(agent.admin_emails)
    profile.formats = [prefix for prefix, _, _ in agent.formats if _is_not_for_everybody(prefix)]
    return profile


def _is_not_for_everybody(prefix: str) -> bool:
    """Whether a harvester gets this format only if its profile names it (G9)."""
    return (
        prefix not in builtin_formats.FORMATS
        and not Crosswalk.objects.filter(prefix=prefix, for_everybody=True).exists()
    )


def _faults(agent: ImportedAgent, profile: Profile) -> Iterator[str]:
    """List why a user-agent cannot be served here, as sentences that name it."""
    try:
        profile.full_clean()
    except ValidationError as exc:
        yield from (f"{agent.name}: {message}" for message in exc.messages)
    if agent.batch_size and profile.page_records is None:
        yield gettext("{name}: harvestBatchSize is {size!r}; write a number from 1 to 10000.").format(
            name=agent.name, size=agent.batch_size
        )
    for prefix, schema, namespace in agent.formats:
        crosswalk = Crosswalk.objects.filter(prefix=prefix).first()
        if crosswalk is not None and (crosswalk.schema, crosswalk.namespace) != (schema, namespace):
            yield gettext("{name}: {prefix} is here the format of {namespace} with the schema {schema}.").format(
                name=agent.name, prefix=prefix, namespace=crosswalk.namespace, schema=crosswalk.schema
            )
    if agent.match == ANY and agent.visible_sets and not _shows_own_set(agent):
        text = gettext("{name}: name our own set too: peer GISCs are served by {name}, and harvest it.")  # G17
        yield text.format(name=ANY)
    named = (*agent.sets, *(spec for virtual_set in agent.virtual_sets for spec in virtual_set.members))
    known_specs = set(MetadataSet.objects.filter(spec__in=named).values_list("spec", flat=True))
    for spec in dict.fromkeys(named):
        if spec not in known_specs:
            yield gettext("{name}: there is no set {spec} here; add it, or write its setSpec.").format(
                name=agent.name, spec=spec or gettext("(a collection without id)")
            )
    for virtual_set in agent.virtual_sets:
        yield from (f"{agent.name}: {fault}" for fault in _faults_of_set(virtual_set))


def _shows_own_set(agent: ImportedAgent) -> bool:
    return MetadataSet.objects.filter(kind=MetadataSet.Kind.OWN, spec__in=agent.sets).exists()


def _faults_of_set(virtual_set: VirtualSet) -> Iterator[str]:
    if not oai.is_set_spec(virtual_set.spec):
        text = gettext("{spec!r} is no setSpec: letters, digits and -_.!~*'() with single colons between.")  # P72
        yield text.format(spec=virtual_set.spec)
    if not virtual_set.members:
        yield gettext("the set {spec} has no collection.").format(spec=virtual_set.spec)
    existing = MetadataSet.objects.filter(spec=virtual_set.spec).first()
    if existing is not None and existing.kind != MetadataSet.Kind.VIRTUAL:
        yield gettext(
            "{spec} is here a set of the kind {kind}, which cannot have other sets as members; give this set another name."
        ).format(spec=virtual_set.spec, kind=existing.kind)
    unfit = MetadataSet.objects.filter(
        spec__in=virtual_set.members, kind__in=(MetadataSet.Kind.VIRTUAL, MetadataSet.Kind.CATALOGUE)
    )
    for member in unfit:
        text = gettext("{spec} is of the kind {kind}; the members of a virtual set are own, peer and shared sets.")
        yield text.format(spec=member, kind=member.kind)


def _store_virtual_set(virtual_set: VirtualSet) -> None:
    """Add the virtual set or change it to exactly these members. A new one is hidden: only named profiles see it."""
    is_new = not MetadataSet.objects.filter(spec=virtual_set.spec).exists()
    parent = set_inclusion.ensure_set(virtual_set.spec, name=virtual_set.name, kind=MetadataSet.Kind.VIRTUAL)
    if is_new:
        MetadataSet.objects.filter(pk=parent.pk).update(public=False)
    members = list(MetadataSet.objects.filter(spec__in=virtual_set.members))
    # A set below a member belongs to it, and one below the virtual set to that.
    prefixes = tuple(f"{spec}:" for spec in (*virtual_set.members, virtual_set.spec))
    included = MetadataSet.objects.filter(pk__in=SetInclusion.objects.filter(parent=parent).values("child"))
    set_inclusion.exclude(
        parent, [child for child in included if child not in members and not child.spec.startswith(prefixes)]
    )
    set_inclusion.include(parent, members)
