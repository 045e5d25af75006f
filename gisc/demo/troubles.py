"""`manage.py demo --troubles`: run one node whose links show everything that can be wrong with a link.

`python -m gisc.demo.troubles PORT` adds the links to the node whose settings are in the environment.
"""

import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import django
from django.conf import settings
from django.utils.translation import gettext

from gisc import installation
from gisc.demo.mesh import DemoNode, ended, require_free_port, samples, start, stop, wait_until_ready
from gisc.demo.troubled_centres import HOST, centres

HARVEST_EVERY_S = 30
_CENTRES_PORT = 8002
_NOT_HARVESTED = ("tehran",)
COMPARED = "seoul"


def show(folder: Path, *, centres_port: int = _CENTRES_PORT) -> None:
    """Run the node and the centres until Ctrl-C."""
    node = DemoNode("WIS-GISC-TOKYO", 8001, folder / "troubles")
    password = secrets.token_urlsafe(12)
    require_free_port(node.port, node.name)
    require_free_port(centres_port, gettext("the centres"))
    shutil.rmtree(node.folder, ignore_errors=True)
    node.folder.mkdir(parents=True)
    _say(gettext("Starting {node}; its log is {log} ...").format(node=node.name, log=node.log))
    process = start(node, password)
    server = subprocess.Popen(
        installation.module("gisc.demo.troubled_centres", str(centres_port)), cwd=settings.BASE_DIR
    )
    try:
        wait_until_ready(node, process)
        node.manage("ingest", str(samples(node)))
        node.run_module("gisc.demo.troubles", str(centres_port))
        for centre in centres().values():
            _say(f"  {centre.name:12} {gettext(centre.trouble)}")
        text = gettext("Administration: {url}  user admin, password {password}")
        _say(text.format(url=f"{node.url}/admin/", password=password))
        _say(gettext("Public status: {url}").format(url=f"{node.url}/harvest/"))
        text = gettext("Each link is harvested every {seconds} s. Ctrl-C stops everything.")
        _say(text.format(seconds=HARVEST_EVERY_S))
        _compare(node, process)
        process.wait()
    except KeyboardInterrupt:
        _say(gettext("Stopping ..."))
        return
    finally:
        server.terminate()
        server.wait()
        stop({node: process})
    raise ended(node, process)


def _say(line: str) -> None:
    """Print a line at once, also where the output is no terminal."""
    print(line, flush=True)


def _compare(node: DemoNode, process: "subprocess.Popen[bytes]") -> None:
    """Compare the link that only a comparison finds something about, after its second list."""
    try:
        process.wait(timeout=2 * HARVEST_EVERY_S)
    except subprocess.TimeoutExpired:
        node.manage("harvest", COMPARED, "--reconcile")


def add_links(port: int, *, interval_s: int = HARVEST_EVERY_S) -> None:
    """Add a set and a link for each of the centres that are served at this port."""
    from catalogue.models import MetadataSet
    from harvester.models import Link

    for centre in centres().values():
        local, _ = MetadataSet.objects.get_or_create(
            spec=centre.set_spec, defaults={"name": centre.title, "kind": MetadataSet.Kind.PEER}
        )
        Link.objects.create(
            name=centre.name,
            base_url=f"http://{HOST}:{port}/{centre.name}/oai",
            remote_set=centre.set_spec,
            local_set=local,
            prefix="iso19139",
            interval_s=interval_s,
            enabled=centre.name not in _NOT_HARVESTED,
        )


if __name__ == "__main__":
    django.setup()
    add_links(int(sys.argv[1]))
