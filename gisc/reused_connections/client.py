"""psql for `manage.py dbshell`: of the embedded server, and where the address of the server is among the options of the URL."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import client

from gisc import embedded


class DatabaseClient(client.DatabaseClient):
    """Django's, which passes by `?host=`: psql would look for a server where the system keeps its own."""

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: Iterable[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        """Return the command and what is added to its environment, with the password in the latter."""
        options = settings_dict["OPTIONS"]
        address = {name: settings_dict.get(name) or options.get(name.lower(), "") for name in ("HOST", "PORT")}
        (_name, *arguments), added = super().settings_to_cmd_args_env(settings_dict | address, parameters)
        return [cls._program(), *arguments], added

    @classmethod
    def _program(cls) -> str:
        """Return psql of the package that has the embedded server, where that is in use; else the name, to be looked for on PATH."""
        if settings.GISC_EMBEDDED_DATABASE:
            for folder in embedded.program_folders():
                if (program := folder / cls.executable_name).exists():
                    return str(program)
        return cls.executable_name
