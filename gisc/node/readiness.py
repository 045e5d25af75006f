"""Ask the web server of this node for its health, as the processes that started it do."""

import http.client
import json

from django.conf import settings

from gisc import private_pages


def reachable_host() -> str:
    """Return an address of this machine at which a server that listens on HOST answers."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # nosec B104
    return everywhere.get(settings.HOST, settings.HOST)


def ask(timeout_s: float = 1) -> tuple[int, str]:
    """Return status and body of /health/ready; 0 and the reason if there is no answer in time."""
    # The Host header must be an allowed one, which the address that the node listens on need not be.
    name = next((host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"), "localhost")
    http_connection = http.client.HTTPConnection(reachable_host(), settings.PORT, timeout=timeout_s)
    try:
        http_connection.request(
            "GET", "/health/ready", headers={"Host": name, private_pages.PASS: private_pages.own_pass()}
        )
        response = http_connection.getresponse()
        return response.status, response.read(100_000).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as exc:
        return 0, str(exc)
    finally:
        http_connection.close()


def why_incomplete(answer: str) -> str:
    """Return what an answer of /health/ready says of the parts that a start waits for; the answer itself if it is none."""
    try:
        parts = json.loads(answer)["parts"]
        wrong = [
            part["text"]
            for name, part in parts.items()
            if part["state"] == "failed" or (name == "redis" and part["state"] != "ok")
        ]
    except (ValueError, TypeError, KeyError):
        return answer or "the web server does not answer"
    return " ".join(wrong) or answer


def is_complete(status: int, answer: str) -> bool:
    """Whether the node serves, and Redis is up as well, without which nothing is harvested."""
    try:
        return status == 200 and json.loads(answer)["redis"] == "ok"
    except (ValueError, TypeError, KeyError):
        return False
