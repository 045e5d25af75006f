"""`manage.py demo`: three nodes that harvest one another, or one whose links show what can be wrong."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.management.base import BaseCommand
from gisc.demo import demo
from gisc.demo import troubles as demo_of_troubles
from gisc.demo.mesh import MeshFailed


class Command(BaseCommand):
    help = _(
        "Run three nodes on 127.0.0.1:8001-8003 that harvest one another, with the sample records split among them."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--check",
            action="store_true",
            help=gettext(
                "compare the catalogues, change two records, compare again and end; exit status 1 on a difference"
            ),
        )
        what.add_argument(
            "--troubles",
            action="store_true",
            help=gettext(
                "run one node on 127.0.0.1:8001 instead, with links to centres on port 8002 that each have a trouble: "
                "failing, waiting, in doubt, rejects, deletions at once, and more"
            ),
        )

    def handle(self, *, check: bool, troubles: bool, **_: Any) -> None:
        folder = Path(settings.GISC_DATA_DIR) / "demo"
        try:
            if troubles:
                demo_of_troubles.show(folder)
            elif not check:
                demo.show(folder)
            elif not demo.check(folder):
                raise SystemExit(1)
        except MeshFailed as exc:
            raise CommandError(str(exc)) from exc
