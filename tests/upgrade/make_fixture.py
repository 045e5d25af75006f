"""Make the fixture of this version: `.venv/bin/python -m tests.upgrade.make_fixture`, once, when it is released.

It fills the node of a fresh embedded database with a little of everything, and writes to `tests/data/<version>/`:
`database.sql`, a plain dump; `journal/`, the files of its journal; `observed.json`, what this version says of them
(`tests/upgrade/observing.py`). The code of every later version is held against that. A released fixture is not made again.
"""

import hashlib
import json
import logging
import os
import shutil
import socket
import sys
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import gisc
from gisc import embedded

if TYPE_CHECKING:
    from tests.support.provider import Provider

SECRET_KEY = "known to everyone, and good for nothing but these tests"  # as in tests/servers.py
DATA = Path(__file__).resolve().parents[1] / "data"
SHARED_SPEC, VIRTUAL_SPEC = "WIS-ANTARCTIC", "WIS-EUROPE"
OURS = [f"urn:x-wmo:md:jp.jma::{name}" for name in ("A", "B", "C", "D", "E", "F", "G")]


def main() -> None:
    folder = DATA / gisc.__version__
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "journal").mkdir(parents=True)
    with tempfile.TemporaryDirectory() as data_dir, ExitStack() as stack:
        _set_environment(data_dir, folder / "journal")
        stack.enter_context(embedded.database(Path(data_dir), durable=False))
        import django

        django.setup()
        logging.disable(logging.WARNING)
        from tests.upgrade import dumps, observing

        addresses = fill()
        observed = json.dumps(observing.observe(), indent=1, ensure_ascii=False, sort_keys=True)
        dump = dumps.dump(embedded.database_url(Path(data_dir)))
    # Nor has it the host that made it, as a writer of the journal.
    addresses[f"'{socket.gethostname()}', '{folder / 'journal'}'"] = "'tokyo', '/srv/gisc/journal'"
    for address, name in addresses.items():  # what is harvested has no number of a port that is another each time
        observed, dump = observed.replace(address, name), dump.replace(address, name)
    (folder / "database.sql").write_text(dump, encoding="utf-8")
    (folder / "observed.json").write_text(observed + "\n", encoding="utf-8")
    (folder / "journal" / ".lock").unlink(missing_ok=True)
    for file in sorted(folder.rglob("*")):
        print(f"{file.stat().st_size:>9,} {file.relative_to(DATA.parent)}")


def _set_environment(data_dir: str, journal: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GISC_")] + ["DATABASE_URL", "REDIS_URL"]:
        os.environ.pop(name, None)
    os.environ.update(
        DJANGO_SETTINGS_MODULE="gisc.settings",
        GISC_DATA_DIR=data_dir,
        GISC_JOURNAL_DIR=str(journal),
        GISC_NAME="WIS-GISC-TOKYO",
        SECRET_KEY=SECRET_KEY,
        ALLOWED_HOSTS="*",
    )


def fill() -> dict[str, str]:
    """Fill the node. Returns the addresses of the providers, each with the one that it is to have in the fixture."""
    from django.core.management import call_command
    from pytest_httpserver import HTTPServer

    from catalogue import bootstrap
    from tests.support.provider import Provider
    from tests.support.world import OFFENBACH, TOULOUSE

    call_command("migrate", verbosity=0)
    _small_dictionary()
    bootstrap.ensure_sets()
    _our_records()
    addresses = {}
    with HTTPServer(host="127.0.0.1") as first, HTTPServer(host="127.0.0.1") as second:
        toulouse, offenbach = Provider(first), Provider(second)
        addresses = {toulouse.base_url: TOULOUSE.base_url, offenbach.base_url: OFFENBACH.base_url}
        _harvested(toulouse, offenbach)
        _open_run(toulouse)
    _formats_and_profiles()
    call_command("catalogue", "validate", stdout=sys.stderr)
    _an_event_that_waits_for_the_journal()
    return addresses


def _small_dictionary() -> None:
    """A dictionary of 4 kB. The one that a node trains on the samples would be most of the fixture."""
    from catalogue.models import Dictionary
    from catalogue.payloads import zstd
    from tests.support.world import iso_record

    samples = [iso_record(f"urn:{number}", title=f"Title {number}") for number in range(40)]
    number, content = zstd.train(samples, size=4096)
    sha256 = hashlib.sha256(content).digest()
    Dictionary.objects.create(
        pk=number, content=content, sha256=sha256, created=datetime.now(UTC), trained_on=len(samples)
    )


def _our_records() -> None:
    """Records of our own set: plain, rich, changed, withdrawn, come back, moved, and one whose tombstone was purged."""
    from django.core.management import call_command

    from catalogue.writing import store
    from tests.support import world

    call_command("set", "add", SHARED_SPEC, "--kind", "shared", stdout=sys.stderr)
    a, b, changed, withdrawn, back, moved, purged = OURS
    world.put(
        world.iso_record(a),
        world.iso_record(
            b, title="Böen & Sturm 突風", keywords=["weatherObservations", "climatology"], box=(122, 20, 154, 46)
        ),
        *(world.iso_record(name, title="First") for name in (changed, withdrawn, back, moved, purged)),
    )
    world.put(world.iso_record(changed, title="Second"))
    store.withdraw([withdrawn, back, purged])
    world.put(world.iso_record(back, title="Again"))
    call_command("set", "move", SHARED_SPEC, moved, stdout=sys.stderr)
    world.restamp(a, "2025-03-01T00:00:00Z")
    world.restamp(purged, "2020-03-01T00:00:00Z")
    world.live_days(93)  # no tombstone is forgotten by a younger node
    call_command("catalogue", "purge", stdout=sys.stderr)


def _harvested(toulouse: "Provider", offenbach: "Provider") -> None:
    """Two peers, of which one claims a record of the other; rejects, conflicts, and a link that a relay serves."""
    from django.core.management import call_command

    from harvester.models import Link
    from tests.support.provider import fill, identifier
    from tests.support.world import OFFENBACH, TOULOUSE, iso_record

    fill(toulouse, range(6))
    stamp = "2026-02-02T00:00:00Z"
    toulouse.entries[identifier(5)] = (stamp, None)
    toulouse.entries[identifier(6)] = (stamp, iso_record("urn:another:name"))
    toulouse.entries[identifier(7)] = (stamp, b'<?xml version="1.0"?><note>no metadata</note>')
    toulouse.entries[OURS[0]] = (stamp, iso_record(OURS[0], title="Misplaced"))
    fill(offenbach, range(20, 23))
    offenbach.entries[identifier(1)] = (stamp, iso_record(identifier(1), title="As Offenbach has it"))

    def link(*arguments: str) -> None:
        call_command("link", *arguments, stdout=sys.stderr)

    def harvest(name: str, *options: str) -> None:
        call_command("harvest", name, *options, stdout=sys.stderr)

    link("add", "toulouse", toulouse.base_url, "--set", TOULOUSE.spec)
    link("add", "offenbach", offenbach.base_url, "--set", OFFENBACH.spec, "--strategy", "identifiers")
    call_command("set", "add", VIRTUAL_SPEC, "--kind", "virtual", stdout=sys.stderr)
    call_command("set", "include", VIRTUAL_SPEC, TOULOUSE.spec, OFFENBACH.spec, stdout=sys.stderr)
    harvest("toulouse")
    harvest("offenbach")
    del toulouse.entries[identifier(4)]
    toulouse.entries[identifier(3)] = ("2026-02-03T00:00:00Z", None)
    harvest("toulouse")
    harvest("toulouse", "--reconcile")
    kept = Link.objects.get(name="offenbach")
    kept.user, kept.proxy_user = "tokyo", "proxy"
    kept.set_password("s3cret pässword")
    kept.set_proxy_password("another")
    kept.save()
    link("alternative", "toulouse", "Offenbach", offenbach.base_url, "--set", TOULOUSE.spec, "--return-after", "24")
    link("switch", "toulouse")
    harvest("toulouse")


def _open_run(toulouse: "Provider") -> None:
    """A run whose first page is stored; its provider has given it a token and a cookie."""
    from django.core.management import call_command
    from werkzeug import Response

    from harvester.models import Link
    from harvester.runs import lifecycle
    from tests.support.provider import fill, xml

    toulouse.entries.clear()
    fill(toulouse, range(40, 45))

    def with_a_cookie(arguments: dict[str, str]) -> Response:
        answer = xml(toulouse.say(arguments))
        answer.set_cookie("session", "s3ss10n", httponly=True)
        return answer

    toulouse.faults.append(with_a_cookie)
    call_command("link", "add", "melbourne", toulouse.base_url, "--set", "WIS-GISC-MELBOURNE", stdout=sys.stderr)
    run = lifecycle.open_run(Link.objects.get(name="melbourne"), trigger="schedule")
    assert run is not None
    after = lifecycle.work(run.pk, for_s=0)
    assert after is not None
    assert after.is_open
    assert after.token


def _formats_and_profiles() -> None:
    """A crosswalk that has changed once, a profile that sees one set and a hidden format, a container of Identify."""
    from catalogue.models import MetadataSet
    from oaiprovider.models import IdentifyDescription, Profile
    from tests.support.descriptions import BRANDING
    from tests.support.stylesheets import add, brief, change
    from tests.support.world import TOULOUSE

    change(add(for_everybody=False), stylesheet=brief("second"))
    driver = Profile.objects.create(
        name="Driver", match="DRIVER", everything=False, formats=["brief"], page_records=3, repository_name="For DRIVER"
    )
    driver.sets.set(MetadataSet.objects.filter(spec__in=[TOULOUSE.spec, VIRTUAL_SPEC]))
    IdentifyDescription.objects.create(name="branding", xml=BRANDING)


def _an_event_that_waits_for_the_journal() -> None:
    """A record withdrawn while the journal cannot be written."""
    from django.test import override_settings

    from catalogue.writing import store
    from tests.support import world

    world.put(world.iso_record("urn:x-wmo:md:jp.jma::waits"))
    with override_settings(GISC_JOURNAL_DIR="/dev/null/journal"):
        store.withdraw(["urn:x-wmo:md:jp.jma::waits"])


if __name__ == "__main__":
    main()
