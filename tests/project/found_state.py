"""Find what modules keep in memory between two calls, without the list of `gisc.module_state`.

    python -m tests.project.found_state

prints one JSON object: by module, its names with the reason why each is state. Run it in a process of its own, because it
imports modules that only a server or a worker should import.
"""

import ast
import functools
import importlib
import inspect
import json
import queue
import threading
from collections.abc import Iterator, MutableMapping, MutableSequence, MutableSet
from contextvars import ContextVar
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from tests.support.paths import ROOT

PACKAGES = ("gisc", "catalogue", "oaiprovider", "harvester")
# What measures and shows, what runs once, and what a process reads as its settings.
LEFT_OUT = ("gisc.bench", "gisc.demo", "gisc.settings", "gisc.gunicorn_conf")
FRAMEWORKS = {"urlpatterns", "__all__"}  # names that Django and Python read, which nobody changes
CACHES = (type(functools.lru_cache(str)),)
TOOLS = (
    *(threading.local, type(threading.Lock()), type(threading.RLock()), threading.Semaphore, threading.Condition),
    *(threading.Event, threading.Barrier, queue.Queue, queue.SimpleQueue, ContextVar),
)
COLLECTIONS = (MutableMapping, MutableSequence, MutableSet, bytearray)
CHANGING = {
    *("append", "appendleft", "extend", "insert", "remove", "pop", "popleft", "popitem", "clear", "sort", "reverse"),
    *("add", "discard", "update", "setdefault", "move_to_end", "difference_update", "intersection_update"),
}


def module_names() -> Iterator[str]:
    """The modules of the product, but for migrations and what is left out."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if "migrations" not in parts and not name.startswith(LEFT_OUT):
                yield name


def find(modules: list[ModuleType]) -> dict[str, dict[str, str]]:
    """By module, the names of its state, each with the reason."""
    trees = {module.__name__: ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")) for module in modules}
    changed = {found for module in modules for found in _changed_in_functions(module, trees[module.__name__])}
    states: dict[str, dict[str, str]] = {}
    for module in modules:
        for name, reason in _states_of(module, trees[module.__name__], changed):
            states.setdefault(module.__name__, {}).setdefault(name, reason)
    return states


def _states_of(module: ModuleType, tree: ast.Module, changed: set[int | tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for owner, name, value in _defined(module, tree):
        label = f"{owner}.{name}" if owner else name
        if isinstance(value, CACHES):
            yield label, "a cache of functools"
        elif isinstance(value, TOOLS):
            yield label, f"a {type(value).__name__}"
        elif (
            isinstance(value, COLLECTIONS)
            and name not in FRAMEWORKS
            and (id(value) in changed or not _is_constant(name))
        ):
            yield label, "a collection that functions change, or whose name is not that of a constant"
        elif isinstance(value, Iterator):
            yield label, "an iterator"
        elif _is_ours_and_mutable(value):
            yield label, f"an instance of {type(value).__name__}"
    for one in changed:
        if isinstance(one, tuple) and one[0] == module.__name__:
            yield one[1], "a name that functions bind anew"


def _defined(module: ModuleType, tree: ast.Module) -> Iterator[tuple[str, str, Any]]:
    """Names that the module itself defines, and those of its classes, with their values; nothing that it imports."""
    for name in _names_bound(tree.body):
        value = vars(module).get(name)
        yield "", name, value
        if inspect.isclass(value) and value.__module__ == module.__name__:
            for attribute, inner in vars(value).items():
                inner = inner.__func__ if isinstance(inner, staticmethod | classmethod) else inner
                if isinstance(inner, CACHES + TOOLS):
                    yield name, attribute, inner


def _names_bound(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield statement.name
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
        elif isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for field in ("body", "orelse", "finalbody"):
                yield from _names_bound(getattr(statement, field, []))
            for handler in getattr(statement, "handlers", []):
                yield from _names_bound(handler.body)


def _is_constant(name: str) -> bool:
    return name.strip("_").isupper()


def _is_ours_and_mutable(value: Any) -> bool:
    """Whether this is an instance of a class of ours that is neither frozen nor a value of Enum or a tuple."""
    kind = type(value)
    if kind.__module__.partition(".")[0] not in PACKAGES or isinstance(value, type | Enum | tuple | FunctionType):
        return False
    return not (is_dataclass(kind) and kind.__dataclass_params__.frozen)


# --- What functions change ---------------------------------------------------------------------------


def _changed_in_functions(module: ModuleType, tree: ast.Module) -> Iterator[int | tuple[str, str]]:
    """What functions of this module change: the ids of collections, and (module, name) of what they bind anew."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        rebound = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        yield from ((module.__name__, name) for name in rebound)
        local = _local_names(function) - rebound
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "globals":
                yield module.__name__, "globals()"
            for target in _targets(node):
                value = _resolve(target, module, local)
                if isinstance(value, COLLECTIONS):
                    yield id(value)
                if isinstance(target, ast.Attribute) and not isinstance(node, ast.Call):
                    owner = _resolve(target.value, module, local)
                    if isinstance(owner, ModuleType):
                        yield owner.__name__, target.attr
                    elif isinstance(owner, type | FunctionType):
                        yield owner.__module__, f"{owner.__qualname__}.{target.attr}"


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a node changes: `x` of `x.append(1)`, `x[0] = 1`, `del x[0]`, `x |= y` and `x.y = 1`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
        yield node.func.value
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.value if isinstance(node, ast.Subscript) else node


def _local_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    names = {argument.arg for argument in every if argument is not None}
    stored = (node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return names | set(stored)


def _resolve(expression: ast.expr, module: ModuleType, local: set[str]) -> Any:
    """The value of a name of the module, or of an attribute of one, as it is now; None if it is something else."""
    if isinstance(expression, ast.Name) and expression.id not in local:
        return vars(module).get(expression.id)
    if isinstance(expression, ast.Attribute):
        owner = _resolve(expression.value, module, local)
        return getattr(owner, expression.attr, None) if isinstance(owner, ModuleType | type) else None
    return None


def main() -> None:
    import django

    django.setup()
    print(json.dumps(find([importlib.import_module(name) for name in module_names()])))


if __name__ == "__main__":
    main()
