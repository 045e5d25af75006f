"""List who is alerted, send a test, or do what the worker does: `manage.py alerts list|test|tick`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from catalogue.management.base import BaseCommand
from gisc.alerts import outbox
from gisc.alerts import tick as chores
from gisc.alerts.models import Message, Recipient


class Command(BaseCommand):
    help = "Show who is alerted, send a test to one of them, or find and send what is due."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help="recipients, and what waits for each")
        test = acts.add_parser("test", help="send a test now")
        test.add_argument("name", help="of the recipient")
        acts.add_parser("tick", help="find what has begun or is over, and send what is due; as the worker does")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "list":
            self._list()
        elif options["act"] == "test":
            self._test(options["name"])
        else:
            chores.run_chores()
            self.stdout.write(f"Alerts sent: {outbox.send_due()}")

    def _list(self) -> None:
        waiting = Message.objects.filter(sent=None).exclude(kind=Message.Kind.TEST)
        for recipient in Recipient.objects.all():
            number = waiting.filter(recipient=recipient).count()
            address = recipient.email or f"{recipient.service} (address not shown)"
            state = "" if recipient.enabled else ", not enabled"
            self.stdout.write(f"{recipient}: {address}{state}, {number} alerts wait")

    def _test(self, name: str) -> None:
        recipient = Recipient.objects.filter(name=name).first()
        if recipient is None:
            names = ", ".join(Recipient.objects.values_list("name", flat=True)) or "none"
            raise CommandError(f"There is no recipient {name!r}; there are: {names}")
        if fault := outbox.send_test(recipient):
            raise CommandError(f"Nothing was sent to {name}. {fault}")
        self.stdout.write(f"A test was sent to {name}.")
