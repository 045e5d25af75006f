"""The base of commands that work on a node: each checks the settings when it starts. Code is checked by `check` and `node`."""

from django.core.management import base

from catalogue import checks


class BaseCommand(base.BaseCommand):
    """A command that needs right settings, and loads no page and no administration: these take longer than most commands."""

    requires_system_checks = (checks.SETTINGS,)
