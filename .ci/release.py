"""`make release`: check that this commit can be released, then build its wheel and its image.

Built from the commit, not from the folder: what git does not have is in neither. The wheel is the same, byte for byte, whoever
builds it with the locked requirements: its times are that of the commit. Nothing is published and no tag is set.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parents[1]
APPS = ("catalogue", "oaiprovider", "harvester", "gisc")
IMAGE = "gisc-node"
# What pip would call (PEP 517), by the setuptools of requirements.txt instead of one from an index.
_BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


class NotReleased(Exception):
    """Why there is no release, a line for each reason."""


def main() -> int:
    """Print what was built and what was left out; return 1, with the reasons, if there is no release."""
    try:
        _release()
    except NotReleased as exc:
        print(exc, file=sys.stderr)
        return 1
    return 0


def _release() -> None:
    version = _read_version(ROOT)
    if problems := [*_uncommitted(), *_problems(ROOT, version)]:
        raise NotReleased("\n".join([f"{version} is not released:", *(f"  {problem}" for problem in problems)]))
    commit = _git("rev-parse", "HEAD").strip()
    written = int(_git("show", "--no-patch", "--format=%ct", "HEAD"))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        _export(commit, source)
        wheel = build_wheel(source, ROOT / "dist", written)
        requirements = wheel.with_name(f"{wheel.name.partition('-py3')[0]}-requirements.txt")
        shutil.copyfile(source / "requirements.txt", requirements)
        sums = wheel.with_name(f"{wheel.name.partition('-py3')[0]}-sha256.txt")
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in (wheel, requirements)]
        sums.write_text("".join(lines), encoding="utf-8")
        print(f"{version}, from commit {commit}:")
        for file in (wheel, requirements, sums):
            print(f"  dist/{file.name}", flush=True)
        # The source is built again, without what building the wheel has left there.
        shutil.rmtree(source)
        _export(commit, source)
        image = _build_image(source, version, commit)
    if image:
        print(f"  image {image}")
    else:
        print("Left out: the image, because neither podman nor docker works here.")
    print(f"To do by hand: git tag {version}, and publish these files.")


def build_wheel(source: Path, into: Path, written: int) -> Path:
    """Build the wheel of a folder, in which files are left, and return it. `written`: its time, in seconds since 1970."""
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        _run(sys.executable, "-c", _BUILD, folder, folder=source, environment={"SOURCE_DATE_EPOCH": str(written)})
        (wheel,) = Path(folder).glob("*.whl")
        return Path(shutil.move(wheel, into / wheel.name))


def _read_version(root: Path) -> str:
    found = re.search(
        r'^__version__ = "(.+)"$', (root / "gisc" / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found
    return found[1]


def _uncommitted() -> Iterator[str]:
    if changed := _git("status", "--porcelain").splitlines():
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        yield f"not committed: {', '.join(line[3:] for line in changed[:3])}{more}; commit it, or take it away"


def _problems(root: Path, version: str) -> Iterator[str]:
    """What CONTRIBUTING.md asks for before a release and this tree lacks."""
    sections = re.split(r"^## (.+)\n", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    texts = dict(zip(sections[::2], (text.strip() for text in sections[1::2]), strict=True))
    if texts.pop("Unreleased", ""):
        yield "CHANGELOG.md has something under Unreleased; give it the version for a heading"
    if not texts.get(version) or next(iter(texts)) != version:
        yield f"the first version of CHANGELOG.md is not {version}, or has nothing under it"
    yield from _problems_of_sql(root, version)
    fixture = root / "tests" / "data" / version
    if not all((fixture / name).exists() for name in ("database.sql", "observed.json", "journal")):
        yield f"tests/data/{version} is not there; make it by .venv/bin/python -m tests.upgrade.make_fixture"


def _problems_of_sql(root: Path, version: str) -> Iterator[str]:
    text = (root / "tests" / "data" / "released_sql.txt").read_text(encoding="utf-8")
    if f"# {version}\n" not in text:
        yield f"tests/data/released_sql.txt has no section {version}"
    listed = {file: checksum for checksum, file in re.findall(r"^([0-9a-f]{64})  (\S+)$", text, re.MULTILINE)}
    there = {str(file.relative_to(root)): file for app in APPS for file in sorted((root / app).rglob("*.sql"))}
    for name in sorted(listed.keys() | there.keys()):
        if name not in there:
            yield f"{name} was released, and is not there"
        elif name not in listed:
            yield f"{name} is not in tests/data/released_sql.txt; add its sha256sum"
        elif hashlib.sha256(there[name].read_bytes()).hexdigest() != listed[name]:
            yield f"{name} is not as tests/data/released_sql.txt has it"


def _export(commit: str, folder: Path) -> None:
    """Write the files of a commit, with the same modes whatever the umask is."""
    archive = folder.with_suffix(".tar")
    _git("-c", "tar.umask=0022", "archive", "--format=tar", f"--output={archive}", commit)
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):  # since Python 3.11.4; Debian 12 has 3.11.2
            tar.extractall(folder, filter="data")
        else:
            tar.extractall(folder)
    archive.unlink()


def _build_image(source: Path, version: str, commit: str) -> str | None:
    """Build the image by podman or docker, whichever works, and return its name; None if neither does."""
    for engine in ("podman", "docker"):
        if shutil.which(engine) and not subprocess.run([engine, "info"], capture_output=True, check=False).returncode:
            break
    else:
        return None
    name = f"{IMAGE}:{version}"
    labels = {"version": version, "revision": commit}
    _run(
        *(
            engine,
            "build",
            *(("--format", "docker") if engine == "podman" else ()),
        ),  # the other format has no HEALTHCHECK
        *("--tag", name, *(f"--label=org.opencontainers.image.{key}={value}" for key, value in labels.items())),
        ".",
        folder=source,
    )
    return name


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotReleased(f"git {' '.join(arguments)} failed: {done.stderr.strip()}")
    return done.stdout


def _run(*command: str, folder: Path, environment: Mapping[str, str] = MappingProxyType({})) -> None:
    """Run a program, whose output is shown only if it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        umask=0o022,  # the modes of files that are made are in the wheel
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        raise NotReleased(f"{' '.join(command[:2])} ended with {done.returncode}; its output is above")


if __name__ == "__main__":
    sys.exit(main())
