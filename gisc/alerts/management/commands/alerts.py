"""List who is alerted, send a test, or do what the worker does: `manage.py alerts list|test|tick`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue.management.base import BaseCommand
from gisc.alerts import outbox
from gisc.alerts import tick as chores
from gisc.alerts.models import Message, Recipient


class Command(BaseCommand):
    help = _("Show who is alerted, send a test to one of them, or find and send what is due.")

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help=gettext("recipients, and what waits for each"))
        test = acts.add_parser("test", help=gettext("send a test now"))
        test.add_argument("name", help=gettext("of the recipient"))
        acts.add_parser(
            "tick", help=gettext("find what has begun or is over, and send what is due; as the worker does")
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "list":
            self._list()
        elif options["act"] == "test":
            self._test(options["name"])
        else:
            chores.run_chores()
            self.stdout.write(gettext("Alerts sent: {number}").format(number=outbox.send_due()))

    def _list(self) -> None:
        waiting = Message.objects.filter(sent=None).exclude(kind=Message.Kind.TEST)
        recipients = Recipient.objects.all()
        if not recipients:
            self.stdout.write(gettext("There is no recipient: nobody is alerted. Add one in the administration."))
        for recipient in recipients:
            number = waiting.filter(recipient=recipient).count()
            address = recipient.email or gettext("{service} (address not shown)").format(service=recipient.service)
            if recipient.enabled:
                text = ngettext(
                    "{recipient}: {address}, {number} alert waits",
                    "{recipient}: {address}, {number} alerts wait",
                    number,
                )
            else:
                text = ngettext(
                    "{recipient}: {address}, not enabled, {number} alert waits",
                    "{recipient}: {address}, not enabled, {number} alerts wait",
                    number,
                )
            self.stdout.write(text.format(recipient=recipient, address=address, number=number))

    def _test(self, name: str) -> None:
        recipient = Recipient.objects.filter(name=name).first()
        if recipient is None:
            names = ", ".join(Recipient.objects.values_list("name", flat=True)) or gettext("none")
            raise CommandError(
                gettext("There is no recipient {name!r}; there are: {names}").format(name=name, names=names)
            )
        if fault := outbox.send_test(recipient):
            raise CommandError(gettext("Nothing was sent to {name}. {fault}").format(name=name, fault=fault))
        self.stdout.write(gettext("A test was sent to {name}.").format(name=name))
