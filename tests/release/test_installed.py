"""The wheel in an empty environment: a newcomer installs it, starts a node, looks at it, and stops it.

The environment has the packages of the tests' own, which are those that the wheel wants (`test_release.py`), and nothing of the
checkout: the commands run in an empty folder.
"""

import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import urljoin

import pytest
import requests

from tests.release.conftest import VERSION, Release
from tests.support.nodes import Node, environment, free_port
from tests.support.paths import ROOT


class Installed:
    """An environment with the wheel, an empty folder to work in, and an account without data."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.home, self.folder = folder / "home", folder / "empty"
        self.home.mkdir()
        self.folder.mkdir()
        venv.create(folder / "venv")
        self.gisc = folder / "venv" / "bin" / "gisc"
        self.python = self.gisc.with_name("python")
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet"),
                *("--disable-pip-version-check", "--no-index", "--no-deps", str(wheel)),
            ],
            check=True,
        )
        packages = sysconfig.get_path("purelib", vars={"base": str(folder / "venv")})
        Path(packages, "packages.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")

    def run(self, *arguments: str, program: Path | None = None, **settings: str) -> CompletedProcess[str]:
        """Run the command `gisc`, or another program."""
        return subprocess.run(
            [str(program or self.gisc), *arguments],
            cwd=self.folder,
            env=environment(HOME=str(self.home), **settings),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(released: Release, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(released.wheel, tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def node(installed: Installed) -> Iterator[Node]:
    """A node with the sample records, whose data are where an account has them by default."""
    data_dir = installed.home / ".local" / "share" / "gisc" / "var"
    running = Node(
        data_dir,
        free_port(),
        is_new=True,
        program=(str(installed.gisc),),
        inside=installed.folder,
        GISC_DATA_DIR="",
        HOME=str(installed.home),
        SAMPLES="1",
        GISC_WATCH_FOLDER="watched",
    )
    (installed.folder / "watched").mkdir()
    try:
        yield running.ready()
    finally:
        running.close()


def test_nothing_of_the_checkout_is_used(installed: Installed) -> None:
    program = "import catalogue, gisc, harvester, oaiprovider; print(*{m.__file__ for m in (catalogue, gisc, harvester, oaiprovider)})"
    files = installed.run("-c", program, program=installed.python).stdout.split()
    assert len(files) == 4
    assert all(Path(file).is_relative_to(installed.python.parents[1]) for file in files)
    assert not any(Path(file).is_relative_to(ROOT) for file in files)


def test_without_a_command_it_says_which_there_are(installed: Installed) -> None:
    for done in (installed.run(), installed.run("-m", "gisc", program=installed.python)):
        assert done.returncode == 0, done.stderr
        assert "Type 'gisc help <subcommand>' for help" in done.stdout
        assert {"node", "ingest", "harvest", "link"} <= set(done.stdout.split())
    assert installed.run("version").returncode == 0


def test_a_fault_is_told_by_the_name_of_the_command(installed: Installed) -> None:
    done = installed.run("node", PORT="http")
    assert (done.returncode, done.stderr) == (2, "gisc: PORT is 'http'; write a whole number from 1 to 65535\n")


def test_the_first_minute_of_a_newcomer(installed: Installed, node: Node) -> None:
    assert f"{node.url}/oai?verb=Identify" in node.output()
    assert f"password in {node.data_dir}/admin_password" in node.output()
    assert VERSION in get(f"{node.url}/oai?verb=Identify")
    listed = get(f"{node.url}/oai?verb=ListRecords&metadataPrefix=oai_dc")
    assert listed.count("<record>") == len(list((ROOT / "catalogue/samples/WIS-GISC-TOKYO").glob("*.xml")))

    # A node of the same installation is known to the commands, in whatever folder they run.
    done = installed.run("catalogue", "stats")
    assert done.returncode == 0, done.stderr
    assert list(installed.folder.iterdir()) == [installed.folder / "watched"]


@pytest.mark.parametrize("page", ["/", "/harvest/", "/admin/login/", "/oai?verb=Identify"])
def test_pages_have_their_style_sheets_and_scripts(node: Node, page: str) -> None:
    text = get(f"{node.url}{page}")
    files = re.findall(r'(?:href|src)="([^"]+\.(?:css|js|xsl|svg))"', text)
    assert files
    for file in files:
        assert get(urljoin(f"{node.url}{page}", file)), file


def test_it_stops(node: Node) -> None:
    assert node.stop() == 0
    assert node.traceback() == ""


def get(url: str) -> str:
    answer = requests.get(url, timeout=60, headers={"Accept": "text/html,application/xhtml+xml"})  # as browsers do
    assert answer.ok, (url, answer.status_code, answer.text[:500])
    return answer.text
