"""A mail server and a web service of the test, recipients at both, and problems as a test wants them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from catalogue.models import MetadataSet
from gisc.alerts.models import Recipient
from gisc.problem_reasons import ProblemCode
from gisc.problems import Problem, Severity, State
from harvester.models import Link
from tests.support.mail import MailServer, mail_server
from tests.support.world import TOULOUSE

MINUTE = timedelta(minutes=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECRET = "s3cr3t-t0ken"


@pytest.fixture
def mails(settings: Any) -> Iterator[MailServer]:
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        settings.GISC_BASE_URL = "https://gisc.example.org"
        yield server


class WebService:
    """What a service of HTTP was sent, and the status that it answers."""

    def __init__(self, server: HTTPServer) -> None:
        self.got: list[dict[str, Any]] = []
        self.status = 200
        self.url = f"json://{server.host}:{server.port}/hook?+X-Token={SECRET}"
        server.expect_request("/hook").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        assert request.headers["X-Token"] == SECRET
        self.got.append(request.get_json())
        return Response("", status=self.status)

    @property
    def titles(self) -> list[str]:
        return [str(each["title"]) for each in self.got]


@pytest.fixture
def service(httpserver: HTTPServer) -> WebService:
    return WebService(httpserver)


@pytest.fixture
def anna(db: None, mails: MailServer) -> Recipient:
    return Recipient.objects.create(name="Anna", email="anna@example.org")


@pytest.fixture
def pager(db: None, service: WebService) -> Recipient:
    recipient = Recipient(name="pager")
    recipient.set_url(service.url, "JSON")
    recipient.save()
    return recipient


def problem(code: ProblemCode = ProblemCode.LINK_FAILED, link: int = 12, **facts: Any) -> Problem:
    subject = f"part:{code.removeprefix('part-')}" if code.startswith("part-") else f"link:{link}"
    given: dict[str, Any] = {
        "code": code,
        "subject": subject,
        "name": "toulouse",
        "severity": Severity.SOON,
        "state": State.FAILING,
        "since": NOON,
        "text": "The provider does not answer.",
        "todo": "Call them.",
        "url": "/admin/harvester/link/12/change/",
        "link_id": None if code.startswith("part-") else link,
    }
    return Problem(**{**given, **facts})


@pytest.fixture
def link(toulouse: MetadataSet) -> Link:
    return Link.objects.create(
        name="toulouse", base_url="http://toulouse.example.org/oai", remote_set=TOULOUSE.spec, local_set=toulouse
    )


@pytest.fixture
def make() -> Callable[..., Problem]:
    return problem
