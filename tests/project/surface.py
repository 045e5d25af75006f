"""Read what the world sees of the product: names that operators, browsers, brokers, monitors and databases know.

    python -m tests.project.surface > tests/project/data/surface.json

writes the file that test_unchanged_surface.py compares with. A name of a module of ours is no part of the surface,
unless the world writes it, as the broker does with the names of tasks.

Each part is read in a process of its own: what other tests have imported, registered or set is not seen there.
"""

import argparse
import ast
import hashlib
import importlib
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

from tests.support.nodes import environment
from tests.support.paths import ROOT

PACKAGES = ("gisc", "catalogue", "oaiprovider", "harvester")  # the folders of the code
LABELS = (*PACKAGES, "alerts")  # of the apps
SETTINGS = "gisc.settings"
CELERY = "gisc.celery"

Section = Callable[[], Any]


def read(part: str) -> dict[str, Any]:
    """Read the sections of a part, `code` or `database`, in a new process with the default settings."""
    with tempfile.TemporaryDirectory(prefix="gisc-surface-") as folder:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.project.surface", part],
            cwd=ROOT,
            env=environment(GISC_DATA_DIR=folder, SECRET_KEY="of no use", DJANGO_SETTINGS_MODULE=SETTINGS),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=300,
        )
    sections: dict[str, Any] = json.loads(done.stdout)
    return sections


def write_down(sections: dict[str, Any]) -> str:
    """The text of surface.json."""
    return json.dumps(sections, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


# --- What is ours ------------------------------------------------------------------------------------


def is_ours(path: Path | str) -> bool:
    """Whether a file belongs to the product, and not to a package that it uses, wherever that is installed."""
    path = Path(path).resolve()
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in (*PACKAGES, "templates")


def is_our_code(thing: Any) -> bool:
    """Whether a class or function is defined in the product."""
    return str(thing.__module__).split(".")[0] in PACKAGES


def sources() -> Iterator[Path]:
    """The Python files of the product."""
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def constants() -> set[str]:
    """All texts that stand in the product as constants, also as parts of f-strings."""
    return {
        node.value
        for file in sources()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def plain(value: Any) -> Any:
    """A value as JSON has it; paths of this machine are given by name."""
    if isinstance(value, str | Path):
        data_dir = str(Path(os.environ["GISC_DATA_DIR"]).resolve())
        return str(value).replace(data_dir, "{data}").replace(str(ROOT), "{root}")
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    return str(value)


# --- The code ----------------------------------------------------------------------------------------


def apps_and_models() -> dict[str, Any]:
    """Labels, names of models, their tables and permissions, and the values that fields with choices have in rows."""
    from django.apps import apps

    return {
        app.label: {
            "verbose name": str(app.verbose_name),
            "models": {
                model._meta.object_name: {
                    "table": model._meta.db_table,
                    "permissions": " ".join(
                        [f"{action}_{model._meta.model_name}" for action in model._meta.default_permissions]
                        + [codename for codename, _ in model._meta.permissions]
                    ),
                    "choices": {
                        field.name: [plain(value) for value, _ in field.flatchoices]
                        for field in model._meta.local_fields
                        if field.choices
                    },
                }
                for model in app.get_models()
            },
        }
        for app in apps.get_app_configs()
        if is_ours(app.path)
    }


def migrations() -> dict[str, list[str]]:
    """Names of migrations by app: each database has them in `django_migrations`."""
    from django.db.migrations.loader import MigrationLoader

    found: dict[str, list[str]] = {}
    for label, name in sorted(MigrationLoader(None).disk_migrations):
        if label in LABELS:
            found.setdefault(label, []).append(name)
    return found


def admin_pages() -> dict[str, Any]:
    """By model: names and routes of the pages, the actions, and the arguments of the filters, which bookmarks hold."""
    from django.contrib import admin
    from django.contrib.auth import get_user_model
    from django.test import RequestFactory

    admin.autodiscover()
    request = RequestFactory().get("/admin/")
    request.user = get_user_model()(username="somebody", is_active=True, is_staff=True, is_superuser=True)
    pages: dict[str, Any] = {}
    for model, page in admin.site._registry.items():
        if not is_our_code(type(page)):
            pages[model._meta.label] = "a page of another package"
            continue
        filters = (one[0] if isinstance(one, tuple) else one for one in page.get_list_filter(request))
        kinds = ("actions_list", "actions_row", "actions_detail", "actions_submit_line")  # of unfold
        pages[model._meta.label] = {
            "routes": {str(url.name): str(url.pattern) for url in page.get_urls() if url.name},
            "actions": sorted(page.get_actions(request)),
            "filters": [str(getattr(one, "parameter_name", one)) for one in filters],
        } | {kind: sorted(map(str, getattr(page, kind))) for kind in kinds if getattr(page, kind, ())}
    return pages


def commands() -> dict[str, Any]:
    """Commands of manage.py with their arguments as argparse knows them, without the help and Django's own options."""
    from django.core.management import BaseCommand, get_commands, load_command_class

    shared = set(BaseCommand().create_parser("manage.py", "any")._option_string_actions)
    return {
        name: {
            "app": app,
            "arguments": arguments(load_command_class(app, name).create_parser("manage.py", name), shared),
        }
        for name, app in get_commands().items()
        if app in PACKAGES or app == "gisc.alerts"
    }


def arguments(parser: argparse.ArgumentParser, shared: set[str]) -> dict[str, Any]:
    """The arguments of a parser, but for the shared options; sub-commands with theirs."""
    found: dict[str, Any] = {}
    for action in parser._actions:
        if shared & set(action.option_strings):
            continue
        if isinstance(action, argparse._SubParsersAction):
            found["sub-commands"] = {name: arguments(sub, shared) for name, sub in action.choices.items()}
            continue
        found[" ".join(action.option_strings) or f"<{action.metavar or action.dest}>"] = " ".join(
            [type(action).__name__.strip("_").removesuffix("Action")]
            + (["required"] if action.required and action.option_strings else [])
            + ([f"nargs={action.nargs}"] if action.nargs else [])
            + ([f"default={plain(action.default)}"] if action.default not in (None, False) else [])
            + (["of " + "|".join(map(str, action.choices))] if action.choices else [])
        )
    for group in parser._mutually_exclusive_groups:
        found.setdefault("one of", []).append(" ".join(sorted(one.option_strings[0] for one in group._group_actions)))
    return found


def queue() -> dict[str, Any]:
    """What the broker sees: tasks as a worker finds them, entries of beat, the queue and how messages are written."""
    app = importlib.import_module(CELERY).app
    app.loader.import_default_modules()  # as a worker does at its start
    return {
        "tasks": sorted(name for name in app.tasks if not name.startswith("celery.")),
        "beat": plain(app.conf.beat_schedule),
        "queues": [app.conf.task_default_queue, *(one.name for one in app.conf.task_queues)],
        "routes": plain(app.conf.task_routes),
        "serializer": app.conf.task_serializer,
        "accepted": plain(app.conf.accept_content),
        "priority": app.conf.task_default_priority,
        "options of the broker": plain(app.conf.broker_transport_options),
    }


def routes() -> list[str]:
    """Patterns and names of routes, in the order in which they are tried; those of the admin have a section of theirs."""
    from django.urls import URLPattern, get_resolver

    def walk(resolver: Any, before: str, space: str) -> Iterator[str]:
        for one in resolver.url_patterns:
            route = before + str(one.pattern)
            if isinstance(one, URLPattern):
                yield f"/{route} {space}{one.name or ''}".rstrip()
            elif one.namespace == "admin":
                yield f"/{route} admin"
            else:
                yield from walk(one, route, f"{space}{one.namespace}:" if one.namespace else space)

    return list(walk(get_resolver(), "", ""))


def static_files() -> list[str]:
    """Our static files, by their addresses."""
    from django.contrib.staticfiles.finders import get_finders
    from django.templatetags.static import static

    return sorted(
        static(path) for finder in get_finders() for path, storage in finder.list([]) if is_ours(storage.path(path))
    )


def templates() -> list[str]:
    """Names of our templates; each can be loaded."""
    from django.template import engines

    engine = engines["django"].engine
    folders = {Path(folder) for loader in engine.template_loaders for folder in loader.get_dirs()}
    names = {
        str(file.relative_to(folder))
        for folder in folders
        if is_ours(folder)
        for file in folder.rglob("*")
        if file.is_file()
    }
    for name in names:
        engine.get_template(name)
    return sorted(names)


def template_tags() -> dict[str, Any]:
    """Our tag libraries with their tags and filters."""
    from django.template.backends.django import get_installed_libraries

    found = {}
    for name, path in get_installed_libraries().items():
        module = importlib.import_module(path)
        if path.split(".")[0] in PACKAGES:
            found[name] = {"tags": sorted(module.register.tags), "filters": sorted(module.register.filters)}
    return found


def system_checks() -> dict[str, Any]:
    """Ids that stand in the code, and how many checks are registered, by their tags."""
    from django.core.checks.registry import registry

    ids = re.compile(rf'"((?:{"|".join(PACKAGES)})\.[CEWID][0-9]{{3}})"')
    of_all = Counter(
        " ".join(sorted(map(str, getattr(check, "tags", ())))) or "no tag"
        for check in registry.get_checks(include_deployment_checks=True)
        if is_our_code(check)
    )
    found = {name for file in sources() for name in ids.findall(file.read_text(encoding="utf-8"))}
    return {"ids": sorted(found), "registered": dict(of_all)}


def settings_and_variables() -> dict[str, Any]:
    """Variables of the environment that are read, and by setting those that feed it directly, with its default."""
    from django.conf import settings

    fed: dict[str, Any] = {}
    tree = ast.parse(Path(str(importlib.import_module(SETTINGS).__file__)).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        read_here = variables(node.value)
        for name in (target.id for target in node.targets if isinstance(target, ast.Name)):
            if read_here and name.isupper() and not name.startswith("_") and name != "SECRET_KEY":
                default = getattr(settings, name)
                fed[name] = {"variables": read_here}
                if not isinstance(default, dict):
                    fed[name]["default"] = plain(default)
    read_anywhere = {name for file in sources() for name in variables(ast.parse(file.read_text(encoding="utf-8")))}
    return {"variables": sorted(read_anywhere), "settings": fed}


def variables(tree: ast.AST) -> list[str]:
    """Names that are read by `env.<reader>("NAME", ...)`."""
    return sorted(
        {
            str(node.args[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "env"
            and node.args
            and isinstance(node.args[0], ast.Constant)
        }
    )


def log_roots() -> list[str]:
    """The loggers that have a level of their own: whatever logs below them is seen."""
    from django.conf import settings

    configuration: dict[str, Any] = settings.LOGGING
    return sorted(configuration["loggers"])


# --- The database ------------------------------------------------------------------------------------


def tables() -> dict[str, Any]:
    """Columns, constraints, indexes and triggers of our tables, and our functions, as PostgreSQL defines them.

    Of a function there is a digest of its definition, white space apart.
    """
    from django.db import connection

    ours = f"^({'|'.join(LABELS)})_"
    of_ours = f"c.relname ~ '{ours}' AND n.nspname = 'public'"
    queries = {
        "columns": f"""
            SELECT c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod)
                || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
                || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
                || CASE WHEN a.attidentity <> '' THEN ' IDENTITY' ELSE '' END
                || CASE WHEN l.collname <> 'default' THEN ' COLLATE ' || l.collname ELSE '' END
                || CASE WHEN a.attstorage <> t.typstorage THEN ' STORAGE ' || a.attstorage::text ELSE '' END
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation l ON l.oid = a.attcollation
            LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
            WHERE {of_ours} AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        """,
        "constraints": f"""
            SELECT c.relname || '.' || o.conname, pg_get_constraintdef(o.oid)
            FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE {of_ours} AND o.contype <> 'n'
        """,
        "indexes": f"""
            SELECT c.relname || '.' || i.relname, pg_get_indexdef(i.oid)
            FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {of_ours}
        """,
        "triggers": f"""
            SELECT c.relname || '.' || t.tgname, pg_get_triggerdef(t.oid)
            FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE {of_ours} AND NOT t.tgisinternal
        """,
        "functions": f"""
            SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid)
            FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname = 'public' AND p.proname ~ '{ours}'
        """,
    }
    found: dict[str, Any] = {}
    with connection.cursor() as cursor:
        for name, query in queries.items():
            cursor.execute(query)
            found[name] = dict(cursor.fetchall())
    found["functions"] = {
        name: hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]
        for name, text in found["functions"].items()
    }
    return found


def metrics() -> dict[str, str]:
    """Our metrics with their types, as `/metrics` gives them. Writes the rows without which some are left out."""
    from django.apps import apps
    from django.test import Client
    from django.utils import timezone

    now = timezone.now()
    apps.get_model("harvester", "Canary").objects.get_or_create(pk=1, defaults={"last": now})
    apps.get_model("catalogue", "CatalogueCanary").objects.get_or_create(pk=1, defaults={"last": now})
    apps.get_model("harvester", "HostClock").objects.update_or_create(pk=1, defaults={"checked": now, "offset_s": 0.5})
    apps.get_model("catalogue", "JournalOutbox").objects.create(event="left", identifier="any", datestamp=now)
    text = Client().get("/metrics", headers={"host": "localhost"}).content.decode()
    found = dict(re.findall(r"^# TYPE (gisc_\S+) (\S+)$", text, flags=re.MULTILINE))
    # The client adds these once a counter of the process has counted something, which depends on the tests before.
    return {name: kind for name, kind in found.items() if not name.endswith("_created")}


def built_in_formats() -> dict[str, str]:
    """What each built-in format is made with: another digest gives all its records another datestamp (P93)."""
    from django.apps import apps

    return dict(apps.get_model("oaiprovider", "Generation").objects.values_list("prefix", "digest"))


RECORD, LINK, PEER = "int.wmo.wis.SURFACE", "toulouse", "WIS-GISC-TOULOUSE"
URL = "http://gisc-toulouse.example.org/oai"
JSON_OF_COMMANDS = (
    f"set add {PEER} --name Toulouse",
    "set add WIS-SHARED --kind shared",
    "set add WIS-UNION --kind virtual",
    "set include WIS-UNION WIS-SHARED",
    "set exclude WIS-UNION WIS-SHARED",
    "ingest {file}",
    f"set move WIS-SHARED {RECORD}",
    "catalogue validate",
    "catalogue stats",
    "catalogue restamp --set WIS-SHARED --since 2020-01-01 --dry-run",
    "catalogue purge --dry-run",
    "catalogue dictionary list",
    f"withdraw {RECORD} {RECORD}-2",
    "journal replay {journal}",
    "profile list",
    "profile preview DRIVER",
    f"link add {LINK} {URL} --set {PEER}",
    f"link alternative {LINK} offenbach http://gisc-offenbach.example.org/oai",
    f"link access {LINK} --user reader",
    "link list",
)
JSON_PAGES = ("/stats.json", "/harvest/status.json", "/health/ready", "/health/tasks")


def answers() -> dict[str, list[str]]:
    """What programs read: the keys of what commands print with `--json` and of JSON pages, the columns of CSV."""
    from django.apps import apps
    from django.contrib.auth import get_user_model
    from django.test import Client, override_settings
    from django.utils import timezone

    from gisc import database
    from tests.support.world import iso_record

    found = {}
    database.ensure_sets()
    with tempfile.TemporaryDirectory() as folder, override_settings(GISC_JOURNAL_DIR=folder):
        file, journal = Path(folder) / "record.xml", Path(folder) / "journal"
        journal.mkdir()
        file.write_bytes(iso_record(RECORD))
        for command in JSON_OF_COMMANDS:
            words = command.format(file=file, journal=journal).split()
            found[f"manage.py {command}"] = keys(json.loads(printed(*words)))
    link = apps.get_model("harvester", "Link").objects.get(name=LINK)
    # The migrations know the centres; a test that empties all tables may have been before.
    apps.get_model("harvester", "Centre").objects.get_or_create(set_spec=PEER, defaults={"name": "Toulouse"})
    said = [{"code": "empty-page", "facts": {}, "count": 1}]
    for purpose in ("harvest", "comparison"):
        now = timezone.now()
        run = link.runs.create(purpose=purpose, state="done", begun=now, finished=now, warnings=said)
    run.rejects.create(link=link, identifier=RECORD, reason="said nothing", raw=b"<a/>")
    found["manage.py link show"] = keys(json.loads(printed("link", "show", LINK)))
    client = Client(headers={"host": "localhost"})
    for page in JSON_PAGES:
        found[page] = keys(client.get(page).json())
    client.force_login(get_user_model().objects.create_superuser("surface"))
    rejects = client.get(f"/admin/harvester/run/{run.pk}/rejects.csv")
    report = client.post("/admin/harvester/run/", {"action": "download_report", "_selected_action": run.pk})
    for name, csv in (("rejects.csv", rejects), ("report of runs", report)):
        found[name] = b"".join(csv.streaming_content).decode().split("\r\n", 1)[0].split(",")
    found["manage.py link remove"] = keys(json.loads(printed("link", "remove", LINK)))
    return found


def printed(*words: str) -> str:
    """What a command prints with `--json`, whatever its exit status."""
    from django.core.management import call_command

    out = StringIO()
    with suppress(SystemExit):
        call_command(*words, "--json", stdout=out, stderr=StringIO())
    return out.getvalue()


def keys(value: Any, before: str = "") -> list[str]:
    """The keys of a JSON value as paths, in their order: `links[].name`. What facts there are depends on the code beside them."""
    if before.endswith("facts"):
        return [before]
    if isinstance(value, list):
        return list(dict.fromkeys(path for one in value for path in keys(one, f"{before}[]"))) or [f"{before}[]"]
    if isinstance(value, dict) and value:
        return [path for name, one in value.items() for path in keys(one, f"{before}.{name}".lstrip("."))]
    return [before]


# --- As a program ------------------------------------------------------------------------------------

OF_CODE: dict[str, Section] = {
    "admin": admin_pages,
    "apps": apps_and_models,
    "checks": system_checks,
    "commands": commands,
    "log roots": log_roots,
    "migrations": migrations,
    "queue": queue,
    "routes": routes,
    "settings": settings_and_variables,
    "static files": static_files,
    "template tags": template_tags,
    "templates": templates,
}
OF_DATABASE: dict[str, Section] = {
    "answers": answers,
    "built-in formats": built_in_formats,
    "database": tables,
    "metrics": metrics,
}


def print_part(part: str) -> None:
    """Print the sections of a part, in the environment that `read` makes."""
    import django

    from gisc import database, embedded

    logging.disable()
    os.cpu_count = lambda: 2  # the default of some options is reckoned from it
    if part == "code":
        django.setup()
        print(write_down({name: section() for name, section in OF_CODE.items()}))
        return
    with embedded.database(Path(os.environ["GISC_DATA_DIR"]), durable=False):
        django.setup()
        database.prepare()
        print(write_down({name: section() for name, section in OF_DATABASE.items()}))


if __name__ == "__main__":
    if sys.argv[1:]:
        print_part(sys.argv[1])
    else:
        print(write_down(read("code") | read("database")), end="")
