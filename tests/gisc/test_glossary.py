"""The glossary: a public page whose words other pages link to by their anchors."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from lxml import html

from gisc.glossary import GLOSSARY
from tests.support.paths import ROOT

WORDS = [word for group in GLOSSARY for word in group.words]
ANCHOR_IN_TEMPLATE = re.compile(r"""\{% url ["']glossary["'] %\}#([\w-]+)""")


@pytest.mark.django_db
def test_each_word_has_its_meaning_at_its_anchor(client: Client) -> None:
    page = html.fromstring(client.get("/glossary").content)
    for word in WORDS:
        entry = page.get_element_by_id(word.anchor)
        assert entry.findtext("dt/a") == word.name
        assert entry.findtext("dd") == word.meaning
    assert len({word.anchor for word in WORDS}) == len(WORDS)


def test_each_meaning_is_two_plain_sentences() -> None:
    long_winded = [word.anchor for word in WORDS if len(re.findall(r"[.](?= [A-Z]|$)", str(word.meaning))) != 2]
    assert not long_winded


@pytest.mark.django_db
def test_public_pages_and_administration_lead_to_it(client: Client) -> None:
    assert html.fromstring(client.get("/").content).xpath("//footer//a[@href='/glossary']")
    client.force_login(User.objects.create_superuser("ada"))
    assert html.fromstring(client.get("/admin/").content).xpath("//a[@href='/glossary']")


def test_each_word_that_a_page_links_to_is_there() -> None:
    anchors = {word.anchor for word in WORDS}
    linked = {
        (str(file.relative_to(ROOT)), anchor)
        for file in (ROOT / "templates").rglob("*.html")
        for anchor in ANCHOR_IN_TEMPLATE.findall(file.read_text(encoding="utf-8"))
    }
    assert {place for place in linked if place[1] not in anchors} == set()
