"""`manage.py demo`: three nodes that harvest one another."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from gisc.demo import demo
from gisc.demo.mesh import MeshFailed


class Command(BaseCommand):
    help = "Run three nodes on 127.0.0.1:8001-8003 that harvest one another, with the sample records split among them."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="compare the catalogues, change two records, compare again and end; exit status 1 on a difference",
        )

    def handle(self, *, check: bool, **_: Any) -> None:
        folder = Path(settings.GISC_DATA_DIR) / "demo"
        try:
            if not check:
                demo.show(folder)
            elif not demo.check(folder):
                raise SystemExit(1)
        except MeshFailed as exc:
            raise CommandError(str(exc)) from exc
