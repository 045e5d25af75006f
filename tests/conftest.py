"""What all tests share. The servers come from tests/servers.py, the cast and its builders from tests/world.py."""

import gzip
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests import schemas


@pytest.fixture(autouse=True)
def _every_answer_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """P46: whatever a test asks `/oai` for by Django's client, a document that comes back is valid."""
    ask: Callable[..., Any] = Client.request

    def asked(self: Client, **request: Any) -> Any:
        response = ask(self, **request)
        if request.get("PATH_INFO") == "/oai" and response.status_code == 200 and response.content:
            content = response.content
            if response.get("Content-Encoding") == "gzip":
                content = gzip.decompress(content)
            assert schemas.envelope_faults(content) == [], content[:2000]
        return response

    monkeypatch.setattr(Client, "request", asked)
