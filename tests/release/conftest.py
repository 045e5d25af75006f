"""A copy of the repository that is ready to be released as the next version, and the wheel that is made of it."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.nodes import environment
from tests.support.paths import ROOT

VERSION = "1.0.1"
_NOT_NEEDED = ("tests/", "docs/")  # but the record of what was released
_RECORD = "tests/data/released_sql.txt"
# Whoever runs the tests, whatever the settings of their git are.
_GIT = (
    {f"GIT_{who}_{what}": "tests" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    | {f"GIT_{who}_DATE": "2026-11-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
)


def git(folder: Path, *arguments: str) -> str:
    """Run git with a name and a date of its own, and return what it prints."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=environment(**_GIT),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_of_repository() -> list[str]:
    """The files that git has, or will have once they are added. Skips the test where git does not tell."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip(f"git does not tell which files belong to the repository: {listed.stderr.strip()}")
    return sorted({name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()})


@pytest.fixture(scope="module")
def unprepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of one commit with the files of this one, those that are not committed yet as well."""
    folder = tmp_path_factory.mktemp("repository")
    for name in files_of_repository():
        if name == _RECORD or not name.startswith(_NOT_NEEDED):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


@pytest.fixture(scope="module")
def prepared(unprepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with what CONTRIBUTING.md asks for before a release."""
    folder = tmp_path_factory.mktemp("prepared") / "repository"
    shutil.copytree(unprepared, folder)
    package, changes, record = (folder / name for name in ("gisc/__init__.py", "CHANGELOG.md", _RECORD))
    version = package.read_text(encoding="utf-8").split('__version__ = "')[1].split('"')[0]
    assert version != VERSION
    package.write_text(package.read_text(encoding="utf-8").replace(f'"{version}"', f'"{VERSION}"', 1), encoding="utf-8")
    text = changes.read_text(encoding="utf-8")
    changes.write_text(
        text.replace("## Unreleased\n", f"## Unreleased\n\n## {VERSION}\n\nSomething.\n", 1), encoding="utf-8"
    )
    listed = record.read_text(encoding="utf-8")
    sums = "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(folder)}\n"
        for app in ("catalogue", "oaiprovider", "harvester", "gisc")
        for file in sorted((folder / app).rglob("*.sql"))
        if str(file.relative_to(folder)) not in listed
    )
    record.write_text(f"{listed}\n# {VERSION}\n{sums}", encoding="utf-8")
    shutil.copytree(ROOT / "tests" / "data" / "0.9.0", folder / "tests" / "data" / VERSION)
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Release")


class Release:
    """One run of what `make release` runs, in a repository, beside a podman and a docker that are ours."""

    def __init__(self, repository: Path, engines: Path, *, engine_works: bool = False) -> None:
        self.dist, self._asked = repository / "dist", engines / "asked.txt"
        engines.mkdir()
        status = 0 if engine_works else 1
        for name in ("podman", "docker"):
            (engines / name).write_text(
                f'#!/bin/sh\necho {name} "$@" >> {self._asked}\nexit {status}\n', encoding="utf-8"
            )
            (engines / name).chmod(0o755)
        own = environment(PATH=f"{engines}{os.pathsep}{os.environ['PATH']}", **_GIT)
        command = [sys.executable, ".ci/release.py"]
        self.done = subprocess.run(command, cwd=repository, env=own, capture_output=True, text=True, check=False)

    @property
    def wheel(self) -> Path:
        assert self.done.returncode == 0, self.done.stderr
        (wheel,) = self.dist.glob("*.whl")
        return wheel

    def asked(self) -> list[str]:
        """What podman and docker were called with."""
        return self._asked.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def released(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The release of the prepared commit, on a host without podman and docker."""
    return Release(prepared, tmp_path_factory.mktemp("engines") / "bin")
