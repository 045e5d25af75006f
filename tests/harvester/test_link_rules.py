"""Kinds of link: what each may store where, and what is refused because records could go in circles."""

from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from pytest_httpserver import HTTPServer

from catalogue.models import MetadataSet, Record
from catalogue.writing import decisions, store
from harvester import link_rules
from harvester.link_rules import Arrangement
from harvester.models import Conflict, Link, Run
from tests.support.provider import Provider, fill, identifier
from tests.support.runs import counters, harvest
from tests.support.world import OFFENBACH, OUR_SPEC, TOULOUSE, bury, iso_record, own_set, put

OURS = "http://tokyo.example.org/oai"
PEER = Arrangement(
    name="toulouse",
    kind="peer",
    base_url=TOULOUSE.base_url,
    remote_set=TOULOUSE.spec,
    local_set=TOULOUSE.spec,
    local_kind="peer",
    enabled=True,
)
RELAY = replace(PEER, name="toulouse-by-offenbach", kind="relay", base_url=OFFENBACH.base_url)
CENTRE = replace(
    PEER,
    name="jma",
    kind="centre",
    base_url="http://jma.example.org/oai",
    remote_set="",
    local_set=OUR_SPEC,
    local_kind="own",
)
SHARED = replace(PEER, name="shared", kind="shared", remote_set="shared01", local_set="shared01", local_kind="shared")
RECOVERY = replace(
    PEER, name="back", kind="recovery", remote_set=OUR_SPEC, local_set=OUR_SPEC, local_kind="own", enabled=False
)
BACKUP = replace(SHARED, name="backup", kind="backup", enabled=False)
FEEDS_SHARED = replace(CENTRE, name="jma-shared", local_set="shared01", local_kind="shared")

ALLOWED = {
    "a peer's own set into the local set of that name": (PEER, []),
    "a remote set of another name, as older nodes have them": (replace(PEER, remote_set="gisc:toulouse"), []),
    "a relay instead of the peer": (RELAY, [replace(PEER, enabled=False)]),
    "a relay that waits beside the peer": (replace(RELAY, enabled=False), [PEER]),
    "a centre without sets into our own set": (CENTRE, [PEER]),
    "two centres into our own set": (CENTRE, [replace(CENTRE, name="kma", base_url="http://kma.example.org/oai")]),
    "a catalogue that harvests nobody into a peer's set": (replace(CENTRE, local_set="X", local_kind="peer"), []),
    "a shared set from both its owners": (SHARED, [replace(SHARED, name="other", base_url=OFFENBACH.base_url)]),
    "a shared set between co-owners, by hand and with confirmation": (BACKUP, [FEEDS_SHARED]),
    "a backup of a shared set into which we upload": (replace(BACKUP, is_fed_here=True), []),
    "a recovery by hand": (RECOVERY, [PEER]),
}
REFUSED = {
    "ourselves": (replace(PEER, base_url=OURS), [], "base_url"),
    "ourselves, spelled otherwise": (replace(PEER, base_url=OURS.upper() + "/"), [], "base_url"),
    "everybody's records": (replace(PEER, remote_set="WIS-CATALOGUE"), [], "remote_set"),
    "everybody's records from a centre": (replace(CENTRE, remote_set="WIS-CATALOGUE"), [], "remote_set"),
    "all that a GISC has": (replace(PEER, remote_set=""), [], "remote_set"),
    "all that a relay has": (replace(RELAY, remote_set=""), [], "remote_set"),
    "our own set from a peer": (replace(PEER, remote_set=OUR_SPEC), [], "remote_set"),
    "our own set from a centre": (replace(CENTRE, remote_set=OUR_SPEC), [], "remote_set"),
    "a peer into our own set": (replace(PEER, local_set=OUR_SPEC, local_kind="own"), [], "local_set"),
    "a peer into the catalogue": (replace(PEER, local_set="WIS-CATALOGUE", local_kind="catalogue"), [], "local_set"),
    "a peer into a virtual set": (replace(PEER, local_set="V", local_kind="virtual"), [], "local_set"),
    "a peer into a shared set": (replace(PEER, local_set="shared01", local_kind="shared"), [], "local_set"),
    "a shared set into a peer's": (replace(SHARED, local_set="X", local_kind="peer"), [], "local_set"),
    "one GISC's set into another's": (replace(PEER, remote_set=OFFENBACH.spec), [
        replace(PEER, name="offenbach", base_url=OFFENBACH.base_url, remote_set=OFFENBACH.spec, local_set=OFFENBACH.spec)
    ], "remote_set"),
    "peer and relay at once": (RELAY, [PEER], "enabled"),
    "a GISC taken for a centre": (replace(CENTRE, base_url=TOULOUSE.base_url), [PEER], "kind"),
    "a centre taken for a GISC": (replace(PEER, base_url=CENTRE.base_url), [CENTRE], "kind"),
    "a shared set by schedule between co-owners": (SHARED, [FEEDS_SHARED], "kind"),
    "a shared set by hand, without confirmation, between co-owners": (
        replace(SHARED, enabled=False), [FEEDS_SHARED], "kind"
    ),
    "feeding a shared set that is harvested from a co-owner": (FEEDS_SHARED, [SHARED], "kind"),
    "a shared set between co-owners, of which we upload": (replace(SHARED, is_fed_here=True), [], "kind"),
    "the same by hand": (replace(SHARED, is_fed_here=True, enabled=False), [], "kind"),
    "a backup synchronisation by schedule": (replace(BACKUP, enabled=True), [FEEDS_SHARED], "enabled"),
    "a backup synchronisation of a peer's set": (replace(BACKUP, local_set="X", local_kind="peer"), [], "local_set"),
    "a recovery by schedule": (replace(RECOVERY, enabled=True), [], "enabled"),
    "a recovery of another set": (replace(RECOVERY, remote_set=TOULOUSE.spec), [], "remote_set"),
    "a recovery into a peer's set": (replace(RECOVERY, local_set="X", local_kind="peer"), [], "local_set"),
}  # fmt: skip


def faults(link: Arrangement, others: list[Arrangement]) -> dict[str, str]:
    return link_rules.faults(link, others, our_set=OUR_SPEC, our_url=OURS)


@pytest.mark.spec("W21", "W36", "W37", "W39", "W41")
@pytest.mark.parametrize("what", ALLOWED)
def test_what_cannot_loop_is_allowed(what: str) -> None:
    assert faults(*ALLOWED[what]) == {}


@pytest.mark.spec("W21", "W42", "W48")
@pytest.mark.parametrize("what", REFUSED)
def test_what_could_loop_is_refused_with_the_reason(what: str) -> None:
    link, others, field = REFUSED[what]
    found = faults(link, others)
    assert list(found) == [field]
    assert len(found[field].split()) > 8


@pytest.mark.spec("W21")
def test_the_rules_hold_for_links_as_they_are_saved(link: Link) -> None:
    link.full_clean()
    relay = Link(
        name="relay",
        kind="relay",
        base_url=OFFENBACH.base_url,
        remote_set=TOULOUSE.spec,
        local_set=link.local_set,
    )
    with pytest.raises(ValidationError, match="has one enabled link"):
        relay.full_clean()
    with pytest.raises(CommandError, match="has one enabled link"):
        call_command("link", "add", "relay", OFFENBACH.base_url, "--kind", "relay", "--set", TOULOUSE.spec)
    relay.enabled = False
    relay.full_clean()


# --- Centres -----------------------------------------------------------------------------------------


@pytest.fixture
def centre(link: Link) -> Link:
    """The provider as a centre of ours."""
    link.kind, link.local_set, link.remote_set, link.name = "centre", own_set(), "", "jma"
    link.full_clean()
    link.save()
    return link


@pytest.mark.spec("W39")
def test_a_centre_feeds_our_own_set(centre: Link, provider: Provider) -> None:
    fill(provider, range(3))

    assert counters(harvest(centre)) == {"received": 3, "new": 3}
    assert set(Record.objects.values_list("owner__spec", flat=True)) == {OUR_SPEC}

    provider.entries[identifier(0)] = ("2026-02-02T00:00:00Z", iso_record(identifier(0), title="Changed"))
    provider.entries[identifier(1)] = ("2026-02-02T00:00:00Z", None)
    centre.refresh_from_db()
    assert counters(harvest(centre)) == {"received": 2, "updated": 1, "deleted": 1}


@pytest.mark.spec("W33", "W47")
def test_what_we_uploaded_ourselves_is_changed_by_a_centre_only_when_its_version_is_newer(
    centre: Link, provider: Provider
) -> None:
    put(iso_record(identifier(0), title="Ours", metadata_date="2026-01-10"))
    put(iso_record(identifier(1), title="Ours", metadata_date="2026-01-10"))
    provider.entries[identifier(0)] = (
        "2026-02-01T00:00:00Z",
        iso_record(identifier(0), title="T", metadata_date="2026-01-09"),
    )
    provider.entries[identifier(1)] = (
        "2026-02-01T00:00:00Z",
        iso_record(identifier(1), title="T", metadata_date="2026-01-11"),
    )
    provider.entries[identifier(2)] = ("2026-02-01T00:00:00Z", None)
    put(iso_record(identifier(2), title="Ours"))

    harvest(centre)

    titles = dict(Record.objects.values_list("identifier", "description__title"))
    assert titles == {identifier(0): "Ours", identifier(1): "T", identifier(2): "Ours"}
    conflict = centre.conflicts.get(settled=None)
    assert (conflict.identifier, conflict.kind) == (identifier(0), "differs")


def test_an_upload_counts_against_a_centre(centre: Link, provider: Provider) -> None:
    provider.entries[identifier(0)] = (
        "2026-02-01T00:00:00Z",
        iso_record(identifier(0), title="T", metadata_date="2026-01-11"),
    )
    harvest(centre)

    put(iso_record(identifier(0), title="Ours", metadata_date="2026-01-10"))

    assert Record.objects.get().description.title == "Ours"
    assert store.withdraw([identifier(0)])[0].action is decisions.Action.DELETED


# --- Recovery ----------------------------------------------------------------------------------------


@pytest.fixture
def recovery(link: Link) -> Link:
    """Our own set from Toulouse."""
    link.kind, link.local_set, link.remote_set, link.enabled = "recovery", own_set(), OUR_SPEC, False
    link.full_clean()
    link.save()
    return link


@pytest.mark.spec("W35")
def test_our_own_set_comes_back_with_its_tombstones_and_is_ours_again(recovery: Link, provider: Provider) -> None:
    fill(provider, range(4))
    provider.entries[identifier(4)] = ("2026-02-01T00:00:00Z", None)

    run = harvest(recovery)

    assert counters(run) == {"received": 5, "new": 4, "deleted": 1}
    assert Record.objects.get(identifier=identifier(4)).deleted
    record = Record.objects.get(identifier=identifier(0))
    assert (record.owner.spec, record.provenance) == (OUR_SPEC, None)
    recovery.delete()
    put(iso_record(identifier(0), title="Uploaded again"))
    assert Record.objects.get(identifier=identifier(0)).description.title == "Uploaded again"
    assert store.withdraw([identifier(1)])[0].action is decisions.Action.DELETED


@pytest.mark.spec("W35", "W11")
def test_a_recovery_undoes_nothing_that_we_know_better(recovery: Link, provider: Provider) -> None:
    ours = {
        0: "2026-01-10",  # theirs is older
        1: "2026-01-10",  # theirs is newer
        2: "2026-01-10",  # theirs is as old, and differs
        3: "2026-01-10",  # theirs is deleted
        4: "2026-01-10",  # ours is withdrawn
    }
    for number, stamp in ours.items():
        put(iso_record(identifier(number), title="Ours", metadata_date=stamp))
    bury(identifier(4))
    theirs = {0: "2026-01-09", 1: "2026-01-11", 2: "2026-01-10", 4: "2026-01-11"}
    for number, stamp in theirs.items():
        document = iso_record(identifier(number), title="Theirs", metadata_date=stamp)
        provider.entries[identifier(number)] = ("2026-02-01T00:00:00Z", document)
    provider.entries[identifier(3)] = ("2026-02-01T00:00:00Z", None)

    run = harvest(recovery)

    assert counters(run) == {"received": 5, "updated": 1, "rejected": 4}
    titles = dict(Record.objects.filter(deleted=False).values_list("identifier", "description__title"))
    assert titles == {identifier(0): "Ours", identifier(1): "Theirs", identifier(2): "Ours", identifier(3): "Ours"}
    reasons = {reject.identifier: reject.reason_text for reject in run.rejects.all()}
    assert "not older" in reasons[identifier(0)] and "not older" in reasons[identifier(2)]
    assert "live here" in reasons[identifier(3)]
    assert "was withdrawn here" in reasons[identifier(4)]


@pytest.mark.spec("W23", "W35")
def test_the_guard_of_our_own_set_is_lifted_for_a_recovery_alone(link: Link, provider: Provider) -> None:
    put(iso_record(identifier(0), title="Ours"))
    fill(provider, range(1))

    assert counters(harvest(link)) == {"received": 1, "rejected": 1}
    assert Record.objects.get().description.title == "Ours"
    assert Run.objects.get().rejects.count() == 1


# --- Shared sets -------------------------------------------------------------------------------------


@pytest.mark.spec("W41", "W45", "W46")
def test_a_record_of_a_shared_set_is_there_while_one_of_its_links_says_so(link: Link, provider: Provider) -> None:
    shared = MetadataSet.objects.create(spec="shared01", name="Shared", kind="shared")
    links = [
        Link.objects.create(name=name, kind="shared", base_url=provider.base_url, remote_set="s", local_set=shared)
        for name in ("by-toulouse", "by-offenbach")
    ]
    for each in links:
        each.remote_set = "shared01"
        each.save()
    fill(provider, range(2))
    for each in links:
        harvest(each)
    assert Record.objects.get(identifier=identifier(0)).set_specs == ["shared01"]
    provider.entries[identifier(0)] = ("2026-03-01T11:00:00Z", None)

    links[0].refresh_from_db()
    harvest(links[0])
    assert not Record.objects.get(identifier=identifier(0)).deleted, "the other still has it"
    assert links[0].conflicts.get().kind == "disputed"

    links[1].refresh_from_db()
    harvest(links[1])
    assert Record.objects.get(identifier=identifier(0)).deleted


def with_way(stamp_at_origin: str, identifier_there: str = identifier(0)) -> bytes:
    """An about container: the record came from a centre, with this datestamp there."""
    return (
        '<about><provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance">'
        '<originDescription harvestDate="2026-02-01T00:00:00Z" altered="false">'
        f"<baseURL>http://nc.example.org/oai</baseURL><identifier>{identifier_there}</identifier>"
        f"<datestamp>{stamp_at_origin}</datestamp><metadataNamespace>http://www.isotc211.org/2005/gmd"
        "</metadataNamespace></originDescription></provenance></about></record>"
    ).encode()


@pytest.mark.spec("W33", "W41", "W47")
@pytest.mark.parametrize("first", ["older", "newer"])
def test_of_two_owners_versions_the_later_at_the_origin_counts_whoever_comes_first(
    link: Link, provider: Provider, first: str
) -> None:
    """The centre went back to an older gmd:dateStamp; by that alone the owner that is behind would win."""
    shared = MetadataSet.objects.create(spec="shared01", name="Shared", kind="shared")
    versions = {
        "older": (iso_record(identifier(0), title="older", metadata_date="2026-01-20"), with_way("2026-01-10")),
        "newer": (iso_record(identifier(0), title="newer", metadata_date="2026-01-05"), with_way("2026-01-15")),
    }
    with HTTPServer(host="127.0.0.1") as server:
        other = Provider(server)
        for owner, title in ((provider, first), (other, "newer" if first == "older" else "older")):
            document, about = versions[title]
            owner.entries[identifier(0)] = ("2026-02-01T00:00:00Z", document)
            owner.edits.append(lambda a, body, about=about: body.replace(b"</record>", about))
            by = Link.objects.create(
                name=title, kind="shared", base_url=owner.base_url, remote_set="shared01", local_set=shared
            )
            harvest(by)
        for each in Link.objects.filter(kind="shared"):
            assert counters(harvest(each, full=True)) == {"received": 1, "unchanged": 1}, "and there it rests"

    assert Record.objects.get().description.title == "newer"
    assert Record.objects.get().claims.get().source == "older"
    waiting = list(Conflict.objects.filter(settled=None).values_list("link__name", "kind"))
    assert waiting == [("older", "differs")]
    assert "by their datestamps at the origin" in Conflict.objects.get(settled=None).reason_text
