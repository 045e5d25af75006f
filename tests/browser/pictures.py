"""Take the pictures of README.md anew: `DJANGO_SETTINGS_MODULE=gisc.settings .venv/bin/python -m tests.browser.pictures`.

Starts the demo mesh and Chromium, waits until the nodes have one another's records, and writes `docs/img/`.
"""

import base64
import secrets
import tempfile
import time
from pathlib import Path

import django

django.setup()

from gisc.demo import mesh  # noqa: E402  (models are imported on the way)
from gisc.demo.demo import converge  # noqa: E402
from tests.browser.conftest import Browser, start_chromium  # noqa: E402
from tests.support.paths import ROOT  # noqa: E402

FOLDER = ROOT / "docs" / "img"
MAX_BYTES = 150_000
_ROUNDS_S = 60  # so that the strips of runs have some
_SIZE = 1280, 800


def take(browser: Browser, path: str, words: str, name: str) -> None:
    """Open a page, wait for words on it, and write its picture, as WebP."""
    browser.open(path)
    browser.sees(words)
    time.sleep(2)  # charts move when they appear
    picture = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 75})
    content = base64.b64decode(picture["data"])
    assert len(content) <= MAX_BYTES, f"{name}: {len(content)} bytes"
    (FOLDER / f"{name}.webp").write_bytes(content)
    print(f"{name}: {len(content)} bytes", flush=True)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, mesh.running(nodes := mesh.nodes(Path(folder))):
        tokyo = nodes[0]
        expected = len(list(mesh.samples(tokyo).parent.glob("WIS-GISC-*/*.xml")))
        if not converge(nodes, lambda records: len(records) == expected, print):
            raise SystemExit("the nodes do not have the same records")
        time.sleep(_ROUNDS_S)
        password = secrets.token_urlsafe(12)
        tokyo.manage(
            "shell",
            "-c",
            "from django.contrib.auth.models import User; user = User.objects.get(username='admin'); "
            f"user.set_password('{password}'); user.save()",
        )
        link = next(link["name"] for link in tokyo.get_json("/harvest/status.json")["links"])
        with start_chromium(Path(folder) / "chromium") as chromium:
            browser = Browser(chromium, tokyo.url)
            size = {"width": _SIZE[0], "height": _SIZE[1], "deviceScaleFactor": 1, "mobile": False}
            chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            take(browser, "/?q=climate", "records", "search")  # whose hits need no fonts of their own
            browser.sign_in("admin", password)
            take(browser, "/admin/", "centres", "dashboard")
            browser.open("/admin/harvester/link/")
            browser.press(link)
            browser.sees("Runs")
            take(browser, browser.driver.current_url.removeprefix(tokyo.url), "Runs", "link")


if __name__ == "__main__":
    main()
