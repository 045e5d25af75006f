"""Preview what a harvester would get: its profile, the reason for that choice, and its answers. Writes nothing."""

from dataclasses import dataclass

from lxml import etree

from catalogue import oai
from oaiprovider import views
from oaiprovider.models import Profile
from oaiprovider.protocol import arguments, compression
from oaiprovider.terms import ANY, Candidate, Terms, choose_profile, why_not

_OAI = f"{{{oai.OAI_NS}}}"
CHOSEN = "Chosen."


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


def _reason(profile: Profile, chosen: Candidate | None, user_agent: str, address: str) -> str:
    if chosen is not None and profile.name == chosen.name:
        return CHOSEN
    reason = why_not(profile.candidate, user_agent, address)
    return reason or f"It fits too, but {chosen.name if chosen else ANY} comes first."


def _answer(verb: str, terms: Terms) -> etree._Element:
    answer = views.answer(arguments.split(f"verb={verb}".encode()), terms)
    return etree.fromstring(compression.encode(answer.document, compression.IDENTITY))


def _texts(element: etree._Element, *names: str) -> list[str]:
    return [element.findtext(f"{_OAI}{name}") or "" for name in names]


def _description(line: etree._Element) -> str:
    return " ".join(str(text) for part in line.iterfind(f"{_OAI}setDescription") for text in part.itertext())
