"""Score records with pywcmp, in a Python that has it: files on the command line, JSON on standard output.

No spelling is checked and no link is asked: every word is right, every link is broken. A record on which an indicator fails has none.
"""

import importlib
import json
import sys

from lxml import etree

kpi = importlib.import_module("pywcmp.kpi")  # the package has a command of the same name
kpi.check_url = lambda url, check_ssl: {"accessible": False, "mime-type": None, "url-original": url}
Indicators = kpi.WMOCoreMetadataProfileKeyPerformanceIndicators
Indicators._check_spelling = lambda self, text: []

scores = []
for path in sys.argv[1:]:
    of_file = {}
    try:
        indicators = Indicators(etree.parse(path))
    except Exception:
        scores.append(of_file)
        continue
    for number in (2, 3, 4, 5, 6, 7, 9, 10, 11, 12):
        try:
            _, total, reached, _ = getattr(indicators, f"kpi_{number:03}")()
        except Exception:
            continue
        of_file[number] = [reached, total]
    scores.append(of_file)
grades = {percent: kpi.calculate_grade(percent) for percent in (100.0, 80.0, 79.9, 65.0, 50.0, 35.0, 20.0)}
print(json.dumps({"scores": scores, "grades": grades}))
