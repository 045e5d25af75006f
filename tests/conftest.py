"""What all tests share. The servers come from tests/servers.py, the cast and its builders from tests/world.py."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client, override_settings

from catalogue import bootstrap
from catalogue.models import MetadataSet
from catalogue.payloads import payload
from tests import schemas
from tests.world import TOULOUSE

_UNPACKED: dict[str, Callable[[bytes], bytes]] = {"": bytes, "gzip": gzip.decompress, "deflate": zlib.decompress}


@pytest.fixture(scope="session", autouse=True)
def _quick_where_nothing_is_proved() -> Iterator[None]:
    """Two things that are slow by design and no test's subject; the nodes that tests start have them as they are.

    WhiteNoise reads every static file at the first request of each test client, unless it is told to look when it is
    asked; and a password's digest takes a third of a second for each account that a test makes.
    """
    with override_settings(
        WHITENOISE_AUTOREFRESH=True, PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]
    ):
        yield


@pytest.fixture(autouse=True)
def _no_dictionary_known() -> None:
    """Each test begins as a process does: what the last one read of the database has been rolled back."""
    payload.clear_cache()


@pytest.fixture
def toulouse(db: None) -> MetadataSet:
    """The set of Toulouse in a node that has its own sets and its clock."""
    bootstrap.ensure_sets()
    return MetadataSet.objects.create(spec=TOULOUSE.spec, name=TOULOUSE.name)


@pytest.fixture(autouse=True)
def _every_answer_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """P46: whatever a test asks `/oai` for by Django's client, a document that comes back is valid."""
    ask: Callable[..., Any] = Client.request

    def asked(self: Client, **request: Any) -> Any:
        response = ask(self, **request)
        if request.get("PATH_INFO") == "/oai" and response.status_code == 200 and response.content:
            content = _UNPACKED[response.get("Content-Encoding", "")](response.content)
            assert schemas.envelope_faults(content) == [], content[:2000]
        return response

    monkeypatch.setattr(Client, "request", asked)
