"""The key performance indicators of WCMP 1.3 beside pywcmp 0.3.0, the WMO's own program."""

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from lxml import etree

from catalogue.documents import kpi
from tests.support.installing import python_with
from tests.support.paths import ROOT, shared

GMX, GML = "http://www.isotc211.org/2005/gmx", "http://www.opengis.net/gml/3.2"
# What ours leaves out of an indicator, of pywcmp's figures with no word wrong and every link broken: (reached, total).
LEFT_OUT = {2: (1, 8), 3: (1, 3), 7: (0, 3)}


def write_lists(home: Path) -> None:
    """The code lists where pywcmp looks for them: ISO's as published, the WMO's as we know them."""
    folder = home / ".pywcmp" / "schema" / "resources" / "Codelist"
    folder.mkdir(parents=True)
    iso = shared("schemas/schemas.opengis.net/iso/19139/20070417/resources/codelist/gmxCodelists.xml")
    shutil.copyfile(iso, folder / "gmxCodelists.xml")
    root = etree.Element(f"{{{GMX}}}CT_CodelistCatalogue", nsmap={"gmx": GMX, "gml": GML})
    for name, codes in kpi.WMO_LISTS.items():
        item = etree.SubElement(root, f"{{{GMX}}}codelistItem")
        dictionary = etree.SubElement(item, f"{{{GMX}}}CodeListDictionary", {f"{{{GML}}}id": name})
        for code in sorted(codes):
            entry = etree.SubElement(etree.SubElement(dictionary, f"{{{GMX}}}codeEntry"), f"{{{GMX}}}CodeDefinition")
            etree.SubElement(entry, f"{{{GML}}}identifier").text = code
    etree.ElementTree(root).write(str(home / ".pywcmp" / "WMOCodeLists.xml"))


def theirs(files: Iterable[Path], home: Path) -> dict:
    python = python_with("pywcmp==0.3.0")
    write_lists(home)
    script = ROOT / "tests" / "interop" / "clients" / "pywcmp_scores.py"
    done = subprocess.run(
        [str(python), str(script), *map(str, files)],
        env={"HOME": str(home), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_every_indicator_has_the_score_that_pywcmp_gives(tmp_path: Path) -> None:
    samples = sorted((ROOT / "catalogue" / "samples").rglob("*.xml"))
    real = sorted(shared("data/iso19139").rglob("*.xml"))[::7]
    files = [file for file in (*samples, *real) if b"MD_Metadata" in file.read_bytes()[:2000]]
    answer = theirs(files, tmp_path)
    compared: dict[int, int] = {}
    for file, scores in zip(files, answer["scores"], strict=True):
        root = etree.fromstring(file.read_bytes())
        ours = kpi.score(root, (), with_schemas=True).scores
        for name, (reached, total) in scores.items():
            number = int(name)
            if number in LEFT_OUT:
                of_one, total_of_one = LEFT_OUT[number]
                items = total // total_of_one
                reached -= of_one * items
                total -= items if number != 7 else 2 * items
            if number == 12 and total == 3:
                assert not kpi._DOIS(root)
            assert tuple(ours[number - 1]) == (reached, total), (file.name, number)
            compared[number] = compared.get(number, 0) + 1
    assert set(compared) == {2, 3, 4, 5, 6, 7, 9, 10, 11, 12}
    assert min(compared.values()) > 100, compared


def test_the_grades_are_those_of_pywcmp(tmp_path: Path) -> None:
    for percent, grade in theirs([], tmp_path)["grades"].items():
        assert kpi._grade(kpi.Score(13, 13), float(percent)) == grade
    assert kpi._grade(kpi.Score(13, 13), 19.9) == "F"
    assert kpi._grade(kpi.Score(12, 13), 100.0) == "U"


@pytest.mark.parametrize("with_schemas", [True, False])
def test_each_broken_rule_costs_a_point_and_the_grade(with_schemas: bool) -> None:
    root = etree.fromstring(next((ROOT / "catalogue" / "samples").rglob("*.xml")).read_bytes())
    whole = kpi.score(root, (), with_schemas=with_schemas)
    broken = kpi.score(root, ("8.2.1", "8.2.1", "9.3.1", "template", "node"), with_schemas=with_schemas)
    rules = 13 if with_schemas else 12
    assert (whole.scores[0], broken.scores[0]) == ((rules, rules), (rules - 2, rules))
    assert broken.grade == ("U" if with_schemas else "")
    assert bool(whole.grade) is with_schemas
