"""Fixtures of all tests. The servers come from tests/servers.py, centres and records from tests/support/world.py."""

import gc
import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.test import Client, TransactionTestCase, override_settings

from catalogue import bootstrap, seams, ticks
from catalogue.models import MetadataSet
from catalogue.reading.query import search_limits
from gisc import module_state
from tests.support import rows_before, schemas
from tests.support.clock import SetClock
from tests.support.world import TOULOUSE

# No test says anything about time: on a slow machine an example may take any.
hypothesis.settings.register_profile(
    "gisc", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.load_profile("gisc")

# What was imported never becomes garbage; looking for it again and again took a tenth of the CPU of pytest's own processes.
GARBAGE_AFTER = 50_000  # objects; Python's own 700 suits programs of a tenth of the size

_UNPACKED: dict[str, Callable[[bytes], bytes]] = {"": bytes, "gzip": gzip.decompress, "deflate": zlib.decompress}


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER, 10, 10)


@pytest.fixture(scope="session", autouse=True)
def _restore_rows_instead_of_flushing() -> Iterator[None]:
    def restore(self: TransactionTestCase) -> None:
        for alias in self._databases_names(include_mirrors=False):
            rows_before.restore(alias)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", restore)
        yield


@pytest.fixture(scope="session", autouse=True)
def _speed_up() -> Iterator[None]:
    """Replace two slow things that no test checks; the nodes that tests start do not have this.

    WhiteNoise reads every static file at the first request of each test client, unless it looks at each request; and
    hashing a password takes a third of a second for each account that a test creates.
    """
    with override_settings(
        WHITENOISE_AUTOREFRESH=True, PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]
    ):
        yield


@pytest.fixture(scope="session", autouse=True)
def _work_on_every_tick() -> Iterator[None]:
    """Let each tick of a test do its work. On a slow host the product leaves ticks out, so that runs get their turn."""
    with ticks.LIMITS.replaced(share=1):
        yield


@pytest.fixture(autouse=True)
def _as_in_a_new_process() -> None:
    """Reset what modules remember of earlier tests, whose rows have been rolled back. Memos of pure functions stay."""
    module_state.reset_all()


@pytest.fixture(autouse=True)
def journal_dir(settings: Any, tmp_path: Path) -> Path:
    """Give the test a journal of its own: what others have written is of databases that are gone."""
    settings.GISC_JOURNAL_DIR = tmp_path / "journal"
    return tmp_path / "journal"


@pytest.fixture
def standing_clock() -> Iterator[SetClock]:
    """Let no time pass for the product but what the test moves on: what it keeps for some seconds is kept on any machine."""
    clock = SetClock(seams.now())
    with seams.replaced(clock=clock):
        yield clock


@pytest.fixture
def patient_searches(settings: Any) -> Iterator[None]:
    """Let a search take what it takes on a machine with other work: for tests of what it finds."""
    settings.GISC_PUBLIC_STATEMENT_SECONDS = 600
    with search_limits.LIMITS.replaced(timeout_ms=500_000):
        yield


@pytest.fixture
def toulouse(db: None) -> MetadataSet:
    """Add the set of Toulouse to a node with its own sets and clock."""
    bootstrap.ensure_sets()
    return MetadataSet.objects.create(spec=TOULOUSE.spec, name=TOULOUSE.name)


@pytest.fixture(autouse=True)
def _every_answer_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """P46: validate every document that a test gets from `/oai` with Django's client."""
    original: Callable[..., Any] = Client.request

    def request_and_validate(self: Client, **request: Any) -> Any:
        response = original(self, **request)
        if request.get("PATH_INFO") == "/oai" and response.status_code == 200 and response.content:
            content = _UNPACKED[response.get("Content-Encoding", "")](response.content)
            assert schemas.envelope_faults(content) == [], content[:2000]
        return response

    monkeypatch.setattr(Client, "request", request_and_validate)
