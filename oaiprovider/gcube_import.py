"""Profiles from the XML form in which the gCube provider keeps them (G16): read, checked as a whole, then stored.

    user-agents / user-agent[@value] / set[@name, @id] / scope / collection / (name, id)
                                     / harvestBatchSize, adminEmail, repositoryName
                                     / requestedMetadataFormats / metadataFormat / (schemaPrefix, schemaURI, schemaNamespace)

A collection is a set of this catalogue, by its setSpec; scopes say nothing here. A set is a virtual set of these
collections, unless it is called NO_SET: then the collections are the harvester's sets themselves (G4, G5).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from lxml import etree

from catalogue import oai
from catalogue.documents import xml_tree
from catalogue.models import MetadataSet, SetInclusion
from catalogue.writing import set_inclusion
from oaiprovider import builtin_formats
from oaiprovider.models import Crosswalk, Profile
from oaiprovider.terms import ANY

NO_SET = "NO_SET"


@dataclass(frozen=True, slots=True)
class VirtualSet:
    """A set of a profile that stands for collections."""

    spec: str
    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """One user-agent of the file. `sets`: setSpecs that it is shown as they are."""

    match: str
    sets: tuple[str, ...]
    virtual: tuple[VirtualSet, ...]
    admin_emails: tuple[str, ...] = ()
    repository_name: str = ""
    batch: str = ""
    formats: tuple[tuple[str, str, str], ...] = ()

    @property
    def name(self) -> str:
        return self.match[:60]

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.sets, *(union.spec for union in self.virtual))))


@dataclass(slots=True)
class Report:
    """What an import does, or would do: names of profiles and setSpecs."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    virtual_sets: list[str] = field(default_factory=list)


def read(document: bytes) -> list[Imported]:
    """The user-agents of a file. Raises ValueError with a sentence."""
    if xml_tree.has_doctype(document):
        raise ValueError("The file has a DOCTYPE; remove it.")
    try:
        root = etree.fromstring(document, xml_tree.parsers.strict)
    except etree.XMLSyntaxError as exc:
        raise ValueError(f"The file is not well-formed XML: {exc.msg}.") from exc
    agents = [root] if root.tag == "user-agent" else root.findall("user-agent")
    if root.tag not in ("user-agents", "user-agent") or not agents:
        raise ValueError(f"The root of the file is {root.tag}; it must be user-agents, with at least one user-agent.")
    return [_agent(agent) for agent in agents]


def _agent(agent: etree._Element) -> Imported:
    plain: list[str] = []
    virtual = []
    for one in agent.findall("set"):
        collections = tuple(dict.fromkeys(_text(found, "id") for found in one.iter("collection")))
        name = one.get("name", "").strip()
        if name in ("", NO_SET):
            plain += collections
        else:
            virtual.append(VirtualSet(one.get("id", "").strip() or name, name, collections))
    return Imported(
        match=agent.get("value", ""),
        sets=tuple(plain),
        virtual=tuple(virtual),
        admin_emails=tuple(filter(None, map(_said, agent.findall("adminEmail")))),
        repository_name=_text(agent, "repositoryName"),
        batch=_text(agent, "harvestBatchSize"),
        formats=tuple(
            (_text(found, "schemaPrefix"), _text(found, "schemaURI"), _text(found, "schemaNamespace"))
            for found in agent.iterfind("requestedMetadataFormats/metadataFormat")
        ),
    )


def _text(element: etree._Element, name: str) -> str:
    found = element.find(name)
    return "" if found is None else _said(found)


def _said(element: etree._Element) -> str:
    return "".join(map(str, element.itertext())).strip()


def store(agents: Iterable[Imported], *, dry_run: bool = False) -> Report:
    """Add or change the profiles of these names; others stay as they are. Raises ValidationError, having stored nothing.

    A profile that is there keeps its networks and its pace, of which the form says nothing.
    """
    agents = list(agents)
    profiles = [_profile(agent) for agent in agents]
    faults = [fault for agent, profile in zip(agents, profiles, strict=True) for fault in _faults(agent, profile)]
    names = [agent.name for agent in agents]
    faults += [
        f"{name}: stands in the file more than once." for name in sorted({n for n in names if names.count(n) > 1})
    ]
    if faults:
        raise ValidationError(faults)
    report = Report(
        added=[profile.name for profile in profiles if profile.pk is None],
        changed=[profile.name for profile in profiles if profile.pk is not None],
        virtual_sets=sorted({union.spec for agent in agents for union in agent.virtual}),
    )
    if dry_run:
        return report
    for agent in agents:
        for union in agent.virtual:
            _make(union)  # in transactions of its own, so that the writers' lock is held for a batch at a time
    with transaction.atomic():
        for agent, profile in zip(agents, profiles, strict=True):
            profile.save()
            profile.sets.set(MetadataSet.objects.filter(spec__in=agent.shown))
    return report


def _profile(agent: Imported) -> Profile:
    """The profile as it is to be; nothing is stored."""
    is_any = agent.match == ANY
    profile = Profile.objects.filter(name=agent.name).first() or Profile(name=agent.name)
    profile.match = "" if is_any else agent.match
    profile.everything = not agent.shown
    size = int(agent.batch) if agent.batch.isascii() and agent.batch.isdigit() else None
    profile.page_records = profile.page_headers = size
    profile.repository_name = agent.repository_name
    profile.admin_emails = list(agent.admin_emails)
    profile.formats = [prefix for prefix, _, _ in agent.formats if _is_for_some(prefix)]
    return profile


def _is_for_some(prefix: str) -> bool:
    """Whether a profile has to name this format; those for everybody it has anyway (G9)."""
    return (
        prefix not in builtin_formats.FORMATS
        and not Crosswalk.objects.filter(prefix=prefix, for_everybody=True).exists()
    )


def _faults(agent: Imported, profile: Profile) -> Iterator[str]:
    """What of a user-agent cannot be served here, each as a sentence that names it."""
    try:
        profile.full_clean()
    except ValidationError as exc:
        yield from (f"{agent.name}: {said}" for said in exc.messages)
    if agent.batch and profile.page_records is None:
        yield f"{agent.name}: harvestBatchSize is {agent.batch!r}; write a number from 1 to 10000."
    for prefix, schema, namespace in agent.formats:
        known = Crosswalk.objects.filter(prefix=prefix).first()
        if known is not None and (known.schema, known.namespace) != (schema, namespace):
            yield f"{agent.name}: {prefix} is here the format of {known.namespace} with the schema {known.schema}."
    if agent.match == ANY and agent.shown and not _shows_own_set(agent):
        yield f"{ANY}: name our own set too: peer GISCs are served by {ANY}, and harvest it (G17)."
    named = (*agent.sets, *(member for union in agent.virtual for member in union.members))
    known_specs = set(MetadataSet.objects.filter(spec__in=named).values_list("spec", flat=True))
    for spec in dict.fromkeys(named):
        if spec not in known_specs:
            yield f"{agent.name}: there is no set {spec or '(a collection without id)'} here; add it, or write its setSpec."
    for union in agent.virtual:
        yield from (f"{agent.name}: {fault}" for fault in _faults_of_union(union))


def _shows_own_set(agent: Imported) -> bool:
    return MetadataSet.objects.filter(kind=MetadataSet.Kind.OWN, spec__in=agent.sets).exists()


def _faults_of_union(union: VirtualSet) -> Iterator[str]:
    if not oai.is_set_spec(union.spec):
        yield f"{union.spec!r} is no setSpec: letters, digits and -_.!~*'() with single colons between (P72)."
    if not union.members:
        yield f"the set {union.spec} has no collection."
    held = MetadataSet.objects.filter(spec=union.spec).first()
    if held is not None and held.kind != MetadataSet.Kind.VIRTUAL:
        yield f"{union.spec} is here a set of the kind {held.kind}, which is not made of others; call the set otherwise."
    unfit = MetadataSet.objects.filter(
        spec__in=union.members, kind__in=(MetadataSet.Kind.VIRTUAL, MetadataSet.Kind.CATALOGUE)
    )
    for member in unfit:
        yield f"{member} is of the kind {member.kind}; a virtual set is made of own, peer and shared sets."


def _make(union: VirtualSet) -> None:
    """The virtual set, of exactly these members. It is for those whose profile names it: a new one is hidden."""
    is_new = not MetadataSet.objects.filter(spec=union.spec).exists()
    made = set_inclusion.ensure_set(union.spec, name=union.name, kind=MetadataSet.Kind.VIRTUAL)
    if is_new:
        MetadataSet.objects.filter(pk=made.pk).update(public=False)
    members = list(MetadataSet.objects.filter(spec__in=union.members))
    below = tuple(f"{spec}:" for spec in union.members)
    included = MetadataSet.objects.filter(pk__in=SetInclusion.objects.filter(parent=made).values("child"))
    set_inclusion.exclude(made, [one for one in included if one not in members and not one.spec.startswith(below)])
    set_inclusion.include(made, members)
