"""What an operator reads at the end of a restore: what was done, what was left alone, and what to do next."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext, ngettext

from catalogue import datestamps
from catalogue.bulk import ingest
from gisc.backup.archive import Manifest
from gisc.backup.backup import has_key_of
from gisc.backup.follow_up import FollowUpReport
from gisc.backup.journals import PutBackReport
from harvester.models import Link

_MAX_NAMED = 20


@dataclass(frozen=True, slots=True)
class SignOff:
    """The end of a restore. `archive`, `manifest`: None if the database was put back by other means."""

    follow_up: FollowUpReport
    archive: Path | None = None
    manifest: Manifest | None = None
    journals: PutBackReport = field(default_factory=PutBackReport)

    @property
    def key_differs(self) -> bool:
        """Whether the node had another SECRET_KEY when the backup was made, which is not in SECRET_KEY_FALLBACKS either."""
        return self.manifest is not None and not has_key_of(self.manifest.key_check)

    def text(self) -> str:
        """Return the report for people."""
        return "\n".join(
            [
                *self._done(),
                "",
                gettext("Left as it is:"),
                *self._left(),
                "",
                gettext("Next:"),
                *self._numbered(self._next()),
            ]
        )

    def report(self) -> dict[str, Any]:
        """Return the report for --json."""
        done, replay = self.follow_up, self.follow_up.replay
        return {
            "archive": self.archive and str(self.archive),
            "made": self.manifest and datestamps.write(self.manifest.made),
            "records": self.manifest and self.manifest.figures.records,
            "secret_key_differs": self.key_differs,
            "mark": datestamps.write(done.mark),
            "journal_files": asdict(self.journals),
            "replay": {
                "deleted": replay.deleted,
                "moved": replay.moved,
                "departed": replay.departed,
                "unchanged": replay.unchanged,
                "left_alone": replay.left_alone,
                "left": [left.report() for left in replay.left],
                "damaged_lines": [str(damage) for damage in replay.damaged],
                "missing": [str(missing) for missing in replay.missing],
            },
            "restamped": done.restamped,
            "cancelled_runs": done.cancelled_runs,
            "signed_out": done.signed_out,
            "brought_back": done.brought_back,
            "ingested": {path: [each.as_dict() for each in reports] for path, reports in done.ingested.items()},
            "next": list(self._next()),
        }

    def _done(self) -> Iterator[str]:
        done, replay = self.follow_up, self.follow_up.replay
        if self.manifest is None:
            yield gettext("The database was put back by other means; nothing of it was replaced.")
        else:
            figures = self.manifest.figures
            yield gettext(
                "Restored {archive}, made at {made} by version {version}: {records:,} records, {deleted:,} of them deleted."
            ).format(
                archive=self.archive,
                made=datestamps.write(self.manifest.made),
                version=self.manifest.software,
                records=figures.records,
                deleted=figures.deleted,
            )
        yield gettext(
            "Journal replayed: {deleted:,} records deleted again, {moved:,} moved again, {departed:,} deleted again in a "
            "set that they had left; {unchanged:,} needed no change."
        ).format(deleted=replay.deleted, moved=replay.moved, departed=replay.departed, unchanged=replay.unchanged)
        stamped = ", ".join(
            gettext("{number:,} of {spec}").format(number=number, spec=spec) for spec, number in done.restamped.items()
        )
        yield gettext("New datestamps, so that all harvesters take them again: {stamped}.").format(stamped=stamped)
        yield gettext("No datestamp is given before {mark} any more.").format(mark=datestamps.write(done.mark))
        for path, reports in done.ingested.items():
            counts = sum((each.counts for each in reports), Counter[str]())
            texts = ingest.count_texts().items()
            named = ", ".join(text.format(number=f"{counts[name]:,}") for name, text in texts if counts[name])
            yield ngettext(
                "Ingested before the replay: {path}, {number:,} document: {counts}.",
                "Ingested before the replay: {path}, {number:,} documents: {counts}.",
                counts.total(),
            ).format(path=path, number=counts.total(), counts=named or gettext("none"))
        if done.cancelled_runs:
            yield ngettext(
                "{number} run that was open in the copy is ended; its link is harvested again.",
                "{number} runs that were open in the copy are ended; their links are harvested again.",
                done.cancelled_runs,
            ).format(number=done.cancelled_runs)
        if done.signed_out:
            yield ngettext(
                "{number} session that the copy had is ended; people sign in again.",
                "{number} sessions that the copy had are ended; people sign in again.",
                done.signed_out,
            ).format(number=done.signed_out)

    def _left(self) -> Iterator[str]:
        done, replay = self.follow_up, self.follow_up.replay
        is_empty = True
        not_changed = [f"{each.identifier} {each.reason}" for each in replay.left]  # the first thousand
        for text, names in (
            (gettext("{number:,} in the files, and not stored:"), self._rejects()),
            (
                gettext("{number:,} deleted here, though they were brought back after the copy: ingest them:"),
                done.brought_back,
            ),
            (gettext("{number:,} not changed by the replay:"), not_changed),
            (gettext("{number:,} in the archive, and other content on disk, which stays:"), self.journals.left),
            (gettext("{number:,} lines of the journal that cannot be read:"), [str(each) for each in replay.damaged]),
            (gettext("{number:,} events of the journal that no file has:"), [str(each) for each in replay.missing]),
        ):
            if names:
                is_empty = False
                number = replay.left_alone if names is not_changed else len(names)
                yield f"  {text.format(number=number)}"
                yield from (f"    {name}" for name in names[:_MAX_NAMED])
                if number > _MAX_NAMED:
                    yield f"    {gettext('and {number:,} more').format(number=number - _MAX_NAMED)}"
        if is_empty:
            yield f"  {gettext('nothing')}"

    def _rejects(self) -> list[str]:
        reports = [report for reports in self.follow_up.ingested.values() for report in reports]
        rejects = (each for report in reports for each in (*report.rejects, *report.claims))
        return [f"{each.identifier or each.source} {each.reason}" for each in rejects]

    def _next(self) -> Iterator[str]:
        if not self.follow_up.ingested:
            text = (
                gettext("What was new or changed after {made} is not in the database. {advice}")
                if self.manifest
                else gettext("What was new or changed after the copy was made is not in the database. {advice}")
            )
            advice = gettext(
                "Before anybody connects, bring it from your files (manage.py restore --in-place --records PATH), or from "
                "a GISC that has a copy of your set (manage.py link add recovery URL --set {spec} --kind recovery; "
                "manage.py harvest recovery)."
            ).format(spec=settings.GISC_NAME)
            yield text.format(made=self.manifest and datestamps.write(self.manifest.made), advice=advice)
        if self.key_differs:
            links = Link.objects.exclude(sealed_password="").count()
            yield ngettext(
                "SECRET_KEY is not that of the backup: set that one in SECRET_KEY_FALLBACKS, or enter the password of {links} "
                "link again.",
                "SECRET_KEY is not that of the backup: set that one in SECRET_KEY_FALLBACKS, or enter the passwords of {links} "
                "links again.",
                links,
            ).format(links=links)
        yield gettext("Start the node (make run, or docker compose up --detach), and look at /health/ready.")
        yield gettext("Make a backup: manage.py backup.")

    @staticmethod
    def _numbered(steps: Iterator[str]) -> Iterator[str]:
        return (f"  {number}. {step}" for number, step in enumerate(steps, start=1))
