"""What the node prints when it is ready: its addresses, and how to sign in."""

import os
import shlex
import sys
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext

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
                gettext(
                    "The catalogue is empty. To load the sample records, or records of your own, in another terminal:"
                ),
                f"  {self._command('ingest', str(samples.folder()))}",
            ]
        lines.append(gettext("{node} is ready.").format(node=settings.GISC_NAME))
        rows = [(gettext("catalogue"), f"{address}/"), ("OAI-PMH", f"{address}/oai?verb=Identify")]
        if address != settings.GISC_BASE_URL:
            rows.append((gettext("published as"), f"{settings.GISC_BASE_URL}/"))
        rows += [(gettext("administration"), f"{address}/admin/"), (gettext("sign in"), self._account())]
        width = max(len(title) for title, _ in rows)
        return "\n".join((*lines, *(f"  {title:{width}}  {text}" for title, text in rows)))

    def _account(self) -> str:
        file = administrator.password_file()
        if not file.exists():
            return gettext("user {name}").format(name=administrator.NAME)
        if self.password and sys.stdout.isatty():
            text = gettext("user {name}, password {password} (also in {file})")
            return text.format(name=administrator.NAME, password=self.password, file=file)
        return gettext("user {name}, password in {file}").format(name=administrator.NAME, file=file)

    def _command(self, *arguments: str) -> str:
        """Return a line for a shell that runs a command on this node, whatever else runs beside it."""
        variables = [f"GISC_DATA_DIR={settings.GISC_DATA_DIR}", f"GISC_NAME={settings.GISC_NAME}"]
        # Their values have passwords; the shell of the other terminal must know them.
        outside = [name for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)]
        line = shlex.join(["env", *variables, *installation.command(*arguments)])
        if not outside:
            return line
        return f"{line}   {gettext('(with {variables} as here)').format(variables=', '.join(outside))}"
