"""Preview what a harvester would get, and what not, each with the reason; its answers as they would be sent. Writes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext, gettext_noop
from lxml import etree

from catalogue import datestamps, oai
from catalogue.models import MetadataSet, Record
from catalogue.reading import lists, stats
from catalogue.reading.scopes import Scope
from oaiprovider import verbs, views
from oaiprovider.formats import supported
from oaiprovider.formats.sandbox import SandboxBusy
from oaiprovider.models import Crosswalk, Profile
from oaiprovider.protocol import arguments, compression
from oaiprovider.protocol.errors import ReplicaLags
from oaiprovider.terms import ANY, Candidate, Terms, choose_profile, why_not

_OAI = f"{{{oai.OAI_NS}}}"
CHOSEN = gettext_noop("Chosen.")
FIRST = 10  # chosen: entries of the list of everything that are shown


class TryAgain(Exception):
    """There is no answer now; the text says why."""


@dataclass(frozen=True, slots=True)
class ProfileReason:
    """A profile, and why it was chosen or not."""

    profile: Profile
    reason: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The terms and answers of a harvester: Identify as XML, formats and sets as rows of texts.

    `sets_fault` is the error that ListSets answers instead of sets; `more_sets`: its first page is not all.
    """

    candidates: list[ProfileReason]
    terms: Terms
    identify: bytes
    formats: list[list[str]]
    sets: list[list[str]]
    sets_fault: str
    more_sets: bool


def preview(user_agent: str, address: str) -> Preview:
    """Build the answers that a harvester with this User-Agent and address would get."""
    profiles = list(Profile.objects.all())
    chosen = choose_profile((profile.candidate for profile in profiles), user_agent, address)
    terms = Profile.objects.terms_for(user_agent, address)
    sets = _answer("ListSets", terms)
    formats = _answer("ListMetadataFormats", terms)
    error = sets.find(f"{_OAI}error")
    identify = _answer("Identify", terms).find(f"{_OAI}Identify")
    assert identify is not None  # there is no argument that could be refused
    return Preview(
        candidates=[ProfileReason(profile, _reason(profile, chosen, user_agent, address)) for profile in profiles],
        terms=terms,
        identify=etree.tostring(identify),
        formats=[
            _texts(line, "metadataPrefix", "metadataNamespace", "schema")
            for line in formats.iter(f"{_OAI}metadataFormat")
        ],
        sets=[[*_texts(line, "setSpec", "setName"), _description(line)] for line in sets.iter(f"{_OAI}set")],
        sets_fault="" if error is None else error.text or "",
        more_sets=bool(sets.findtext(f"{_OAI}ListSets/{_OAI}resumptionToken")),
    )


@dataclass(frozen=True, slots=True)
class Content:
    """What a harvester sees of the catalogue: sets with their live records, and what it does not see, with reasons.

    `entries`: how many a list of everything has, deleted ones too. `first`: rows of the first entries of such a list.
    """

    sets: list[tuple[str, str, int]]
    hidden_sets: list[tuple[str, int, str]]
    hidden_formats: list[tuple[str, str]]
    entries: int
    first: list[list[str]]


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """The answer to one request: its URL, the document, and what is to be known of the record that was asked for."""

    url: str
    document: bytes
    of_record: str


def content(terms: Terms) -> Content:
    """Read what a harvester on these terms sees of the catalogue, and what not."""
    seen, stored = stats.by_set_for(terms.scope), stats.live_by_set(with_hidden=True)
    visible = lists.visible_sets(terms.scope)
    known = {each.pk for each in visible}
    offered = [each.prefix for each in supported.offered(terms.formats)]
    first = _answer("ListIdentifiers", terms, metadataPrefix=oai.ISO19139)
    return Content(
        sets=[(each.spec, each.name, seen[each.spec]["live"] if each.spec in seen else 0) for each in visible],
        hidden_sets=[
            (each.spec, stored.get(_list_id(each), 0), _why_hidden(each, terms, known))
            for each in MetadataSet.objects.exclude(pk__in=known)
        ],
        hidden_formats=[
            (each.prefix, _why_not_offered(each)) for each in Crosswalk.objects.exclude(prefix__in=offered)
        ],
        entries=lists.count(lists.Window(None, None, _end_of_list()), terms.scope),
        first=[
            [header.findtext(f"{_OAI}identifier") or "", header.findtext(f"{_OAI}datestamp") or "", _state(header)]
            for header in list(first.iter(f"{_OAI}header"))[:FIRST]
        ],
    )


def ask(given: Mapping[str, str], terms: Terms) -> LiveAnswer:
    """Ask one request as a harvester on these terms. Raises TryAgain if there is no answer now."""
    query = urlencode([(name, value) for name, value in given.items() if value])
    try:
        with translation.override(settings.LANGUAGE_CODE):  # as a harvester gets it, and with the same lines in the log
            answer = views.answer(arguments.split(query.encode()), terms)
        document = compression.encode(answer.document, compression.IDENTITY)
    except (SandboxBusy, ReplicaLags) as exc:
        raise TryAgain(str(exc)) from exc
    of_record = explain(given["identifier"], terms.scope) if given.get("identifier") else ""
    return LiveAnswer(f"{verbs.base_url()}?{query}", document, of_record)


def explain(identifier: str, scope: Scope) -> str:
    """Say whether a harvester sees a record, and if not, why."""
    seen, stored = lists.find(identifier, scope), Record.objects.named(identifier).first()
    named = {"identifier": identifier}
    if stored is None:
        return gettext("There is no record {identifier} in the catalogue, live or deleted.").format_map(named)
    if seen is None:
        text = gettext(
            "The record {identifier} is there, but in none of the sets that this harvester is shown: it is in {sets}."
        )
        return text.format(sets=", ".join(stored.set_specs) or gettext("sets that are hidden"), **named)
    if seen.deleted and not stored.deleted:
        return gettext(
            "The record {identifier} lives, but has left the sets that this harvester is shown: it comes as deleted."
        ).format_map(named)
    if seen.deleted:
        return gettext("The record {identifier} is deleted; this harvester is told of it.").format_map(named)
    return gettext("This harvester sees the record {identifier}.").format_map(named)


def _list_id(metadata_set: MetadataSet) -> int:
    """Return the id of the set's list in `ListSize`."""
    return 0 if metadata_set.kind == MetadataSet.Kind.CATALOGUE else metadata_set.pk


def _end_of_list() -> datetime:
    """Return the end of a list that begins now, as `verbs` has it."""
    return datestamps.end_of(lists.instant(), datestamps.Granularity.SECOND)


def _why_hidden(metadata_set: MetadataSet, terms: Terms, visible: set[int]) -> str:
    around = metadata_set.included_in.filter(parent__in=visible).values_list("parent__spec", flat=True)
    if around:
        return gettext("its records come in {specs}").format(specs=", ".join(sorted(around)))
    if terms.scope.sets is None:
        return gettext("it is not public: only profiles that name it show it")
    if terms.scope.whole:
        return gettext("not among the sets of the profile {name}; its records come in {whole}").format(
            name=terms.name, whole=oai.CATALOGUE_SET
        )
    return gettext("not among the sets of the profile {name}").format(name=terms.name)


def _why_not_offered(crosswalk: Crosswalk) -> str:
    if not crosswalk.enabled:
        return gettext("not offered yet") if crosswalk.changed is None else gettext("withdrawn")
    return gettext("only for profiles that name it among their further formats")


def _state(header: etree._Element) -> str:
    return gettext("deleted") if header.get("status") == "deleted" else gettext("live")


def _reason(profile: Profile, chosen: Candidate | None, user_agent: str, address: str) -> str:
    if chosen is not None and profile.name == chosen.name:
        return gettext(CHOSEN)
    reason = why_not(profile.candidate, user_agent, address)
    return reason or gettext("It fits too, but {name} comes first.").format(name=chosen.name if chosen else ANY)


def _answer(verb: str, terms: Terms, **given: str) -> etree._Element:
    answer = views.answer(arguments.split(urlencode({"verb": verb, **given}).encode()), terms)
    return etree.fromstring(compression.encode(answer.document, compression.IDENTITY))


def _texts(element: etree._Element, *names: str) -> list[str]:
    return [element.findtext(f"{_OAI}{name}") or "" for name in names]


def _description(line: etree._Element) -> str:
    return " ".join(str(text) for part in line.iterfind(f"{_OAI}setDescription") for text in part.itertext())
