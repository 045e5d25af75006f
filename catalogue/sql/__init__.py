"""Functions and triggers of the database, as plain SQL; read by migrations alone.

A file holds one noun (all functions and triggers that belong together) in one version: `list_sizes.0001.sql`. An app
that owns such functions has a folder `sql/` of its own. **A released file is never edited**, as databases out there were
made with it. A change is a file of the next version, with all of the noun: it replaces what stays (`CREATE OR REPLACE`) and
drops what goes (`DROP ... IF EXISTS`). A migration runs it, and backwards the file before:

    migrations.RunSQL(sql.read("catalogue", "list_sizes.0002"), sql.read("catalogue", "list_sizes.0001"))

`tests/project/test_sql.py` holds the checksums of released files and compares the newest files with what the database
has. `docs/ARCHITECTURE.md` lists all functions and triggers with what each guards.
"""

from importlib.resources import files


def read(app: str, name: str) -> str:
    """Return the SQL of a file in the folder `sql/` of an app, by its noun and version."""
    return (files(app) / "sql" / f"{name}.sql").read_text(encoding="utf-8")
