"""What pyproject.toml cannot say of the wheel: the folders beside the packages that go into `gisc`, and the locked versions.

A node is a program, not a library: it is installed with the versions of requirements.txt, with which it was tested.
"""

import re
from pathlib import Path

from setuptools import find_packages, setup

INTO_GISC = [
    folder for folder in ("templates", "locale") if Path(folder).is_dir()
]  # as gisc/installation.py looks for them
# Name, version and environment marker of each requirement; its hashes follow on lines of their own.
LOCKED = re.findall(
    r"^([\w.-]+\S*==[^\\\n]+?) *\\?$", Path("requirements.txt").read_text(encoding="utf-8"), re.MULTILINE
)

setup(
    packages=[
        *find_packages(
            include=[
                f"{app}{below}" for app in ("gisc", "catalogue", "oaiprovider", "harvester") for below in ("", ".*")
            ]
        ),
        *(f"gisc.{folder}" for folder in INTO_GISC),
    ],
    package_dir={f"gisc.{folder}": folder for folder in INTO_GISC},
    install_requires=LOCKED,
)
