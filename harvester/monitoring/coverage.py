"""Read which centres are harvested, and which of those that are to be are not: "12 of 14 centres harvested, 2 missing"."""

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.utils.translation import gettext, ngettext

from harvester.models import Centre, Link


class CoverageState(StrEnum):
    """How a centre is harvested. The values are read by programs: they are never changed."""

    HARVESTED = "harvested"
    FAILING = "failing"
    NOT_YET = "not-yet"
    DISABLED = "disabled"
    NO_LINK = "no-link"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class CentreCoverage:
    """A centre, the links into its set, and what they come to. `counts`: whether it is among those to be harvested."""

    centre: Centre
    links: tuple[Link, ...]
    state: CoverageState
    counts: bool

    @property
    def is_harvested(self) -> bool:
        """Whether all that the centre has was stored here once, and a link asks it for changes."""
        return self.state in (CoverageState.HARVESTED, CoverageState.FAILING)

    @property
    def text(self) -> str:
        """The state in words."""
        return {
            CoverageState.HARVESTED: gettext("harvested"),
            CoverageState.FAILING: gettext("harvested, and failing now"),
            CoverageState.NOT_YET: gettext("no complete list yet"),
            CoverageState.DISABLED: gettext("its link is disabled"),
            CoverageState.NO_LINK: gettext("no link"),
            CoverageState.OWN: gettext("this node"),
        }[self.state]


@dataclass(frozen=True, slots=True)
class Coverage:
    """All centres, by name."""

    centres: tuple[CentreCoverage, ...]

    @property
    def counted(self) -> tuple[CentreCoverage, ...]:
        """Those that are to be harvested."""
        return tuple(each for each in self.centres if each.counts)

    @property
    def missing(self) -> tuple[CentreCoverage, ...]:
        """Those that are to be harvested and are not."""
        return tuple(each for each in self.counted if not each.is_harvested)

    @property
    def text(self) -> str:
        """How many are harvested, and which are missing and why, in a sentence."""
        number, missing = len(self.counted), self.missing
        if not number:
            return gettext("No centre is to be harvested yet: add a link to one.")
        facts: dict[str, object] = {"harvested": number - len(missing), "number": number}
        text = ngettext(
            "%(harvested)d of %(number)d centre harvested", "%(harvested)d of %(number)d centres harvested", number
        )
        if not missing:
            return f"{text % facts}."
        names = ", ".join(f"{each.centre.name} ({each.text})" for each in missing)
        facts |= {"missing": len(missing), "names": names}
        return gettext("%(start)s, %(missing)d missing: %(names)s.") % (facts | {"start": text % facts})

    def report(self) -> dict[str, object]:
        """Return the coverage for reports in JSON."""
        return {
            "centres": len(self.counted),
            "harvested": len(self.counted) - len(self.missing),
            "missing": [
                {"name": each.centre.name, "set": each.centre.set_spec, "why": str(each.state)} for each in self.missing
            ],
            "text": self.text,
        }


def read_coverage() -> Coverage:
    """Read which centres are harvested, with two queries."""
    into: defaultdict[str, list[Link]] = defaultdict(list)
    for link in Link.objects.select_related("local_set").order_by("name"):
        into[link.local_set.spec].append(link)
    return Coverage(tuple(_coverage_of(centre, tuple(into[centre.set_spec])) for centre in Centre.objects.all()))


def _coverage_of(centre: Centre, links: tuple[Link, ...]) -> CentreCoverage:
    if centre.set_spec == settings.GISC_NAME:
        return CentreCoverage(centre, links, CoverageState.OWN, counts=False)
    enabled = [link for link in links if link.enabled]
    complete = [link for link in enabled if link.harvested_to is not None]
    if not links:
        state = CoverageState.NO_LINK
    elif not enabled:
        state = CoverageState.DISABLED
    elif not complete:
        state = CoverageState.NOT_YET
    elif all(link.failures for link in complete):
        state = CoverageState.FAILING
    else:
        state = CoverageState.HARVESTED
    return CentreCoverage(centre, links, state, counts=centre.is_active or bool(enabled))
