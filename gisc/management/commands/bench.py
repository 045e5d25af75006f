"""`manage.py bench`: print the benchmark tables of docs/benchmarks.md; needs an empty catalogue."""

import logging
import os
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.bulk import ingest
from catalogue.management.base import BaseCommand
from catalogue.management.option_types import whole_number
from catalogue.models import Record
from gisc import database, embedded
from gisc.bench import beside_pycsw as pycsw_bench
from gisc.bench import catalogue as catalogue_bench
from gisc.bench import harvest as harvest_bench
from gisc.bench import load as load_bench
from gisc.bench import provider as provider_bench
from gisc.bench import public as public_bench
from gisc.bench import queue as queue_bench
from gisc.bench import set_search as set_search_bench
from gisc.bench import shared_cache as shared_cache_bench
from gisc.bench import soak as soak_bench
from gisc.bench import upload as upload_bench
from gisc.bench import year as year_bench
from gisc.bench.catalogue import Row


class Command(BaseCommand):
    help = _("Measure the catalogue with N records. Needs an empty embedded database of its own: use `make bench`.")
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("records", nargs="?", type=whole_number(0, 100_000_000), default=10_000, metavar="N")
        parser.add_argument("--processes", type=whole_number(1, 1000), default=ingest.default_processes(), metavar="P")
        parser.add_argument("--small", action="store_true", help=gettext("records of 7 kB instead of 21"))
        parser.add_argument(
            "--runs",
            type=whole_number(1, 1_000_000_000),
            default=1_000_000,
            metavar="R",
            help=gettext("with --year: of all links"),
        )
        parser.add_argument(
            "--links", type=whole_number(1, 10_000), default=200, metavar="L", help=gettext("with --year")
        )
        parser.add_argument(
            "--harvesters", type=whole_number(1, 250), default=32, metavar="H", help=gettext("with --load")
        )
        only = parser.add_mutually_exclusive_group()
        only.add_argument("--provider", action="store_true", help=gettext("measure what /oai serves, and nothing else"))
        only.add_argument(
            "--harvest", action="store_true", help=gettext("measure a harvest of all records, and nothing else")
        )
        only.add_argument(
            "--upload", action="store_true", help=gettext("measure an upload beside ingest, and nothing else")
        )
        only.add_argument(
            "--set-search", action="store_true", help=gettext("measure ingest beside a set that is defined by a search")
        )
        only.add_argument("--public", action="store_true", help=gettext("measure the public pages, and nothing else"))
        only.add_argument(
            "--load",
            action="store_true",
            help=gettext("have many harvesters read all records while links harvest and people use the pages"),
        )
        only.add_argument(
            "--year", action="store_true", help=gettext("measure the pages on links and runs after a year")
        )
        only.add_argument(
            "--soak",
            type=whole_number(1, 100_000),
            metavar="MINUTES",
            help=gettext("watch what grows in a node that harvests; no records"),
        )
        only.add_argument(
            "--pycsw", metavar="PYTHON", help=gettext("measure searches beside pycsw, which this Python has")
        )
        only.add_argument(
            "--shared-cache",
            action="store_true",
            help=gettext("measure pages from the cache of nginx beside nginx without it"),
        )
        only.add_argument(
            "--queue", action="store_true", help=gettext("measure 200 links that are due at once; no records")
        )

    def handle(self, *, records: int, processes: int, small: bool, **options: Any) -> None:
        folder = Path(settings.GISC_DATA_DIR)
        if options["queue"] or options["soak"]:
            run = partial(soak_bench.run, minutes=options["soak"]) if options["soak"] else queue_bench.run
            table = catalogue_bench.table(run(folder, say=self.stderr.write))
            self.stdout.write(f"\n{os.cpu_count()} cores\n\n{table}")
            return
        if not settings.GISC_EMBEDDED_DATABASE:
            raise CommandError(
                gettext("DATABASE_URL is set; a benchmark needs an embedded database: use `make bench`.")
            )
        with embedded.database(folder):
            database.prepare()
            if Record.objects.exists():
                raise CommandError(
                    gettext(
                        "{folder} has a catalogue with records; a benchmark needs an empty one: use `make bench`."
                    ).format(folder=folder)
                )
            lacking = catalogue_bench.lack_of_room(folder, records)
            if lacking:
                raise CommandError(gettext("{lacking}; name another folder in TMPDIR.").format(lacking=lacking))
            # The log of each request shall not be measured.
            logging.getLogger("oaiprovider").setLevel(logging.WARNING)
            benches: dict[str, Callable[..., list[Row]]] = {
                "provider": provider_bench.run,
                "harvest": harvest_bench.run,
                "public": public_bench.run,
                "load": partial(load_bench.run, harvesters=options["harvesters"]),
                "upload": upload_bench.run,
                "set_search": set_search_bench.run,
                "shared_cache": shared_cache_bench.run,
                "pycsw": partial(pycsw_bench.run, python=options["pycsw"]),
                "year": partial(year_bench.run, runs=options["runs"], links=options["links"]),
            }
            measure = next((run for name, run in benches.items() if options[name]), catalogue_bench.run)
            rows = measure(folder, records=records, processes=processes, small=small, say=self.stderr.write)
            if measure is catalogue_bench.run:
                rows += provider_bench.whole_list(self.stderr.write)
        self.stdout.write(
            f"\n{records:,} records, {processes} processes of {os.cpu_count()} cores\n\n{catalogue_bench.table(rows)}"
        )
        if faults := sum(row.what == load_bench.FAULT for row in rows):
            raise CommandError(gettext("Not as it should be: {faults} lines of the table.").format(faults=faults))
