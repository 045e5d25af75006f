"""Templates are labelled: placeholders that nobody filled in. None is kept out."""

import pytest

from catalogue import validation
from catalogue.documents import iso19139, sources, templates, xml_tree
from tests.support import world
from tests.support.paths import shared


def faults(document: bytes) -> list[str]:
    return [fault.text for fault in validation.check_document(document).faults if fault.rule == templates.RULE]


@pytest.mark.parametrize(
    "text",
    ["@@fileId@@", "{uuid}", "DE-{uuid}", "${UUID}", "{{ json.id }}", "dscovrFileNamePlaceholder", "placeholder"],
)
@pytest.mark.parametrize("field", ["title", "identifier"])
def test_a_record_with_a_placeholder_is_called_a_template_and_taken(text: str, field: str) -> None:
    document = world.iso_record(**{"identifier": "urn:a", field: text})
    (fault,) = faults(xml_tree.root_element(document))
    assert text.removeprefix("DE-") in fault
    assert iso19139.read(xml_tree.root_element(document)).identifier


@pytest.mark.parametrize("text", ["{E15CD0B3-7E7B-4B0C-9C55-6A5C1D2B9D37}", "a@@b", "{SO4 2-}", "Placeholders", "x{1}"])
def test_other_texts_are_no_placeholders(text: str) -> None:
    assert faults(xml_tree.root_element(world.iso_record("urn:a", title=text))) == []
    assert faults(xml_tree.root_element(world.iso_record(text))) == []


def test_of_the_real_records_only_templates_are_called_so() -> None:
    def called(folder: str) -> set[str]:
        found = set()
        for each in sources.documents([shared("data", folder)]):
            if each.fault is None:
                try:
                    root = xml_tree.parse(xml_tree.root_element(each.content))
                except xml_tree.Unusable:
                    continue
                if any(templates.check(root)):
                    found.add(each.source.rsplit("/", 1)[-1])
        return found

    assert called("iso19139") == {"75d3ca56-36f0-4f26-a9d8-8dadb8a7af84.xml"}  # whose abstract is `Abstract {uuid}`
    assert {name.partition("--")[0] for name in called("awkward")} == {"placeholder", "fidspace", "datestamp"}
