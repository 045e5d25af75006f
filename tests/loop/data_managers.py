"""The data managers of a node that is restored: what they do before and after, and what must be true in the end."""

import tarfile
from collections.abc import Collection

from tests.loop.handbook import Checkout
from tests.loop.other_centre import Harvester
from tests.support import archives

SPEC = "WIS-GISC-TOKYO"
SPECS = (SPEC, "shared01", "WIS-CATALOGUE")
NAMES = [f"REC{number:04}" for number in range(40)]
WITHDRAWN = NAMES[:12]
BACK = NAMES[:1]  # withdrawn before the backup, and brought back after it


def identifiers(names: list[str]) -> set[str]:
    return set(map(archives.identifier, names))


class Centre:
    """The data managers of the node: what they do before a backup and after it, and what must be true in the end."""

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        self.records = checkout.folder / "records"

    def withdraw(self, names: list[str]) -> list[str]:
        return ["withdraw", *map(archives.identifier, names)]

    def ingest(self, names: list[str], note: str = "") -> list[str]:
        """Write the present version of records into the folder of the data managers, and return the command to ingest it."""
        with tarfile.open(archives.make(self.checkout.folder / "new.tar", names, note=note)) as archive:
            archives.unpack(archive, self.records)
        return ["ingest", *(str(self.records / f"{name}.xml") for name in names)]

    def before_the_backup(self) -> None:
        # The folder is never tidied up: it has what was withdrawn as well.
        commands = [["set", "add", "shared01", "--kind", "shared"], self.ingest(NAMES), self.withdraw(NAMES[:4])]
        self.checkout.manage(*([["migrate"]] if "DATABASE_URL" in self.checkout.settings else []), *commands)

    def after_the_backup(self) -> None:
        """Withdraw, move, change and add records, and bring one back; harvesters see that."""
        self.checkout.manage(
            self.withdraw(NAMES[4:8]),
            ["set", "move", "shared01", *map(archives.identifier, NAMES[20:24])],
            self.ingest(NAMES[12:16], note="Second version. "),
            self.ingest(["NEW0001"]),
            [*self.ingest(BACK, note="Back again. "), "--revive"],
        )

    def at_last(self) -> None:
        """Withdraw and change records; nobody has seen that when the database is lost."""
        self.checkout.manage(self.withdraw(NAMES[8:12]), self.ingest(NAMES[16:18], note="Second version. "))

    def check(
        self, harvesters: dict[str, list[Harvester]], base_url: str, *, of_others: Collection[str] = frozenset()
    ) -> None:
        """Have all harvesters visit: their copies are what the node lists, which is what the data managers meant.

        `of_others`: the live records of other centres, by identifier.
        """
        for spec in SPECS:
            fresh = Harvester(base_url, by_largest_datestamp=True, spec=spec)
            fresh.visit()
            for harvester in harvesters.get(spec, ()):
                harvester.visit()
                assert harvester.copy == fresh.copy, spec
            live = {name for name, content in fresh.copy.items() if content is not None}
            moved = identifiers(NAMES[20:24])
            everything = identifiers([*NAMES, "NEW0001"]) - identifiers(WITHDRAWN) | identifiers(BACK)
            whole = everything | set(of_others)
            assert live == {SPEC: everything - moved, "shared01": moved, "WIS-CATALOGUE": whole}[spec]
            changed = {name for name, content in fresh.copy.items() if content and b"Second version. " in content}
            assert changed == (set() if spec == "shared01" else identifiers(NAMES[12:18]))


def harvesters(base_url: str) -> dict[str, list[Harvester]]:
    """Harvesters of each set, of both kinds."""
    return {
        spec: [Harvester(base_url, by_largest_datestamp=kind, spec=spec) for kind in (True, False)] for spec in SPECS
    }


def visit_all(of: dict[str, list[Harvester]]) -> None:
    for copies in of.values():
        for harvester in copies:
            harvester.visit()
