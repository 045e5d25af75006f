"""Certificates for servers on 127.0.0.1, made by the openssl command line; the test is skipped where that is absent."""

import functools
import shutil
import ssl
import subprocess
import tempfile
from pathlib import Path

import pytest

_CONFIGURATION = """
[ca]
default_ca = own
[own]
certificate = ca.pem
private_key = ca.key
database = index.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
"""


@functools.cache
def folder() -> Path:
    """A folder with an authority of our own (ca.pem) and what it has signed, and what the "intermediate" authority has."""
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command is not there to make certificates")
    made = Path(tempfile.mkdtemp(prefix="gisc-tls-"))
    _openssl(made, "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 10 -subj /CN=authority")
    (made / "index.txt").touch()
    (made / "ca.cnf").write_text(_CONFIGURATION)
    _sign(made, "good", "IP:127.0.0.1", "-days 5")
    _sign(made, "wrong name", "DNS:elsewhere.example.org", "-days 5")
    _sign(made, "intermediate", "DNS:authority", "-days 5", "basicConstraints=critical,CA:TRUE\n")
    _sign(made, "below", "IP:127.0.0.1", "-days 5 -cert intermediate.pem -keyfile intermediate.key")
    _sign(made, "expired", "IP:127.0.0.1", "-startdate 20200101000000Z -enddate 20200201000000Z")
    return made


def server_context(kind: str) -> ssl.SSLContext:
    """For a server with this certificate; "private authority" is a good one of an authority that nobody knows."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    name = "good" if kind == "private authority" else kind
    context.load_cert_chain(folder() / f"{name}.pem", folder() / f"{name}.key")
    return context


def _sign(made: Path, kind: str, alternative_name: str, validity: str, extensions: str = "") -> None:
    (made / "ext").write_text(f"subjectAltName={alternative_name}\n{extensions}")
    _openssl(made, "req -newkey rsa:2048 -nodes -subj /CN=provider", "-keyout", f"{kind}.key", "-out", "request.pem")
    _openssl(made, f"ca -batch -config ca.cnf -in request.pem -extfile ext {validity}", "-out", f"{kind}.pem")


def _openssl(made: Path, command: str, *more: str) -> None:
    done = subprocess.run(["openssl", *command.split(), *more], cwd=made, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
