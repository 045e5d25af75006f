"""manage.py second_factor list|reset NAME: which accounts have a second factor; let in whoever has lost phone and codes."""

import json
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue.management.base import BaseCommand
from gisc.accounts import second_factor


class Command(BaseCommand):
    """Report on second factors, and remove one."""

    help = _(
        "List the accounts that have a second factor, or reset that of an account: it signs in with its password alone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        listing = acts.add_parser("list", help=gettext("list the accounts and whether they have a second factor"))
        listing.add_argument("--json", action="store_true", help=gettext("print JSON"))
        acts.add_parser("reset", help=gettext("remove the second factor of an account")).add_argument(
            "name", help=gettext("the account")
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "list":
            found = {user.get_username(): second_factor.has(user) for user in User.objects.order_by("username")}
            if options["json"]:
                self.stdout.write(json.dumps(found, ensure_ascii=False))
            else:
                self.stdout.write(
                    "\n".join(f"{name}: {gettext('yes') if has else gettext('no')}" for name, has in found.items())
                )
            return
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(gettext("there is no account {name}").format(name=options["name"]))
        removed = second_factor.remove([user])
        text = (
            gettext("{name}: the second factor is removed")
            if removed
            else gettext("{name}: there was no second factor")
        )
        self.stdout.write(text.format(name=user))
