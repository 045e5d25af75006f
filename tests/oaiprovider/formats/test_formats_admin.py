"""Crosswalks in the admin, as an operator uses them: upload, errors, result of the trial, preview, withdrawal."""

import html

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalogue import seams
from oaiprovider.formats import sandbox, trial
from oaiprovider.models import Crosswalk
from tests.support import asking, world
from tests.support.clock import SetClock
from tests.support.stylesheets import NAMESPACE, PREFIX, SCHEMA, TITLE, add, brief, root, sheet

pytestmark = pytest.mark.django_db
CROSSWALKS = "/admin/oaiprovider/crosswalk/"
ADD = f"{CROSSWALKS}add/"
EDITION = "\u00e9dition"


def form(**changes: object) -> dict[str, object]:
    """The fields as the form sends them; None leaves one out."""
    fields: dict[str, object] = {
        "prefix": PREFIX,
        "namespace": NAMESPACE,
        "schema": SCHEMA,
        "stylesheet": brief(),
        "enabled": "on",
        "for_everybody": "on",
    }
    return {name: value for name, value in (fields | changes).items() if value is not None}


def upload(text: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("a.xsl", text if isinstance(text, bytes) else text.encode(), "application/xml")


def page(client: Client, path: str, **arguments: str) -> str:
    response = client.get(path, arguments)
    assert response.status_code == 200, (response.status_code, response.content[:300])
    return html.unescape(response.content.decode())


def told(client: Client, path: str, fields: dict[str, object]) -> dict[str, list[str]]:
    """The errors by field with which a form comes back; none where it was stored."""
    response = client.post(path, fields)
    if response.status_code == 302:
        return {}
    errors: dict[str, list[str]] = response.context["adminform"].form.errors
    return {name: list(texts) for name, texts in errors.items()}


def test_an_uploaded_stylesheet_is_tried_stored_and_offered(admin_client: Client, client: Client) -> None:
    world.put(world.iso_record("urn:a", title="T\u014dky\u014d"))
    declared = f'<?xml version="1.0" encoding="utf-16"?>\r\n{brief()}'.encode("utf-16")
    assert told(admin_client, ADD, form(stylesheet="", upload=upload(declared))) == {}
    crosswalk = Crosswalk.objects.get()
    assert crosswalk.stylesheet == brief()
    assert crosswalk.changed is not None
    listed = asking.get(client, verb="ListRecords", metadataPrefix=PREFIX)
    assert "T\u014dky\u014d".encode() in listed.content
    assert "offered" in page(admin_client, CROSSWALKS)


def test_the_result_of_the_trial_is_shown_with_the_records_that_will_lack_the_format(admin_client: Client) -> None:
    crosswalk = add()
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b", title="impossible"))
    shown = page(admin_client, f"{CROSSWALKS}{crosswalk.pk}/change/")
    assert "Tried on 50 records; 1 of them will lack this format." in shown
    assert "urn:b: the stylesheet ends with: no title." in shown


SAMPLE = "sample WIS-GISC-OFFENBACH"


@pytest.mark.spec("P66")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{brief()}</a>", "Line 6: not well-formed XML: Extra content at the end of the document."),
        (sheet("", '<xsl:import href="x"/>'), "Line 5: xsl:import cannot be used"),
        (sheet("", root('<xsl:value-of select="]"/>')), "The stylesheet does not compile: line 5: "),
        (sheet(root("<a/><b/>")), "makes more than one element"),
        (
            sheet(root('<a xmlns="urn:other"/>')),
            "makes a in the namespace urn:other, not in http://example.org/brief/.",
        ),
        (sheet(root('\n\n<a><xsl:value-of select="nope()"/></a>')), "ends with: line 6: "),
        ("", "Upload a stylesheet, or write one here."),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_nothing_is_stored(admin_client: Client, text: str, why: str) -> None:
    for fields in (form(stylesheet=text), form(stylesheet="", upload=upload(text)) if text else form(stylesheet="")):
        faults = told(admin_client, ADD, fields)
        assert list(faults) == ["upload" if "upload" in fields else "stylesheet"]
        assert len(faults) <= trial.DEFAULTS.faults
        assert any(why in fault for fault in next(iter(faults.values()))), faults
        assert not Crosswalk.objects.exists()


def test_lines_are_those_of_the_uploaded_file(admin_client: Client) -> None:
    lines = f'<?xml version="1.0"?>\n\n\n{sheet(root(chr(10) + "<xsl:document/>"))}'
    [number] = [number for number, line in enumerate(lines.splitlines(), 1) if "xsl:document" in line]
    [fault] = told(admin_client, ADD, form(stylesheet="", upload=upload(lines)))["upload"]
    assert fault.startswith(f"Line {number}: xsl:document")


@sandbox.LIMITS.replaced(cpu_s=0.1)
def test_a_stylesheet_that_never_ends_is_refused_and_the_page_answers(admin_client: Client) -> None:
    each, end = "<xsl:for-each select='//node()'>", "</xsl:for-each>"
    faults = told(
        admin_client, ADD, form(stylesheet=sheet(root(f"<a>{each * 6}<xsl:if test='false()'/>{end * 6}</a>")))
    )
    assert len(faults["stylesheet"]) == trial.DEFAULTS.faults
    assert "takes longer than 0.1 s of processor time." in faults["stylesheet"][0]


def test_a_file_that_is_far_too_large_is_not_even_read(admin_client: Client) -> None:
    [fault] = told(admin_client, ADD, form(upload=upload(b" " * 2_000_001)))["upload"]
    assert "2,000,001 bytes" in fault


def test_a_trial_comes_to_an_end() -> None:
    tried = trial.run(brief(), namespace=NAMESPACE, schema=SCHEMA, limits=trial.TrialLimits(total_s=-1.0))
    assert (tried.records, len(tried.faults)) == (0, 1)


class BusyClock(SetClock):
    """A second passes from one look at it to the next, as on a machine that has far too much to do."""

    def monotonic(self) -> float:
        self.move(1)
        return super().monotonic()


def test_a_stylesheet_is_not_refused_as_slow_because_the_machine_is_busy() -> None:
    with seams.replaced(clock=BusyClock(seams.now())):
        tried = trial.run(brief(), namespace=NAMESPACE, schema=SCHEMA, limits=trial.TrialLimits(total_s=3_600))
    assert (tried.faults, tried.records) == ((), 48)
    assert tried.slowest_s > 0


def test_a_slow_stylesheet_is_refused() -> None:
    tried = trial.run(brief(), namespace=NAMESPACE, schema=SCHEMA, limits=trial.TrialLimits(record_s=0.0))
    [fault] = tried.faults
    assert "lists take too long" in fault


@pytest.mark.spec("P90", "P93")
def test_saving_an_unchanged_form_moves_no_record(admin_client: Client) -> None:
    """A browser sends CR LF for each line end."""
    typed = f'<?xml version="1.0" encoding="iso-8859-1"?>\r\n{brief(EDITION)}\n\n'
    assert told(admin_client, ADD, form(stylesheet=typed)) == {}
    before = Crosswalk.objects.get()
    assert EDITION in before.stylesheet
    assert "<?xml" not in before.stylesheet
    shown = before.stylesheet.replace("\n", "\r\n")
    address = f"{CROSSWALKS}{before.pk}/change/"
    assert told(admin_client, address, form(prefix=None, stylesheet=shown)) == {}
    after = Crosswalk.objects.get()
    assert (after.stylesheet, after.changed) == (before.stylesheet, before.changed)


@pytest.mark.spec("P87")
def test_a_format_is_withdrawn_before_it_can_be_deleted(admin_client: Client) -> None:
    crosswalk = add()
    address = f"{CROSSWALKS}{crosswalk.pk}/"
    assert admin_client.post(f"{address}delete/", {"post": "yes"}).status_code == 403
    response = admin_client.post(f"{address}change/", form(prefix=None, enabled=None), follow=True)
    # Within the second in which it was made the time of the change stays, and so does the page's silence.
    assert [str(message) for message in response.context["messages"]]
    assert not Crosswalk.objects.get().enabled
    assert "withdrawn" in page(admin_client, CROSSWALKS)
    assert admin_client.post(f"{address}delete/", {"post": "yes"}).status_code == 302
    assert not Crosswalk.objects.exists()


def test_the_prefix_stays_what_it_is(admin_client: Client) -> None:
    crosswalk = add()
    assert told(admin_client, f"{CROSSWALKS}{crosswalk.pk}/change/", form(prefix="other")) == {}
    assert Crosswalk.objects.get().prefix == PREFIX


def test_the_preview_shows_a_record_in_the_format_offered_or_not(admin_client: Client) -> None:
    crosswalk = add(enabled=False)
    address = f"{CROSSWALKS}{crosswalk.pk}/preview/"
    assert "The catalogue is empty" in page(admin_client, address)
    world.put(world.iso_record("urn:a", title="First"), world.iso_record("urn:b", title="impossible & <b>"))
    assert "<title>First</title>" in page(admin_client, address, identifier="urn:a")
    assert "<gmd:MD_Metadata" in page(admin_client, address, identifier="urn:a")
    assert "urn:b</a>: The stylesheet ends with: no title." in page(admin_client, address, identifier=" urn:b ")
    assert "The stylesheet ends with: no title." in page(admin_client, address)  # the newest
    assert "There is no live record with this identifier." in page(admin_client, address, identifier="urn:c")


TRY = f"{CROSSWALKS}try/"


def test_a_stylesheet_is_tried_on_chosen_records_before_it_is_saved(admin_client: Client) -> None:
    world.put(*(world.iso_record(f"urn:{n}", title=f"Title {n}") for n in range(6)))
    world.put(world.iso_record("urn:t", title="T\u014dky\u014d"), into=world.peer_set(world.TOULOUSE))
    squares = " ".join(str(number**5) for number in range(1000))  # the largest also as it is stored, compressed
    world.put(world.iso_record("urn:long", title="impossible", abstract=squares))

    def tried(**changes: object) -> dict[str, str]:
        response = admin_client.post(TRY, form(**changes))
        assert response.status_code == 200
        return {row.tried.identifier: row.tried.fault or row.result for row in response.context["rows"]}

    chosen = tried(identifiers="urn:1\r\n urn:2 \nurn:none\nurn:1")
    assert list(chosen) == ["urn:1", "urn:2", "urn:none"]
    assert "Title 2" in chosen["urn:2"] and "no live record" in chosen["urn:none"]
    toulouse = world.peer_set(world.TOULOUSE).pk
    assert "T\u014dky\u014d" in tried(of_set=toulouse, number=3)["urn:t"]
    assert len(tried(of_set=world.own_set().pk, number=4)) == 4
    awkward = tried(awkward="on")
    assert awkward["urn:long"] == "The stylesheet ends with: no title."
    assert "urn:t" in awkward, "its title has letters beyond English"
    response = admin_client.post(TRY, form(stylesheet="", upload=upload(sheet("", "<xsl:import href='x'/>"))))
    assert "Line 5: xsl:import" in response.context["faults"][0] and not response.context["rows"]
    unknown = tried(stylesheet=sheet(root('\n\n<a><xsl:value-of select="nope()"/></a>')), identifiers="urn:1")
    assert "line 6: " in unknown["urn:1"]
    assert "It was not tried." in page(admin_client, TRY)
    assert not Crosswalk.objects.exists()


def test_the_form_says_with_numbers_what_saving_moves(admin_client: Client) -> None:
    world.put(world.iso_record("urn:a"), world.iso_record("urn:b"))
    assert "harvesters can fetch 2 records in this format" in page(admin_client, ADD)
    crosswalk = add()
    change = f"{CROSSWALKS}{crosswalk.pk}/change/"
    assert f"gives 2 records a new datestamp in {PREFIX}" in page(admin_client, change)
    Crosswalk.objects.update(enabled=False)
    assert "2 records come back to its harvesters" in page(admin_client, change)


def test_what_a_stylesheet_makes_is_text_on_the_page(admin_client: Client) -> None:
    crosswalk = add(stylesheet=sheet(root("<script>alert(1)</script>")))
    world.put(world.iso_record("urn:a"))
    response = admin_client.get(f"{CROSSWALKS}{crosswalk.pk}/preview/")
    assert b"alert(1)" in response.content
    assert b"<script>alert(1)" not in response.content
    assert b"<script xmlns" not in response.content


def test_who_may_only_look_sees_the_pages_and_changes_nothing(client: Client) -> None:
    crosswalk = add()
    world.put(world.iso_record("urn:a"))
    user = User.objects.create_user("reader", password="a long password", is_staff=True)
    client.force_login(user)
    address = f"{CROSSWALKS}{crosswalk.pk}/"
    assert client.get(f"{address}preview/").status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_crosswalk"))
    assert "Tried on 49 records" in page(client, f"{address}change/")
    assert "<brief" in page(client, f"{address}preview/")
    assert client.post(f"{address}change/", form(prefix=None, stylesheet=brief("x"))).status_code == 403
    assert client.get(ADD).status_code == 403


def test_a_trial_takes_the_samples_and_the_newest_records_of_the_catalogue() -> None:
    world.put(*(world.iso_record(f"urn:{number}") for number in range(trial.DEFAULTS.newest + 5)))
    world.bury(f"urn:{trial.DEFAULTS.newest + 4}")
    tried = trial.run(brief(), namespace=NAMESPACE, schema=SCHEMA)
    assert (tried.faults, tried.warnings, tried.records) == ((), (), 48 + trial.DEFAULTS.newest)
    assert TITLE in brief()
