"""What the page of a record shows beside its stored fields, of any record."""

import pytest
from django.test import Client

from catalogue.discovery import schema_org
from catalogue.documents import details, xml_tree
from catalogue.models import Record
from catalogue.payloads import payload
from catalogue.writing import store
from tests.support.paths import shared
from tests.support.world import iso_record, own_set

CONSTRAINTS = b"""<gmd:resourceConstraints xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:xlink="http://www.w3.org/1999/xlink">
<gmd:MD_LegalConstraints><gmd:useLimitation><gco:CharacterString>Cite the source.</gco:CharacterString></gmd:useLimitation>
<gmd:useConstraints><gmd:MD_RestrictionCode codeList="x" codeListValue="otherRestrictions"/></gmd:useConstraints>
<gmd:otherConstraints><gmx:Anchor xlink:href="https://licence.example.org/by/4.0">Attribution 4.0</gmx:Anchor></gmd:otherConstraints>
<gmd:otherConstraints><gco:CharacterString>https://licence.example.org/zero</gco:CharacterString></gmd:otherConstraints>
<gmd:otherConstraints><gmx:Anchor xlink:href="http://wis.example.org/codelists/WMOCodeLists.xml#GTS">GTSPriority3</gmx:Anchor></gmd:otherConstraints>
<gmd:otherConstraints><gco:CharacterString>WMOEssential</gco:CharacterString></gmd:otherConstraints>
</gmd:MD_LegalConstraints></gmd:resourceConstraints>"""


def test_constraints_licences_and_dates_are_read() -> None:
    document = iso_record("urn:a").replace(
        b"<gmd:language><gmd:LanguageCode", CONSTRAINTS + b"<gmd:language><gmd:LanguageCode"
    )
    # the first gmd:language is the record's own; constraints stand in the identification
    document = document.replace(CONSTRAINTS, b"", 1)
    said = details.read(xml_tree.root_element(document))
    assert said.constraints.limitations == ("Cite the source.",)
    assert said.constraints.use == ("otherRestrictions",)
    assert said.constraints.others == ("Attribution 4.0", "GTSPriority3", "WMOEssential")
    assert said.constraints.licences == ("https://licence.example.org/by/4.0", "https://licence.example.org/zero")
    assert [tuple(each) for each in said.dates] == [("publication", "2020-01-01")]
    assert said.topics == ("climatologyMeteorologyAtmosphere",)


def test_what_is_missing_is_empty() -> None:
    root = (
        b'<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">'
    )
    root += (
        b"<gmd:fileIdentifier><gco:CharacterString>urn:a</gco:CharacterString></gmd:fileIdentifier></gmd:MD_Metadata>"
    )
    said = details.read(root)
    assert said == details.RecordDetails(titles={}, abstracts={})


@pytest.mark.django_db
def test_every_real_record_has_a_page_and_a_dataset(client: Client) -> None:
    entries = []
    for file in sorted(shared("data/iso19139").rglob("*.xml")):
        try:
            entries.append(store.prepare(file.read_bytes()))
        except xml_tree.Unusable:
            continue
    store.put_entries(entries, into=own_set())
    records = list(Record.objects.select_related("description").filter(deleted=False).order_by("id"))
    assert len(records) > 1000
    for number, record in enumerate(records):
        said = details.read(payload.unpack(record.payload))
        dataset = schema_org.dataset(
            record, record.description, said, "https://x.example.org/r", "https://x.example.org/"
        )
        assert dataset["name"] and dataset["identifier"][0] == record.identifier
        assert "<" not in schema_org.as_script(dataset)
        if number % 25 == 0:
            assert client.get("/record", {"id": record.identifier}).status_code == 200
            assert client.get("/contacts", {"id": record.identifier}).status_code == 200
