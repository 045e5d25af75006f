"""A database of which a page is damaged on disk: it costs the records that have a part in it, and nothing else.

Two records of five are damaged in the two ways that there are: the page of one cannot be read, so that PostgreSQL can neither read nor
remove its payload; of the other the payload is gone, and something else can be stored in its place.
"""

import base64
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg2
import pytest

from catalogue.pages import interfaces
from gisc import embedded
from tests.support.many_commands import manage_loaded
from tests.support.nodes import environment, migrated_database
from tests.support.paths import ROOT
from tests.support.world import iso_record

NAME = "WIS-GISC-DEMO"
BLOCK = 8192  # bytes, of PostgreSQL
TORN, LOST = "urn:b", "urn:d"
# What the interfaces answer, asked in one process.
ASK = """
import json, os, sys
import django
from django.core.management import call_command
os.environ["DJANGO_SETTINGS_MODULE"] = "gisc.settings"
django.setup()
from django.conf import settings
settings.ALLOWED_HOSTS = ["*"]
from django.test import Client
client = Client(raise_request_exception=False)
from django.contrib.auth.models import User
client.force_login(User.objects.get(is_superuser=True))
answers = {}
for asked in json.load(sys.stdin):
    coding, _, path = asked.rpartition(" ")
    if coding == "POST":
        coding, form = "", dict(pair.split("=") for pair in path.partition("?")[2].split("&"))
        answer = client.post(path, form)
    else:
        answer = client.get(path, headers={"Accept-Encoding": coding} if coding else {})
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if coding:
        import gzip
        body = gzip.decompress(body)
    answers[asked] = [answer.status_code, body.decode()]
print(json.dumps(answers))
"""


class DamagedNode:
    """A data directory with five records, whose database runs within `running`."""

    def __init__(self, folder: Path) -> None:
        self.data_dir, self.records = folder / "data", folder / "records"
        self.settings = {
            "GISC_NAME": NAME,
            "GISC_DATA_DIR": str(self.data_dir),
            "GISC_JOURNAL_DIR": str(folder / "journal"),
        }

    def make(self) -> None:
        self.data_dir.mkdir()
        subprocess.run(["cp", "-a", str(migrated_database(NAME, is_new=False)), str(self.data_dir)], check=True)
        self.records.mkdir()
        for letter in "abcde":
            self.write(letter, "Surface observations")
        assert "5 new" in self.manage("ingest", str(self.records), "--set", NAME).stdout

    def write(self, letter: str, title: str) -> Path:
        """Write a record that takes several pages: what is drawn at random is not compressed."""
        drawn = base64.b64encode(random.Random(letter).randbytes(4 * BLOCK)).decode()
        file = self.records / f"{letter}.xml"
        file.write_bytes(iso_record(f"urn:{letter}", title=title, abstract=drawn))
        return file

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return manage_loaded(*arguments, timeout_s=300, **self.settings)

    def sql(self, *statements: str) -> list[tuple[object, ...]]:
        """Run statements as the owner of the server; the rows of the last one."""
        url = urlsplit(embedded.database_url(self.data_dir))
        session = psycopg2.connect(host=parse_qs(url.query)["host"][0], user="postgres", dbname=url.path[1:])
        session.autocommit = True
        try:
            with session.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                return cursor.fetchall() if cursor.description else []
        finally:
            session.close()

    def damage(self) -> None:
        """Overwrite a page of one record, and remove the payload of another as a lost write does."""
        with embedded.database(self.data_dir):
            [(toast, file)] = self.sql(
                "SELECT reltoastrelid::regclass::text, pg_relation_filepath(reltoastrelid) FROM pg_class"
                " WHERE oid = 'catalogue_record'::regclass"
            )
            chunks = self.sql(f"SELECT DISTINCT chunk_id FROM {toast} ORDER BY chunk_id")
            assert len(chunks) == 5, "each payload is kept apart, in the order in which they were stored"
            names = [row[0] for row in self.sql("SELECT identifier FROM catalogue_record ORDER BY id")]
            of = dict(zip(names, (row[0] for row in chunks), strict=True))
            [(block,)] = self.sql(
                f"SELECT (ctid::text::point)[0]::int FROM {toast} WHERE chunk_id = {of[TORN]}"
                f" EXCEPT SELECT (ctid::text::point)[0]::int FROM {toast} WHERE chunk_id <> {of[TORN]} LIMIT 1"
            )
            kind = f"UPDATE pg_class SET relkind = '{{}}' WHERE oid = '{toast}'::regclass"
            self.sql(
                "SET allow_system_table_mods = on",
                kind.format("r"),
                f"DELETE FROM {toast} WHERE chunk_id = {of[LOST]}",
                kind.format("t"),
            )
        path = self.data_dir / "postgres" / str(file)
        with path.open("r+b") as stream:
            stream.seek(int(str(block)) * BLOCK)
            stream.write(b"\xa5" * BLOCK)

    def ask(self, *paths: str) -> dict[str, tuple[int, str]]:
        done = subprocess.run(
            [sys.executable, "-c", ASK],
            cwd=ROOT,
            env=environment(**self.settings),
            input=json.dumps(paths),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return {path: (status, text) for path, (status, text) in json.loads(done.stdout.splitlines()[-1]).items()}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DamagedNode]:
    node = DamagedNode(tmp_path_factory.mktemp("damaged"))
    node.make()
    node.damage()
    with embedded.database(node.data_dir):
        yield node


def named(text: str) -> set[str]:
    return {f"urn:{letter}" for letter in "abcde" if f"urn:{letter}<" in text or f'"urn:{letter}"' in text}


LISTS = "/oai?verb=ListRecords&metadataPrefix="
WHOLE = {"urn:a", "urn:c", "urn:e"}


@pytest.mark.spec("H33")
def test_everything_that_gives_several_records_gives_those_that_can_be_read(node: DamagedNode) -> None:
    paths: tuple[str, ...] = (
        f"{LISTS}iso19139",
        f"gzip {LISTS}iso19139",
        f"{LISTS}iso19139&set={NAME}",
        f"{LISTS}oai_dc",
        "/ogcapi/collections/WIS-CATALOGUE/items?f=json",
        "/sru?operation=searchRetrieve&version=1.2&query=surface&maximumRecords=10",
        "/dcat/catalog.rdf",
        "/csw?service=CSW&version=2.0.2&request=GetRecords&typenames=gmd:MD_Metadata&resulttype=results"
        "&outputschema=http://www.isotc211.org/2005/gmd&elementsetname=full&maxrecords=10",
    )
    if not interfaces.has_packages(interfaces.CSW):  # as on Python 3.13
        paths = paths[:-1]
    answers = node.ask(*paths)
    for path in paths[:4]:
        assert answers[path][0] == 200, path
        assert named(answers[path][1]) == WHOLE, path
    for path in paths[4:]:
        assert answers[path][0] == 200, path
        assert all(identifier in answers[path][1] for identifier in WHOLE), path


def test_what_is_about_one_record_tells_of_the_others_and_says_what_is_wrong_with_it(node: DamagedNode) -> None:
    get = "/oai?verb=GetRecord&metadataPrefix=iso19139&identifier="
    headers = "/oai?verb=ListIdentifiers&metadataPrefix=iso19139"
    answers = node.ask(headers, f"{get}urn:a", f"{get}{TORN}", f"/record?id={TORN}", f"/record.xml?id={LOST}")
    assert named(answers[headers][1]) == WHOLE | {TORN, LOST}
    assert named(answers[f"{get}urn:a"][1]) == {"urn:a"}
    assert answers[f"{get}{TORN}"][0] == 500
    status, page = answers[f"/record?id={TORN}"]
    assert status == 200
    assert "cannot be read back" in page
    status, text = answers[f"/record.xml?id={LOST}"]
    assert status == 500
    assert "cannot be read back" in text


def test_an_administrator_opens_the_pages_of_a_damaged_record(node: DamagedNode) -> None:
    [(pk,)] = node.sql(f"SELECT id FROM catalogue_record WHERE identifier = '{TORN}'")
    paths = [f"/admin/catalogue/record/{pk}/{page}" for page in ("change/", "history/", "replace/")]
    withdraw = f"POST /admin/catalogue/record/act/withdraw/?chosen={pk}&confirm=yes&reason=obsolete"
    answers = node.ask(
        *paths, "/admin/catalogue/record/?q=surface", "/admin/catalogue/record/999999/replace/", withdraw
    )
    assert [answers[path][0] for path in paths] == [200, 200, 200]
    assert "cannot be read back" in answers[paths[0]][1]
    assert answers["/admin/catalogue/record/?q=surface"][0] == 200
    assert answers["/admin/catalogue/record/999999/replace/"][0] == 404
    status, page = answers[withdraw]
    assert status == 500
    assert "cannot read what it has stored, as its files are damaged" in page


def test_labels_and_terms_of_the_other_records_are_made(node: DamagedNode) -> None:
    node.sql("UPDATE catalogue_description SET terms = NULL", "DELETE FROM catalogue_validation")
    assert node.manage("catalogue", "validate").returncode == 0
    done = node.manage("shell", "-c", "from catalogue.writing import search_index as s; s.make_missing(seconds=60)")
    assert done.returncode == 0, done.stderr
    assert node.sql("SELECT count(*) FROM catalogue_description WHERE terms IS NULL") == [(0,)]
    assert node.sql("SELECT count(*) FROM catalogue_validation") == [(5,)]


@pytest.mark.spec("H33")
def test_both_are_named_what_can_be_stored_is_and_the_rest_is_refused_in_one_sentence(node: DamagedNode) -> None:
    done = node.manage("catalogue", "read-back")
    assert TORN in done.stdout + done.stderr
    assert LOST in done.stdout + done.stderr
    rows = node.sql("SELECT identifier, digest = '' FROM catalogue_record")
    assert {str(name): is_empty for name, is_empty in rows} == dict.fromkeys(WHOLE | {TORN}, False) | {LOST: True}

    done = node.manage("ingest", str(node.records), "--set", NAME)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 unchanged" in done.stdout
    assert named(node.ask(f"{LISTS}iso19139")[f"{LISTS}iso19139"][1]) == WHOLE | {LOST}

    changed = node.write(TORN[-1], "Upper air observations")
    done = node.manage("ingest", str(changed), "--set", NAME)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "cannot read what it has stored" in done.stderr
    assert "restore the node from a backup" in done.stderr
