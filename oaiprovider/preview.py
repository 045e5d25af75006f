"""What a harvester would see: which profile it gets and why, and the answers that it would be given. Writes nothing."""

from dataclasses import dataclass

from lxml import etree

from catalogue import oai
from oaiprovider import terms, views
from oaiprovider.models import Profile
from oaiprovider.protocol import arguments, compression
from oaiprovider.terms import Terms

_OAI = f"{{{oai.OAI_NS}}}"
CHOSEN = "Chosen."


@dataclass(frozen=True, slots=True)
class Verdict:
    """One profile, and why it is the one or is not."""

    profile: Profile
    reason: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The terms, and the documents themselves: Identify as it stands, formats and sets as rows of their texts.

    `sets_fault` is what ListSets answers instead of sets; `more_sets` that its first page is not all.
    """

    verdicts: list[Verdict]
    terms: Terms
    identify: bytes
    formats: list[list[str]]
    sets: list[list[str]]
    sets_fault: str
    more_sets: bool


def of(user_agent: str, address: str) -> Preview:
    """Ask as this harvester would, from this address."""
    known = list(Profile.objects.all())
    chosen = terms.choose_profile((profile.candidate for profile in known), user_agent, address)
    sets = _ask("ListSets", user_agent, address)
    formats = _ask("ListMetadataFormats", user_agent, address)
    fault = sets.find(f"{_OAI}error")
    identify = _ask("Identify", user_agent, address).find(f"{_OAI}Identify")
    assert identify is not None  # no argument can be wrong
    return Preview(
        verdicts=[Verdict(profile, _reason(profile, chosen, user_agent, address)) for profile in known],
        terms=Profile.objects.terms_for(user_agent, address),
        identify=etree.tostring(identify),
        formats=[
            _texts(line, "metadataPrefix", "metadataNamespace", "schema")
            for line in formats.iter(f"{_OAI}metadataFormat")
        ],
        sets=[[*_texts(line, "setSpec", "setName"), _described(line)] for line in sets.iter(f"{_OAI}set")],
        sets_fault="" if fault is None else fault.text or "",
        more_sets=bool(sets.findtext(f"{_OAI}ListSets/{_OAI}resumptionToken")),
    )


def _reason(profile: Profile, chosen: terms.Candidate | None, user_agent: str, address: str) -> str:
    if chosen is not None and profile.name == chosen.name:
        return CHOSEN
    misfit = terms.misfit(profile.candidate, user_agent, address)
    return misfit or f"It fits too, but {chosen.name if chosen else terms.ANY} comes first."


def _ask(verb: str, user_agent: str, address: str) -> etree._Element:
    terms = Profile.objects.terms_for(user_agent, address)
    made = views.answer(arguments.split(f"verb={verb}".encode()), terms)
    return etree.fromstring(compression.encode(made.document, compression.IDENTITY))


def _texts(element: etree._Element, *names: str) -> list[str]:
    return [element.findtext(f"{_OAI}{name}") or "" for name in names]


def _described(line: etree._Element) -> str:
    return " ".join(str(text) for part in line.iterfind(f"{_OAI}setDescription") for text in part.itertext())
