"""manage.py secrets status|rotate|reseal|forget: change SECRET_KEY, and lose nothing that is sealed or signed with it."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from catalogue.management.base import BaseCommand
from gisc import embedded, file_locks, running_nodes, sealed_secrets
from harvester.rows.sealed import KeysFound


class Command(BaseCommand):
    """Report on the keys of the secrets in the database, and take the steps of a change of the key."""

    help = _(
        "Change SECRET_KEY (docs/deployment.md): `rotate` makes a new one where the node has generated it, else set it in "
        "the environment, and the former one in SECRET_KEY_FALLBACKS; then start the node, `reseal`, and a day later `forget`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        for act, text in (
            ("status", gettext("say which key opens the secrets in the database; status 1 where none does")),
            ("rotate", gettext("make a new key in the data directory, and keep the former one; the node must not run")),
            ("reseal", gettext("seal the secrets in the database under the present key")),
            ("forget", gettext("remove the former keys from the data directory; refused while a secret needs one")),
        ):
            acts.add_parser(act, help=text).add_argument(
                "--json", dest="as_json", action="store_true", help=gettext("print JSON")
            )

    def handle(self, *args: Any, act: str, as_json: bool, **options: Any) -> None:
        text, facts = {"status": _status, "rotate": _rotate, "reseal": _reseal, "forget": _forget}[act]()
        self.stdout.write(json.dumps(facts, ensure_ascii=False) if as_json else text)
        if act in ("status", "reseal") and facts["unreadable"]:
            raise SystemExit(1)


def _status() -> tuple[str, dict[str, Any]]:
    found = sealed_secrets.find_keys()
    text = gettext("{present} secrets are sealed under the present key, {former} under a former one.").format(
        present=found.present, former=found.former
    )
    kept = len(settings.SECRET_KEY_FALLBACKS)
    former = ngettext("One former key is kept.", "{keys} former keys are kept.", kept).format(keys=kept)
    return f"{text} {former}{_unreadable(found)}", {**found._asdict(), "former_keys": kept}


def _reseal() -> tuple[str, dict[str, Any]]:
    found = sealed_secrets.reseal()
    text = gettext("{former} secrets were sealed anew; {present} were under the present key already.").format(
        present=found.present, former=found.former
    )
    return f"{text}{_unreadable(found)}", {
        "resealed": found.former,
        "present": found.present,
        "unreadable": found.unreadable,
    }


def _rotate() -> tuple[str, dict[str, Any]]:
    _refuse_key_of_environment()
    lock = file_locks.FileLock(settings.GISC_DATA_DIR / running_nodes.LOCK)
    try:
        lock.acquire(wait_s=running_nodes.GLANCE_S)
    except file_locks.LockTaken as exc:
        raise CommandError(
            gettext("the node runs, with the present key; stop it, and start it again after this command")
        ) from exc
    try:
        embedded.rotate_key(settings.GISC_DATA_DIR)
    finally:
        lock.release()
    kept = len(embedded.former_keys(settings.GISC_DATA_DIR))
    text = gettext(
        "The node has a new key; the former one still opens what it has sealed and signed. Start the node, run manage.py secrets "
        "reseal, and after a day manage.py secrets forget."
    )
    return text, {"rotated": True, "former_keys": kept}


def _forget() -> tuple[str, dict[str, Any]]:
    _refuse_key_of_environment()
    found = sealed_secrets.find_keys()
    if found.former:
        raise CommandError(
            gettext("{former} secrets in the database need a former key; run manage.py secrets reseal first").format(
                former=found.former
            )
        )
    kept = len(embedded.former_keys(settings.GISC_DATA_DIR))
    embedded.forget_former_keys(settings.GISC_DATA_DIR)
    text = ngettext(
        "One former key is removed. Processes that run forget it when they are started again.",
        "{keys} former keys are removed. Processes that run forget them when they are started again.",
        kept,
    ).format(keys=kept)
    return text, {"forgotten": kept}


def _refuse_key_of_environment() -> None:
    if not settings.GISC_OWN_SECRET_KEY:
        raise CommandError(
            gettext(
                "SECRET_KEY is set in the environment of the node, and so are the former keys, in SECRET_KEY_FALLBACKS; "
                "change them there"
            )
        )


def _unreadable(found: KeysFound) -> str:
    if not found.unreadable:
        return ""
    return gettext(" No key of this node opens these; enter them again: {names}.").format(
        names=", ".join(found.unreadable)
    )
