"""manage.py copy URL FOLDER: copy the records of any provider into a folder; needs no link, no database, no node."""

import json
import sqlite3
from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue import datestamps, oai
from catalogue.datestamps import Granularity
from catalogue.management.base import BaseCommand
from harvester import messages
from harvester.copying.copier import Copier, CopyRequest, ListBounds
from harvester.copying.folder import CopyFolder, FolderUnusable
from harvester.errors import HarvestError
from harvester.management import access_options
from harvester.models import Link
from harvester.net import access

_NOT_COMPLETE, _WRONG, _REFUSED = 1, 2, 3


class Command(BaseCommand):
    help = _(
        "Copy the records of an OAI-PMH provider into a folder, one file a record, with a manifest. Called again, it goes "
        "on where it was broken off, or asks for what has changed since. It needs no link, no database and no node. "
        "Exit status 0: the copy is complete; 1: it is not, call again to go on; 2: nothing was asked, as options or "
        "folder are wrong; 3: the copy is complete but for records that cannot be read."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url", metavar="URL", help=gettext("base URL of the provider"))
        parser.add_argument(
            "folder", metavar="FOLDER", help=gettext("a new folder, or one that has a copy of the same URL")
        )
        parser.add_argument("--set", dest="remote_set", metavar="SPEC", help=gettext("only records of this set"))
        parser.add_argument(
            "--prefix", help=gettext("metadata prefix; by default that of ISO 19139, or oai_dc where there is none")
        )
        parser.add_argument(
            "--from", dest="begin", metavar="DATE", type=_datestamp, help=gettext("only what changed since")
        )
        parser.add_argument(
            "--until", dest="end", metavar="DATE", type=_datestamp, help=gettext("only what changed until then")
        )
        parser.add_argument("--gzip", action="store_true", default=None, help=gettext("compress the files (.xml.gz)"))
        parser.add_argument(
            "--delay",
            type=_seconds,
            default=0.0,
            metavar="SECONDS",
            help=gettext("pause before each request; 0.5, for example"),
        )
        parser.add_argument("--json", action="store_true", help=gettext("print the report as JSON"))
        access_options.add_to(parser)

    def handle(self, *, url: str, folder: str, **options: Any) -> None:
        link = Link(base_url=url)
        access_options.apply(link, options)
        faults = access.faults(
            base_url=url,
            user=link.user,
            certificates=link.certificates,
            proxy=link.proxy,
            proxy_user=link.proxy_user,
            user_agent=link.user_agent,
        )
        if faults:
            raise CommandError("; ".join(faults.values()) + ".", returncode=_WRONG)
        if options["prefix"] and not oai.PREFIX.fullmatch(options["prefix"]):
            raise CommandError(
                gettext("{prefix!r} is no metadata prefix.").format(prefix=options["prefix"]), returncode=_WRONG
            )
        try:
            with CopyFolder(Path(folder)) as copy_folder:
                request = self._request(copy_folder, url, options)
                copier = Copier(
                    copy_folder,
                    request,
                    link.access_to_own_provider(),
                    delay_s=options["delay"],
                    first_wait_s=settings.GISC_RETRY_SECONDS,
                    report=self._report,
                )
                self._copy(copy_folder, copier, ListBounds(options["begin"], options["end"]), as_json=options["json"])
        except FolderUnusable as exc:
            raise CommandError(messages.as_sentence(str(exc)), returncode=_WRONG) from exc
        except (OSError, sqlite3.Error) as exc:
            cause = exc.strerror if isinstance(exc, OSError) and exc.strerror else exc
            raise CommandError(
                gettext("{folder} cannot be written ({cause}); call again to go on.").format(
                    folder=folder, cause=cause
                ),
                returncode=_WRONG,
            ) from exc

    def _request(self, folder: CopyFolder, url: str, options: dict[str, Any]) -> CopyRequest:
        """What is copied: as the folder has it, or as the options say. Raises FolderUnusable where they differ."""
        names = ("base_url", "remote_set", "prefix", "is_compressed")
        given = dict(zip(names, (url, options["remote_set"], options["prefix"], options["gzip"]), strict=True))
        kept = folder.load("request")
        if kept is None:
            return CopyRequest(url, options["remote_set"] or "", options["prefix"] or "", bool(options["gzip"]))
        for name, value in given.items():
            if value is not None and value != kept[name]:
                words = {"base_url": "URL", "remote_set": "--set", "prefix": "--prefix", "is_compressed": "--gzip"}
                raise FolderUnusable(
                    gettext("{path} has a copy with {option} {there!r}, not {given!r}; name another folder").format(
                        path=folder.path, option=words[name], there=kept[name], given=value
                    )
                )
        return CopyRequest(**kept)

    def _copy(self, folder: CopyFolder, copier: Copier, bounds: ListBounds, *, as_json: bool) -> None:
        fault: HarvestError | None = None
        try:
            copier.copy(bounds)
        except HarvestError as exc:
            fault = exc
        for sentence in copier.warnings:
            self._report(gettext("warning: {sentence}").format(sentence=sentence))
        complete, refused = folder.load("complete"), folder.refused()
        if as_json:
            report = {
                "complete": fault is None,
                "harvested_to": complete and complete["harvested_to"],
                "live": folder.live,
                "counted": dict(copier.counted),
                "refused": [{"identifier": identifier, "reason": reason} for identifier, reason in refused],
                "fault": fault and {**fault.to_json(), "sentence": str(fault)},
            }
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=2))
        else:
            if fault is None:
                text = ngettext(
                    "complete: {summary}; {number} record in {path}",
                    "complete: {summary}; {number} records in {path}",
                    folder.live,
                )
            else:
                text = ngettext(
                    "not complete, call again to go on: {summary}; {number} record in {path}",
                    "not complete, call again to go on: {summary}; {number} records in {path}",
                    folder.live,
                )
            self.stdout.write(text.format(summary=copier.summary, number=folder.live, path=folder.path))
        if fault is not None:
            self._report(messages.as_sentence(str(fault)))
            raise SystemExit(_NOT_COMPLETE)
        if refused or copier.counted["refused"]:
            raise SystemExit(_REFUSED)

    def _report(self, line: str) -> None:
        self.stderr.write(line)


def _datestamp(text: str) -> tuple[datetime, Granularity]:
    try:
        return datestamps.parse(text)
    except ValueError as exc:
        raise ArgumentTypeError(str(exc)) from exc


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 3600:
        raise ArgumentTypeError(gettext("{text!r} is no number of seconds from 0 to 3600").format(text=text[:40]))
    return seconds
