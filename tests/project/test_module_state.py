"""What modules keep in memory stands in one list, `gisc.module_state`, and can be reset."""

import importlib
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

from catalogue import bootstrap, validation
from catalogue.payloads import payload
from gisc import module_state
from gisc.parts import reading
from oaiprovider import record_cache
from oaiprovider.formats import custom
from tests.project import found_state
from tests.support import csw_answers, world
from tests.support.nodes import environment
from tests.support.paths import ROOT

LISTED = {(state.module, state.name) for state in module_state.STATES}


@csw_answers.needs_packages
def test_the_list_has_what_the_modules_have(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.project.found_state"],
        cwd=ROOT,
        env=environment(GISC_DATA_DIR=str(tmp_path), SECRET_KEY="of no use", DJANGO_SETTINGS_MODULE="gisc.settings"),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=300,
    )
    found = {(module, name): why for module, names in json.loads(done.stdout).items() for name, why in names.items()}
    missing = {key: why for key, why in found.items() if key not in LISTED}
    assert not missing, "add these to gisc/module_state.py"
    assert not LISTED - found.keys(), "these are listed, and are no longer there"


def test_nothing_is_listed_twice() -> None:
    assert len(LISTED) == len(module_state.STATES)


PLANTED = {
    "seen = {}": "seen",
    "_SEEN = {}\ndef note(x):\n    _SEEN[x] = 1": "_SEEN",
    "_SEEN = []\ndef note(x):\n    _SEEN.append(x)": "_SEEN",
    "_SEEN = set()\ndef note(x):\n    if x:\n        def inner():\n            _SEEN.add(x)\n        inner()": "_SEEN",
    "_day = None\ndef note(x):\n    global _day\n    _day = x": "_day",
    "import functools\n@functools.cache\ndef slow(x):\n    return x": "slow",
    "import functools\nclass A:\n    @functools.lru_cache\n    def slow(self):\n        return 1": "A.slow",
    "class A:\n    last = None\ndef note(x):\n    A.last = x": "A.last",
    "def note(x):\n    note.last = x": "note.last",
    "DAY = None\ndef note(x):\n    globals()['DAY'] = x": "globals()",
    "import threading\nLOCK = threading.Lock()": "LOCK",
    "import threading\nclass Local(threading.local): pass\nLOCAL = Local()": "LOCAL",
    "from itertools import count\nNUMBERS = count()": "NUMBERS",
    "from collections import OrderedDict\ntry:\n    last: OrderedDict = OrderedDict()\nexcept ValueError:\n    pass": "last",
    "from oaiprovider.record_cache import RecordCache\nCACHE = RecordCache(1)": "CACHE",
    "from catalogue import validation\ndef note():\n    validation._last_walk = 1": "",
}


@pytest.mark.parametrize("source", PLANTED)
def test_state_that_is_planted_is_found(source: str, tmp_path: Path) -> None:
    file = tmp_path / "planted.py"
    file.write_text(source, encoding="utf-8")
    module = types.ModuleType("planted")
    module.__file__ = str(file)
    exec(source, vars(module))
    assert set(found_state.find([module]).get("planted", {})) == ({PLANTED[source]} - {""})


def test_a_name_that_another_module_binds_anew_is_found(tmp_path: Path) -> None:
    names = []
    for name, source in (("first", "DAY = None"), ("second", "import first\ndef note():\n    first.DAY = 1")):
        file = tmp_path / f"{name}.py"
        file.write_text(source, encoding="utf-8")
    sys.path.insert(0, str(tmp_path))
    try:
        names = [importlib.import_module(name) for name in ("first", "second")]
        assert found_state.find(names) == {"first": {"DAY": "a name that functions bind anew"}}
    finally:
        sys.path.remove(str(tmp_path))
        for name in ("first", "second"):
            sys.modules.pop(name, None)


CONSTANTS = (
    "NAMES = {'a': 1}\ndef name(x):\n    return NAMES[x]",
    "NAMES = ['a']\ndef names(x):\n    NAMES = [x]\n    NAMES.append(x)\n    return NAMES",
    "from enum import Enum\nclass Kind(Enum):\n    A = 1\nKIND = Kind.A",
    "from oaiprovider.flow_control import SERVE\nANSWER = SERVE",
    "import logging\nlogger = logging.getLogger(__name__)\nurlpatterns = []",
)


@pytest.mark.parametrize("source", CONSTANTS)
def test_a_constant_is_no_state(source: str, tmp_path: Path) -> None:
    file = tmp_path / "planted.py"
    file.write_text(source, encoding="utf-8")
    module = types.ModuleType("planted")
    module.__file__ = str(file)
    exec(source, vars(module))
    assert found_state.find([module]) == {}


def flags() -> list[object]:
    """What these modules know, None where they know nothing."""
    return [payload._cache.newest, validation._last_walk, reading._migrated or None]


@pytest.mark.django_db
def test_reset_all_brings_back_what_there_is_after_the_import(settings) -> None:
    bootstrap.ensure_sets()
    world.put(world.iso_record("a"))
    assert validation.label_records(seconds=60) is None
    reading._database_state()
    custom._failed[None, b""] = None
    cache = record_cache.process_cache(5, "")
    assert None not in flags()

    module_state.reset_all()

    assert set(flags()) == {None}
    assert not custom._failed
    assert record_cache.process_cache(5, "") is not cache


def test_memos_are_reset_where_that_is_asked_for() -> None:
    assert validation._code_digest()
    module_state.reset_all()
    assert validation._code_digest.cache_info().currsize == 1
    module_state.reset_all(memos=True)
    for state in module_state.STATES:
        if state.reset in (module_state.memo, module_state.forget) and state.module in sys.modules:
            assert getattr(sys.modules[state.module], state.name).cache_info().currsize == 0, state
