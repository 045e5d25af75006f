"""A harvester of any kind that asks for what has changed has in the end what a new one of its kind gets (promise 1).

Kinds differ by what they see (profiles, categories), by set, format and verb, by where they go on from, and by whether a cache
in front may keep pages. Whatever changes comes between two pages, in any second: records, sets, formats, and who sees what.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client, override_settings
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree

from catalogue import datestamps, oai, seams
from catalogue.models import Category, MetadataSet, Record, RecordCategory, SetChange, SetInclusion, SetSearch
from catalogue.reading.query.conditions import Words
from catalogue.writing import set_changes, set_inclusion, set_searches, visibility
from oaiprovider import rights
from oaiprovider.models import Crosswalk, Profile
from tests.support import harvesting, world
from tests.support.clock import SetClock
from tests.support.harvesting import OAI
from tests.support.sql import run
from tests.support.stylesheets import PREFIX, add, brief

pytestmark = pytest.mark.django_db(transaction=True)
START = datetime(2031, 5, 1, tzinfo=UTC)
RECORDS = 7
OURS, TOULOUSE = world.OUR_SPEC, world.TOULOUSE.spec
BOTH, FOUND = "BOTH", "FOUND"  # virtual sets: of both, and of what a search finds
NODE = f"{oai.USER_AGENT}/0"
# User-Agent and set. A foreign harvester that keeps one set alone is not told of what left it for another one (P75).
KINDS = [
    *((NODE, spec) for spec in (None, OURS, TOULOUSE, BOTH, FOUND)),
    *(("curl/8", spec) for spec in (None, oai.CATALOGUE_SET)),
    *(("PERSET/1", spec) for spec in (OURS, BOTH, FOUND)),
    *(("NARROW/1", spec) for spec in (None, TOULOUSE)),
    *(("PARTNER/1", spec) for spec in (None, OURS, FOUND)),
]
ENTRY = tuple[str, bool, str]


@dataclass
class Centre:
    """What happens at the provider, and its clocks."""

    sets: tuple[MetadataSet, MetadataSet]
    partners: Category
    own_clock: SetClock
    steps: list[list[Any]] = field(default_factory=list)
    changes: int = 0

    def go_on(self) -> None:
        for step in self.steps.pop(0) if self.steps else ():
            if isinstance(step, int):
                self.let_pass(step)
            else:
                self.change(*step)

    def let_pass(self, seconds: int) -> datetime:
        ((microseconds,),) = run(
            "SELECT setval('fake.microseconds', nextval('fake.microseconds') + %s)", seconds * 1_000_000
        )
        self.own_clock.at = datetime.fromtimestamp(microseconds / 1_000_000, UTC)
        return self.own_clock.at

    def change(self, act: str, numbers: frozenset[int], of_set: int) -> None:
        self.changes += 1
        names, one = [f"urn:{number}" for number in sorted(numbers)], self.sets[of_set]
        match act:
            case "put" | "delete" | "withdraw" | "move":
                word = ("even", "odd")[self.changes % 2]
                harvesting.change(act, names, one, f"Version {self.changes} {word}")
            case "format":
                Crosswalk.objects.update(stylesheet=brief(f"edition {self.changes}"))
            case "restrict":
                restricted = set(RecordCategory.objects.values_list("pk", flat=True))
                for name in names:
                    visibility.restrict_records([name], None if name in restricted else self.partners)
            case "restrict set":
                is_free = MetadataSet.objects.filter(pk=one.pk, category=None).exists()
                MetadataSet.objects.filter(pk=one.pk).update(category=self.partners if is_free else None)
            case "list set":
                is_listed = MetadataSet.objects.filter(pk=one.pk, public=True).exists()
                MetadataSet.objects.filter(pk=one.pk).update(public=not is_listed)
            case "rights":
                partner = Profile.objects.get(match="PARTNER")
                rights.set_categories(partner, [] if partner.categories.exists() else [self.partners])
            case "include":
                both = MetadataSet.objects.get(spec=BOTH)
                is_in = SetInclusion.objects.filter(parent=both, child=one).exists()
                (set_changes.begin_exclude if is_in else set_changes.begin_include)(both, [one])
            case "search":
                set_searches.begin(MetadataSet.objects.get(spec=FOUND), Words(("even", "version")[of_set]))
            case "follow":
                visibility.settle_pending()
                set_changes.go_on_with_all()


@dataclass
class Harvester:
    """Asks for a list again and again, from where the last one is known to be complete."""

    agent: str
    spec: str | None
    prefix: str
    verb: str
    follows: str
    centre: Centre
    cache: dict[str, tuple[datetime, bytes]]
    between_pages: Callable[[], None] = lambda: None
    start: str | None = None
    copy: dict[str, ENTRY] = field(default_factory=dict)

    def visit(self) -> None:
        for _ in range(100):
            if self._read_list():
                return
        raise AssertionError("its tokens are refused for ever")

    def _read_list(self) -> bool:
        asked = {"verb": self.verb, "metadataPrefix": self.prefix, "set": self.spec, "from": self.start}
        if self.follows == "until":
            asked["until"] = datestamps.write(self.centre.let_pass(0))
        asked = {name: value for name, value in asked.items() if value}
        page = self._ask(asked)
        date = page.findtext(f"{OAI}responseDate")
        while True:
            error = page.find(f"{OAI}error")
            if error is not None and error.get("code") != "noRecordsMatch":
                if error.get("code") == "noSetHierarchy":  # an error that no harvester takes for an empty list
                    return True
                assert error.get("code") == "badResumptionToken", (asked, error.text)
                return False
            self._take(page)
            token = page.findtext(f"{OAI}{self.verb}/{OAI}resumptionToken")
            if not token:
                break
            self.between_pages()
            page = self._ask({"verb": self.verb, "resumptionToken": token})
        newest = max((stamp for stamp, _, _ in self.copy.values()), default=None)
        self.start = {"responseDate": date, "until": asked.get("until"), "largest datestamp": newest}[self.follows]
        return True

    def _ask(self, arguments: Any) -> Any:
        """Ask through a cache that keeps what it may keep, for all who ask the same."""
        address, now = f"/oai?{urlencode(arguments)}", self.centre.own_clock.at
        if address in self.cache and now < self.cache[address][0]:
            return etree.fromstring(self.cache[address][1])
        response = Client(headers={"user-agent": self.agent}).get(address)
        assert response.status_code == 200, response.content
        kept = response.headers.get("Cache-Control", "")
        if kept.startswith("public, max-age="):
            seconds = int(kept.removeprefix("public, max-age="))
            self.cache[address] = now + timedelta(seconds=seconds), response.content
        return etree.fromstring(response.content)

    def _take(self, page: Any) -> None:
        now = page.findtext(f"{OAI}responseDate")
        for header in page.iter(f"{OAI}header"):
            entry = header if self.verb == "ListIdentifiers" else header.getparent()
            stamp, is_deleted = header.findtext(f"{OAI}datestamp"), header.get("status") == "deleted"
            assert stamp <= now  # P94
            for about in entry.findall(f"{OAI}about"):
                entry.remove(about)
            for spec in (
                header.findall(f"{OAI}setSpec") if is_deleted else ()
            ):  # a set that is restricted is not named (P142)
                header.remove(spec)
            text = "".join(etree.tostring(entry, method="c14n").decode().split())
            self.copy[header.findtext(f"{OAI}identifier")] = stamp, is_deleted, text

    def lacks(self, whole: dict[str, ENTRY]) -> set[str]:
        """The identifiers of which it has not what a new harvester of its kind has; that one gets tombstones of before its time."""
        return {
            name
            for name in self.copy.keys() | whole
            if self.copy.get(name) != whole.get(name) and (name in self.copy or not whole[name][1])
        }


ACTS = [
    *("put", "put", "put", "put", "put", "delete", "withdraw", "move", "format"),
    *("restrict", "restrict set", "list set", "rights", "include", "search", "follow", "follow"),
]
NUMBERS = st.frozensets(st.integers(0, RECORDS - 1), min_size=1)
STEPS = st.lists(
    st.tuples(st.sampled_from(ACTS), NUMBERS, st.integers(0, 1)) | st.sampled_from([1, 1, 2, 30, 61, 400]), max_size=4
)
FIRST, ALL = frozenset([0]), frozenset(range(RECORDS))
USUAL: Any = {"size": 3, "prefix": "iso19139", "verb": "ListRecords", "follows": "responseDate", "is_shared": False}


@pytest.mark.spec("P75", "P91", "P93", "P94", "P101", "P106", "P142", "P146", "W14")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
@example(  # what died before its set was restricted
    steps=[[("put", ALL, 0)], [("delete", FIRST, 0), ("restrict set", FIRST, 0)]], kind=(NODE, OURS), **USUAL
)
@example(  # what left its set before that
    steps=[[("put", ALL, 1)], [("move", FIRST, 0), 1, ("restrict set", FIRST, 1), ("follow", FIRST, 0)]],
    kind=(NODE, TOULOUSE),
    **USUAL,
)
@example(  # the only set of a profile is restricted
    steps=[[("put", ALL, 1)], [("restrict set", FIRST, 1)]], kind=("NARROW/1", TOULOUSE), **USUAL
)
@example(  # what changed while its set was not listed
    steps=[[("put", FIRST, 1), 1], [("put", ALL, 1), ("list set", FIRST, 1), 1], [("list set", FIRST, 1)]],
    kind=("PERSET/1", TOULOUSE),
    **USUAL,
)
@given(
    steps=st.lists(STEPS, max_size=9),
    size=st.integers(1, 3),
    kind=st.sampled_from(KINDS),
    prefix=st.sampled_from(["iso19139", "oai_dc", PREFIX]),
    verb=st.sampled_from(["ListRecords", "ListIdentifiers"]),
    follows=st.sampled_from(["largest datestamp", "responseDate", "until"]),
    is_shared=st.booleans(),
)
def test_a_harvester_of_any_kind_has_in_the_end_what_a_new_one_gets(
    steps: list[list[Any]],
    size: int,
    kind: tuple[str, str | None],
    prefix: str,
    verb: str,
    follows: str,
    is_shared: bool,
) -> None:
    own_clock = SetClock(START)
    with (
        override_settings(GISC_PAGE_RECORDS=size, GISC_PAGE_HEADERS=size, GISC_SHARED_CACHE=is_shared),
        harvesting.fake_clock(START),
        seams.replaced(clock=own_clock),
    ):
        run("ALTER SEQUENCE fake.microseconds INCREMENT 1")
        centre = begin(own_clock)
        centre.steps = list(steps)
        asked = (*kind, prefix, verb)
        cache: dict[str, tuple[datetime, bytes]] = {}
        one = Harvester(*asked, follows, centre, cache, between_pages=centre.go_on)
        other = Harvester(*asked, follows, centre, cache)
        while centre.steps:
            centre.go_on()
            if centre.changes % 2:
                other.visit()
            one.visit()
        visibility.settle_pending()
        while not set_changes.go_on_with_all():
            pass
        centre.let_pass(125)  # lists whose pages are shared go up to the minute before
        new = Harvester(*asked, "responseDate", centre, {})
        for harvester in (one, other, new):
            harvester.visit()
        # A set that is taken off the list is not deleted for those who ask for it by name: it is not defined any more.
        if not MetadataSet.objects.filter(spec=kind[1], public=False).exists():
            assert (one.lacks(new.copy), other.lacks(new.copy)) == (set(), set())


def begin(own_clock: SetClock) -> Centre:
    """Empty the catalogue of what the example before left, and add what the kinds of harvesters need."""
    for model in (Record, RecordCategory, Crosswalk, SetSearch, SetInclusion, SetChange):
        model.objects.all().delete()
    Profile.objects.exclude(match="").delete()
    MetadataSet.objects.update(category=None, public=True)
    Category.objects.all().delete()
    run("UPDATE catalogue_datestampclock SET stamp = %s", START)
    visibility.settle_pending()
    sets = (world.own_set(), world.peer_set(world.TOULOUSE))
    set_inclusion.include(set_inclusion.ensure_set(BOTH, kind=MetadataSet.Kind.VIRTUAL), sets)
    found = set_searches.begin(set_inclusion.ensure_set(FOUND, kind=MetadataSet.Kind.VIRTUAL), Words("even"))
    assert found is not None and set_changes.go_on(found)
    partners = Category.objects.create(name="Partners")
    Profile.objects.create(name="Per set", match="PERSET", set_tombstones=True)
    Profile.objects.create(name="Narrow", match="NARROW", everything=False).sets.set([sets[1]])
    partner = Profile.objects.create(name="Partner", match="PARTNER", networks=["127.0.0.1"], set_tombstones=True)
    partner.categories.set([partners])
    add()
    centre = Centre(sets, partners, own_clock)
    centre.let_pass(120)
    return centre
