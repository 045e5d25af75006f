"""`manage.py node`: the whole node in the foreground."""

from typing import Any

from django.core.management.base import BaseCommand

from gisc.node import node


class Command(BaseCommand):
    help = "Run the whole node in the foreground: web server, harvest workers, scheduler and embedded servers."
    requires_system_checks = "__all__"
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        node.run()
