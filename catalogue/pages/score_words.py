"""Say what the key performance indicators of WCMP 1.3 gave, in words."""

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext

from catalogue.documents import kpi
from catalogue.models import Validation


class ScoreRow(NamedTuple):
    """One indicator of a record: its number and name, and what it reached."""

    number: int
    name: str
    words: str


def grade(label: Validation) -> str:
    """Say the grade of a record and the score of all indicators together; empty where there is none."""
    if label.percent is None:
        return ""
    percent = gettext("{percent:.1f} % of the score").format(percent=label.percent)
    if not label.grade:
        return gettext("{percent}; no grade, as the schemas were not looked at").format(percent=percent)
    if label.grade == kpi.UNGRADED:
        return gettext("U: a rule of the profile is broken ({percent})").format(percent=percent)
    return f"{label.grade} ({percent})"


def scores(label: Validation) -> Iterator[ScoreRow]:
    """Return what a record reached of each indicator. Names are the WMO's own."""
    for place, name in enumerate(kpi.NAMES):
        pair = label.scores[2 * place : 2 * place + 2]
        if len(pair) == 2:
            reached, total = pair
            words = (
                gettext("{reached} of {total}").format(reached=reached, total=total) if total else gettext("not scored")
            )
            yield ScoreRow(place + 1, name, words)
