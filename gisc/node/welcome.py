"""What the node prints when it is ready: its addresses, and how to sign in."""

import os
import shlex
import sys
from dataclasses import dataclass

from django.conf import settings

from gisc import administrator, installation
from gisc.node import samples
from gisc.node.readiness import reachable_host


@dataclass(frozen=True, slots=True)
class Welcome:
    """The text for whoever starts the node. `password`: the generated one, at the first start only.

    It is printed on a terminal alone: what goes to a file or a journal stays there for ever.
    """

    password: str | None
    is_empty: bool

    def text(self) -> str:
        address = f"http://{reachable_host()}:{settings.PORT}"
        lines = []
        if self.is_empty:
            lines += [
                "The catalogue is empty. To load the sample records, or records of your own, in another terminal:",
                f"  {self._command('ingest', str(samples.folder()))}",
            ]
        lines += [
            f"{settings.GISC_NAME} is ready.",
            f"  catalogue       {address}/",
            f"  OAI-PMH         {address}/oai?verb=Identify",
        ]
        if address != settings.GISC_BASE_URL:
            lines.append(f"  published as    {settings.GISC_BASE_URL}/")
        lines += [f"  administration  {address}/admin/", f"  sign in         {self._account()}"]
        return "\n".join(lines)

    def _account(self) -> str:
        file = administrator.password_file()
        if not file.exists():
            return f"user {administrator.NAME}"
        if self.password and sys.stdout.isatty():
            return f"user {administrator.NAME}, password {self.password} (also in {file})"
        return f"user {administrator.NAME}, password in {file}"

    def _command(self, *arguments: str) -> str:
        """Return a line for a shell that runs a command on this node, whatever else runs beside it."""
        variables = [f"GISC_DATA_DIR={settings.GISC_DATA_DIR}", f"GISC_NAME={settings.GISC_NAME}"]
        # Their values have passwords; the shell of the other terminal must know them.
        outside = [name for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)]
        line = shlex.join(["env", *variables, *installation.command(*arguments)])
        return f"{line}   (with {' and '.join(outside)} as here)" if outside else line
