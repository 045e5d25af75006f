"""`manage.py node`: the whole node in the foreground."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from catalogue.management.base import BaseCommand
from gisc import language
from gisc.node import node


class Command(BaseCommand):
    help = _("Run the whole node in the foreground: web server, harvest workers, scheduler and embedded servers.")
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        with language.for_programs():  # it writes logs; what it prints for people asks for their language
            node.run()
