"""The base of commands that work on a node: each checks the settings when it starts. Code is checked by `check`."""

from typing import Any, Literal

from django.core.management import base

from catalogue import checks


class BaseCommand(base.BaseCommand):
    """A command that needs right settings, and loads no page and no administration: these take longer than most commands."""

    requires_system_checks: tuple[str, ...] | list[str] | Literal["__all__"] = (checks.SETTINGS,)
    help: Any = ""  # a text, also one of gettext_lazy

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> base.CommandParser:
        """Make the parser as Django does, with `help` in the language in force: argparse takes no text that is lazy."""
        self.help = str(self.help)
        return super().create_parser(prog_name, subcommand, **kwargs)
