"""`make release` refuses a commit that is not ready, and makes of one that is the same wheel each time."""

import email
import hashlib
import os
import zipfile
from pathlib import Path

from tests.release.conftest import VERSION, Release, files_of_repository, git
from tests.support.locked import requirements

PACKAGES = ("catalogue/", "gisc/", "harvester/", "oaiprovider/")


def test_a_commit_that_is_not_ready_is_refused_with_all_that_is_missing(unprepared: Path, tmp_path: Path) -> None:
    changes, new = unprepared / "CHANGELOG.md", "/".join(("catalogue", "sql", "new_noun.0001.sql"))
    before = changes.read_text(encoding="utf-8")
    try:
        changes.write_text(before.replace("## Unreleased\n", "## Unreleased\n\nSomething.\n", 1), encoding="utf-8")
        (unprepared / new).write_text("SELECT 1;\n", encoding="utf-8")
        (unprepared / "tests" / "data" / "released_sql.txt").write_text("", encoding="utf-8")
        done = Release(unprepared, tmp_path / "bin").done
    finally:
        git(unprepared, "checkout", "--quiet", ".")
        git(unprepared, "clean", "--quiet", "--force", "-d")
    assert (done.returncode, done.stdout) == (1, "")
    for sentence in (
        f"not committed: CHANGELOG.md, tests/data/released_sql.txt, {new}; commit it",
        "CHANGELOG.md has something under Unreleased",
        "tests/data/released_sql.txt has no section",
        f"{new} is not in tests/data/released_sql.txt",
        "make it by .venv/bin/python -m tests.upgrade.make_fixture",
    ):
        assert sentence in done.stderr
    assert not (unprepared / "dist").exists()


def test_a_released_sql_file_that_was_edited_or_removed_is_refused(prepared: Path, tmp_path: Path) -> None:
    copy = clone(prepared, tmp_path)
    edited, removed = sorted((copy / "catalogue" / "sql").glob("*.sql"))[:2]
    edited.write_text("SELECT 1;\n", encoding="utf-8")
    removed.unlink()
    git(copy, "commit", "--quiet", "--all", "--message", "Edit")
    done = Release(copy, tmp_path / "bin").done
    assert done.returncode == 1
    assert done.stderr.splitlines()[1:] == [
        f"  catalogue/sql/{edited.name} is not as tests/data/released_sql.txt has it",
        f"  catalogue/sql/{removed.name} was released, and is not there",
    ]


def test_the_wheel_has_each_file_of_the_product_and_nothing_else(released: Release) -> None:
    expected = {name for name in files_of_repository() if name.startswith(PACKAGES)}
    beside = {f"gisc/{name}" for name in files_of_repository() if name.startswith(("templates/", "locale/"))}
    assert beside
    with zipfile.ZipFile(released.wheel) as wheel:
        packed = {name for name in wheel.namelist() if not name.startswith(f"gisc_catalogue_node-{VERSION}.dist-info/")}
    assert packed == expected | beside
    assert not any("tests" in Path(name).parts for name in packed)


def test_the_wheel_wants_the_locked_versions_and_brings_its_commands(released: Release) -> None:
    with zipfile.ZipFile(released.wheel) as wheel:
        (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        facts = email.message_from_bytes(wheel.read(metadata))
        commands = wheel.read(metadata.replace("METADATA", "entry_points.txt")).decode().splitlines()
    assert facts["Version"] == VERSION
    locked = [line.partition(" --hash")[0].strip() for line in requirements("requirements.txt")]
    wanted = [each for each in facts.get_all("Requires-Dist") if "extra ==" not in each]
    assert facts.get_all("Provides-Extra") == ["csw"]
    assert [normal(each) for each in wanted] == [normal(each) for each in locked]
    assert {"gisc = gisc.__main__:run", "gisc-catalogue-node = gisc.__main__:run"} <= set(commands)


def normal(requirement: str) -> str:
    return requirement.replace(" ", "").replace("'", '"').lower()


def test_a_second_release_elsewhere_is_the_same_wheel_and_makes_the_image(
    released: Release, prepared: Path, tmp_path: Path
) -> None:
    copy = clone(prepared, tmp_path)
    umask = os.umask(0o077)
    try:
        second = Release(copy, tmp_path / "bin", engine_works=True)
    finally:
        os.umask(umask)
    assert second.wheel.read_bytes() == released.wheel.read_bytes()
    assert "Left out: the image, because neither podman nor docker works here." in released.done.stdout
    assert "Left out" not in second.done.stdout
    assert f"image gisc-node:{VERSION}" in second.done.stdout

    info, build = second.asked()
    assert info == "podman info"
    commit = git(copy, "rev-parse", "HEAD").strip()
    labels = f"--label=org.opencontainers.image.version={VERSION} --label=org.opencontainers.image.revision={commit}"
    assert build.startswith(f"podman build --format docker --tag gisc-node:{VERSION} {labels} ")

    sums = (second.dist / f"gisc_catalogue_node-{VERSION}-sha256.txt").read_text(encoding="utf-8")
    assert f"{hashlib.sha256(second.wheel.read_bytes()).hexdigest()}  {second.wheel.name}\n" in sums
    assert git(copy, "status", "--porcelain") == ""


def clone(repository: Path, folder: Path) -> Path:
    git(folder, "clone", "--quiet", str(repository), "clone")
    return folder / "clone"
