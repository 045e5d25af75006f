"""Pages, sentences and commands in the language of the node (GISC_LANGUAGE), by a language that nobody speaks.

Programs and logs get English whatever the language is.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import formats
from django.utils.translation import gettext

import gisc.formats
from catalogue import bootstrap, seams
from catalogue import reasons as catalogue_reasons
from catalogue.models import MetadataSet
from catalogue.reasons import Sentence
from gisc import language
from gisc.alerts import tick
from gisc.alerts.models import Condition, Message, Recipient
from gisc.glossary import GLOSSARY
from gisc.parts.reasons import PARTS
from harvester import messages, reasons
from harvester.admin import conflicts
from harvester.models import Conflict, Link, Reject
from harvester.reason_names import REASON_NAMES
from oaiprovider.reasons import SENTENCES as INPUTS
from tests.support import pseudo_language, world
from tests.support.paths import ROOT
from tests.support.pseudo_language import BEGIN, END, LANGUAGE, PACKAGES

TABLES = [
    *(messages.FAULTS, messages.CONNECTIONS, messages.OUTCOMES, messages.REMARKS, messages.WARNINGS, messages.REPAIRS),
    *(reasons.ENTRIES, reasons.SETTLEMENTS, reasons.ACTS, catalogue_reasons.SENTENCES, catalogue_reasons.JOURNAL),
    *(PARTS, INPUTS),
]


@pytest.fixture(scope="module")
def catalogue_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    pseudo_language.write_catalogue(folder)
    return folder


@pytest.fixture
def pseudo(settings: Any, catalogue_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A node that speaks the pseudo-language: a folder of texts and one of dates, as CONTRIBUTING.md says."""
    pseudo_language.write_formats(tmp_path / "formats")
    monkeypatch.setattr(gisc.formats, "__path__", [*gisc.formats.__path__, str(tmp_path / "formats")])
    settings.LOCALE_PATHS = [catalogue_folder]
    settings.GISC_LANGUAGE = LANGUAGE
    yield
    formats.reset_format_cache()


@pytest.fixture
def link(toulouse: MetadataSet) -> Link:
    return Link.objects.create(
        name="toulouse", base_url="http://127.0.0.1:1/oai", remote_set=toulouse.spec, local_set=toulouse
    )


@pytest.fixture
def operator(admin_client: Client) -> Client:
    return admin_client


# --- Pages ------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_public_pages_are_in_the_language_of_the_node(pseudo: None, client: Client) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("urn:0", title="Data"))
    for path in ("/", "/?q=data", "/record?id=urn:0", "/nothing", "/harvest/", "/glossary", "/ogcapi/?f=html"):
        page = client.get(path)
        assert page["Content-Language"] == LANGUAGE
        text = page.content.decode()
        assert f'<html lang="{LANGUAGE}"' in text
        assert f"{BEGIN}Harvest status{END}" in text, path
    assert f"{BEGIN}{GLOSSARY[0].words[0].meaning}{END}" in client.get("/glossary").content.decode()


def test_the_page_of_a_link_and_its_messages_are_in_the_language(pseudo: None, operator: Client, link: Link) -> None:
    page = operator.get(f"/admin/harvester/link/{link.pk}/change/").content.decode()
    assert f"{BEGIN}provider&#x27;s lateness, hours{END}" in page.replace("&#39;", "&#x27;").replace(
        "Provider", "provider"
    )
    wrong = operator.post(f"/admin/harvester/link/{link.pk}/change/", {"base_url": f"{link.base_url}?verb=Identify"})
    assert f"{BEGIN}The base URL has no arguments: leave out ? or # and what follows{END}" in wrong.content.decode()


def test_a_reject_is_told_in_the_language(pseudo: None, operator: Client, link: Link) -> None:
    reject = Reject.objects.create(link=link, identifier="urn:0", reason="record-without-metadata", reason_data={})
    page = operator.get(f"/admin/harvester/reject/{reject.pk}/change/").content.decode()
    assert f"{BEGIN}the record has no metadata and is not deleted{END}" in page.lower().replace(
        "The record", "the record"
    )


def test_dates_are_the_same_in_all_languages(pseudo: None) -> None:
    with language.for_people():
        assert formats.get_format("DATETIME_FORMAT") == "Y-m-d H:i:s"
    for translation in (ROOT / "locale").glob("*/LC_MESSAGES"):
        assert (ROOT / "gisc" / "formats" / translation.parent.name / "formats.py").is_file()


# --- Programs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/oai?verb=Identify", "/stats.json", "/harvest/status.json", "/health/ready", "/metrics", "/dcat/?west=1"]
)
def test_what_programs_read_is_english(pseudo: None, client: Client, link: Link, path: str) -> None:
    answer = client.get(path)
    assert BEGIN not in answer.content.decode()
    assert "Content-Language" not in answer


@pytest.mark.django_db
def test_ogc_api_is_english_for_programs_and_in_the_language_for_people(pseudo: None, client: Client) -> None:
    bootstrap.ensure_sets()
    for path in (
        "/ogcapi/",
        "/ogcapi/collections/WIS-CATALOGUE/items",
        "/ogcapi/collections?colour=red",
        "/ogcapi/nothing",
    ):
        answer = client.get(path)
        assert BEGIN not in answer.content.decode()
        assert answer["Content-Language"] == "en"
    page = client.get("/ogcapi/collections?colour=red&f=html").content.decode()
    assert f"<h1>{BEGIN}Bad request{END}</h1>" in page
    assert f"{BEGIN}There is no parameter “colour” here." in page


def test_a_command_speaks_the_language_and_its_json_does_not(pseudo: None) -> None:
    with language.for_command(["manage.py", "link", "list"]):
        assert gettext("Glossary") == f"{BEGIN}Glossary{END}"
    with language.for_command(["manage.py", "link", "list", "--json"]):
        assert gettext("Glossary") == "Glossary"
    assert messages.describe_fault("answer-empty", {}) == "the answer is empty", "logs of a process are English"


# --- All texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_each_sentence_of_a_table_can_be_translated(table: Mapping[str, Sentence]) -> None:
    marked = {one for one, _many in pseudo_language.texts()}
    sentences = {sentence for sentence in table.values() if isinstance(sentence, str)}
    assert sentences - marked - {"", "{text}"} == set()


@pytest.mark.parametrize(
    ("names", "codes"), [(messages.OUTCOME_NAMES, messages.OutcomeCode), (conflicts.KINDS, Conflict.Kind)]
)
def test_each_code_has_a_name_in_the_language(pseudo: None, names: Mapping[Any, object], codes: type[Enum]) -> None:
    assert set(names) == set(codes)
    with language.for_people():
        assert all(BEGIN in gettext(str(name)) for name in names.values())


def test_each_reason_of_an_entry_has_a_name_in_the_language(pseudo: None) -> None:
    """Those of the page of uploads and of acts on records are never the reason of an entry."""
    codes = [code.value for code in catalogue_reasons.ReasonCode]
    about_entries = set(codes[: codes.index("no-room-for-upload")]) - set(OF_FILES)
    assert set(REASON_NAMES) == about_entries | {code.value for code in reasons.EntryCode}
    with language.for_people():
        assert all(BEGIN in messages.name_reason(code) for code in [*REASON_NAMES, *messages.FaultCode])


OF_FILES = ("no-regular-file", "unreadable-file", "cannot-unpack", "archive-damaged", "archive-over-limit")


def test_a_sentence_with_facts_is_in_the_language(pseudo: None) -> None:
    with language.for_people():
        told = messages.describe_fault("no-answer", {"url": "http://a.example/", "detail": "connection-refused"})
        assert told == f"{BEGIN}no answer from http://a.example/: {BEGIN}connection refused{END}{END}"
        assert BEGIN in reasons.describe_reason("too-large", {"bytes": 2e6, "limit": 1e6})


def test_each_help_text_of_a_field_can_be_translated(pseudo: None) -> None:
    with language.for_people():
        unmarked = [
            f"{field.model.__name__}.{field.name}"
            for package in PACKAGES
            for model in apps.get_app_config(package).get_models()
            for field in model._meta.get_fields()
            if (text := str(getattr(field, "help_text", ""))) and BEGIN not in text
        ]
    assert unmarked == []


def test_placeholders_are_named(pseudo: None) -> None:
    positional = [one for one, _many in pseudo_language.texts() if re.search(r"\{\}|%s.*%s", one)]
    assert positional == [], "a translator has to be able to change the order"


@pytest.mark.django_db
def test_alerts_are_written_in_the_language_of_the_node_by_a_worker_that_speaks_english(
    pseudo: None, link: Link
) -> None:
    anna = Recipient.objects.create(name="Anna", email="anna@example.org", weekly=True)
    now = seams.now()
    Condition.objects.create(
        code="link-failed",
        subject=f"link:{link.pk}",
        name=link.name,
        severity="urgent",
        state="failing",
        text="x",
        url="/",
        begun=now,
        first_seen=now,
    )
    Recipient.objects.update(weekly_day=now.weekday(), weekly_hour=0, last_weekly=now - timedelta(days=8))
    tick.run_chores()
    (summary,) = Message.objects.filter(recipient=anna, kind="weekly")
    assert BEGIN in summary.body and gettext("yes") == "yes", "the worker itself goes on in English"
