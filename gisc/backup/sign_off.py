"""What an operator reads at the end of a restore: what was done, what was left alone, and what to do next."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from catalogue import datestamps
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
            [*self._done(), "", "Left as it is:", *self._left(), "", "Next:", *self._numbered(self._next())]
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
            "brought_back": done.brought_back,
            "ingested": {path: [each.as_dict() for each in reports] for path, reports in done.ingested.items()},
            "next": list(self._next()),
        }

    def _done(self) -> Iterator[str]:
        done, replay = self.follow_up, self.follow_up.replay
        if self.manifest is None:
            yield "The database was put back by other means; nothing of it was replaced."
        else:
            figures = self.manifest.figures
            yield (
                f"Restored {self.archive}, made at {datestamps.write(self.manifest.made)} by version "
                f"{self.manifest.software}: {figures.records:,} records, {figures.deleted:,} of them deleted."
            )
        yield (
            f"Journal replayed: {replay.deleted:,} records deleted again, {replay.moved:,} moved again, "
            f"{replay.departed:,} deleted again in a set that they had left; {replay.unchanged:,} needed no change."
        )
        stamped = ", ".join(f"{number:,} of {spec}" for spec, number in done.restamped.items())
        yield f"New datestamps, so that all harvesters take them again: {stamped}."
        yield f"No datestamp is given before {datestamps.write(done.mark)} any more."
        for path, reports in done.ingested.items():
            counts = sum((each.counts for each in reports), Counter[str]())
            named = ", ".join(f"{number:,} {name}" for name, number in sorted((+counts).items()))
            yield f"Ingested before the replay: {path}, {counts.total():,} documents: {named or 'none'}."
        if done.cancelled_runs:
            yield f"{done.cancelled_runs} runs that were open in the copy are ended; their links are harvested again."

    def _left(self) -> Iterator[str]:
        done, replay = self.follow_up, self.follow_up.replay
        is_empty = True
        for text, names in (
            ("in the files, and not stored", self._rejects()),
            ("deleted here, though they were brought back after the copy: ingest them", done.brought_back),
            ("not changed by the replay", [f"{each.identifier} {each.reason}" for each in replay.left]),
            ("in the archive, and other content on disk, which stays", self.journals.left),
            ("lines of the journal that cannot be read", [str(each) for each in replay.damaged]),
            ("events of the journal that no file has", [str(each) for each in replay.missing]),
        ):
            if names:
                is_empty = False
                yield f"  {len(names):,} {text}:"
                yield from (f"    {name}" for name in names[:_MAX_NAMED])
                if len(names) > _MAX_NAMED:
                    yield f"    and {len(names) - _MAX_NAMED:,} more"
        if is_empty:
            yield "  nothing"

    def _rejects(self) -> list[str]:
        reports = [report for reports in self.follow_up.ingested.values() for report in reports]
        rejects = (each for report in reports for each in (*report.rejects, *report.claims))
        return [f"{each.identifier or each.source} {each.reason}" for each in rejects]

    def _next(self) -> Iterator[str]:
        since = f"after {datestamps.write(self.manifest.made)}" if self.manifest else "after the copy was made"
        if not self.follow_up.ingested:
            yield (
                f"What was new or changed {since} is not in the database. Before anybody connects, bring it from your files "
                "(manage.py restore --in-place --records PATH), or from a GISC that has a copy of your set "
                f"(manage.py link add recovery URL --set {settings.GISC_NAME} --kind recovery; manage.py harvest recovery)."
            )
        if self.key_differs:
            links = Link.objects.exclude(sealed_password="").count()
            yield (
                "SECRET_KEY is not that of the backup: set that one in SECRET_KEY_FALLBACKS, or enter the passwords of "
                f"{links} links again."
            )
        yield "Start the node (make run, or docker compose up --detach), and look at /health/ready."
        yield "Make a backup: manage.py backup."

    @staticmethod
    def _numbered(steps: Iterator[str]) -> Iterator[str]:
        return (f"  {number}. {step}" for number, step in enumerate(steps, start=1))
