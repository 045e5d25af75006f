"""A node that harvests, looked at from outside: its pages of state, and its database."""

from dataclasses import dataclass
from typing import Any

import psycopg2
import requests

from gisc import embedded
from gisc.demo import mesh
from tests.support.nodes import Node, manage
from tests.support.runs import COUNTERS
from tests.support.world import TOULOUSE


@dataclass
class Observed:
    """A node that is Tokyo."""

    node: Node

    def status(self) -> dict[str, Any] | None:
        """The one link as the node tells of it; None while it cannot."""
        try:
            answer = requests.get(f"{self.node.url}/harvest/status.json", timeout=10)
            link: dict[str, Any] | None = answer.json()["links"][0] if answer.ok else None
        except (requests.RequestException, ValueError):
            return None
        return link

    def ask(self, sql: str) -> list[tuple]:
        connection = psycopg2.connect(embedded.database_url(self.node.data_dir))
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def runs(self) -> list[dict[str, Any]]:
        """All runs, the oldest first."""
        names = ("id", "state", *COUNTERS, "listed", "list_size")
        rows = self.ask(f"SELECT {', '.join(names)} FROM harvester_run ORDER BY id")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def catalogue(self) -> dict[str, mesh.ListedRecord]:
        return mesh.DemoNode("WIS-GISC-TOKYO", self.node.port, self.node.data_dir).catalogue()


def add_link(node: Node, url: str) -> None:
    """Have the node harvest Toulouse's set from there every five seconds."""
    added = manage(
        *("link", "add", "toulouse", url, "--set", TOULOUSE.spec, "--interval", "5", "--lateness", "8784"),
        GISC_DATA_DIR=str(node.data_dir),
        GISC_NAME="WIS-GISC-TOKYO",
    )
    assert added.returncode == 0, added.stderr
