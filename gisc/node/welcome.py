"""What the node prints when it is ready: its addresses, and how to sign in."""

import shlex
import sys
from dataclasses import dataclass

from django.conf import settings

from gisc import administrator
from gisc.node import samples
from gisc.node.readiness import reachable_host


@dataclass(frozen=True, slots=True)
class Welcome:
    """The text for whoever starts the node. `password`: the generated one, at the first start only."""

    password: str | None
    is_empty: bool

    def text(self) -> str:
        address = f"http://{reachable_host()}:{settings.PORT}"
        account = f"user {administrator.NAME}" + (
            f", password {self.password} (shown this once)" if self.password else ""
        )
        lines = [
            f"{settings.GISC_NAME} is ready.",
            f"  catalogue       {address}/",
            f"  OAI-PMH         {address}/oai?verb=Identify",
            f"  administration  {address}/admin/  {account}",
        ]
        if address != settings.GISC_BASE_URL:
            lines.append(f"  published as    {settings.GISC_BASE_URL}/")
        if self.is_empty:
            lines += [
                "The catalogue is empty. To load the sample records, or records of your own, in another terminal:",
                f"  {shlex.quote(sys.executable)} manage.py ingest {samples.folder().relative_to(settings.BASE_DIR)}",
            ]
        return "\n".join(lines)
