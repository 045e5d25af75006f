"""Each role may do exactly its part: every route of the administration, by GET and POST, for each role."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver

from catalogue import seams
from catalogue.models import Category, Claim, JournalOutbox, MetadataSet, Quality, Record, Upload, UploadDocument
from gisc import roles
from gisc.alerts.models import Message, Recipient
from gisc.audit.models import Act
from gisc.roles import Role
from harvester.models import Centre, Conflict, Link, LinkDay, Reject, Run
from oaiprovider.models import Crosswalk, IdentifyDescription, Profile
from tests.support import world
from tests.support.world import TOULOUSE

pytestmark = pytest.mark.django_db
VIEWER, OPERATOR, MANAGER, ADMINISTRATOR, NOBODY = *(role.value for role in Role), "nobody"
WHO = (VIEWER, OPERATOR, MANAGER, ADMINISTRATOR, NOBODY)

# What each role may do, as a person would say it: `-` nothing, `r` look, `a` look and add, `w` add, change and delete, `d` look and delete, as far as the page has
# that at all. In the order of WHO without the last, who has an account and no role.
MODELS = {
    "harvester.link": "r w r w",
    "harvester.run": "r r r r",
    "harvester.reject": "r r r r",
    "harvester.linkday": "r r r r",
    "harvester.conflict": "r r r r",
    "harvester.centre": "r w r w",
    "alerts.recipient": "r w r w",
    "alerts.message": "r r r r",
    "catalogue.record": "r r r r",
    "catalogue.claim": "r r r r",
    "catalogue.quality": "r r r r",
    "catalogue.upload": "r r w w",
    "catalogue.category": "r r w w",
    "catalogue.metadataset": "r a w w",
    "catalogue.journaloutbox": "- r r r",
    "oaiprovider.profile": "r r w w",
    "oaiprovider.crosswalk": "r r w w",
    "oaiprovider.identifydescription": "r r w w",
    "auth.user": "- - - w",
    "auth.group": "- - - w",
    "axes.accessattempt": "- - - d",
    "axes.accesslog": "- - - r",
    "axes.accessfailurelog": "- - - r",
    "audit.act": "- r r r",
}
CONTAINER = (
    """<a xmlns="urn:a" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:a urn:b"/>"""
)
# Actions on chosen rows, besides the deletion of those who may delete.
ACTIONS = {
    "harvester.link": {
        OPERATOR: "run_now run_now_whole compare compare_beyond_ceiling reharvest enable disable switch switch_back accept_move cancel_run",
    },
    "harvester.run": {
        VIEWER: "download_report download_rejects",
        OPERATOR: "cancel download_report download_rejects",
        MANAGER: "download_report download_rejects",
    },
    "harvester.reject": dict.fromkeys((VIEWER, OPERATOR, MANAGER), "download"),
    "harvester.linkday": dict.fromkeys((VIEWER, OPERATOR, MANAGER), "download"),
    "harvester.conflict": dict.fromkeys((OPERATOR, MANAGER), "leave silence hand_over withdraw take_over"),
    "catalogue.record": dict.fromkeys((MANAGER, ADMINISTRATOR), "withdraw move restrict"),
    "alerts.recipient": {OPERATOR: "send_test"},
    "harvester.centre": {OPERATOR: "mark_active mark_inactive"},
    "axes.accessattempt": {ADMINISTRATOR: "unlock"},
    "auth.user": {ADMINISTRATOR: "reset_second_factor"},
}
# Other pages, by name: who may open them by GET, and who by POST; `*`: everybody with an account that may sign in. None: no such method.
ALL, READERS = frozenset(WHO), frozenset((VIEWER, OPERATOR, MANAGER, ADMINISTRATOR))
OPERATORS = frozenset((OPERATOR, ADMINISTRATOR))
MANAGERS = frozenset((MANAGER, ADMINISTRATOR))
PAGES = {
    "index": (ALL, ALL),
    "login": (ALL, ALL),
    "logout": (None, ALL),
    "password_change": (ALL, ALL),
    "password_change_done": (ALL, None),
    "jsi18n": (ALL, None),
    "search": (ALL, ALL),
    "toggle_sidebar": (ALL, ALL),
    "autocomplete": (frozenset(), frozenset()),  # no field of the administration asks it
    "view_on_site": (ALL, ALL),
    "app_list": (READERS, READERS),
    "harvester_link_look": (OPERATORS, OPERATORS),
    "harvester_link_run": (None, OPERATORS),
    "harvester_link_add_plain": (OPERATORS, OPERATORS),
    "harvester_link_progress": (READERS, READERS),
    "harvester_link_next_times": (READERS, READERS),
    "harvester_link_import_csv": (OPERATORS, OPERATORS),
    "harvester_link_export_csv": (READERS, READERS),
    "harvester_link_alternative": (None, OPERATORS),
    "harvester_centre_import_csv": (OPERATORS, OPERATORS),
    "harvester_centre_export_csv": (READERS, READERS),
    "harvester_conflict_ask": (None, frozenset((OPERATOR, MANAGER, ADMINISTRATOR))),
    "harvester_link_act": (OPERATORS, OPERATORS),
    "harvester_link_live": (READERS, READERS),
    "harvester_link_quiet": (None, OPERATORS),
    "harvester_link_renew_report": (None, OPERATORS),
    "harvester_link_rejects": (READERS, READERS),
    "catalogue_record_act": (MANAGERS, MANAGERS),
    "catalogue_record_replace": (MANAGERS, MANAGERS),
    "catalogue_record_restore": (MANAGERS, MANAGERS),
    "dashboard-live": (ALL, None),
    "dashboard-charts": (ALL, None),
    "dashboard-mute": (None, OPERATORS),
    "second-factor": (ALL, ALL),
    "second-factor-sign-in": (ALL, ALL),
    "harvester_run_rejects": (READERS, READERS),
    "catalogue_metadataset_members": (MANAGERS, MANAGERS),
    "catalogue_metadataset_search": (MANAGERS, MANAGERS),
    "catalogue_quality_groups": (READERS, READERS),
    "catalogue_quality_records": (READERS, READERS),
    "catalogue_metadataset_progress": (READERS, READERS),
    "catalogue_upload_progress": (READERS, READERS),
    "catalogue_upload_report": (READERS, READERS),
    "catalogue_upload_document": (READERS, READERS),
    "catalogue_upload_act": (None, frozenset((MANAGER, ADMINISTRATOR))),
    "oaiprovider_crosswalk_preview": (READERS, READERS),
    "oaiprovider_crosswalk_try": (MANAGERS, MANAGERS),
    "oaiprovider_profile_export": (READERS, READERS),
    "oaiprovider_profile_preview": (READERS, READERS),
    "oaiprovider_profile_preview_one": (READERS, READERS),
    "auth_user_password_change": (frozenset((ADMINISTRATOR,)), frozenset((ADMINISTRATOR,))),
}


@pytest.fixture
def rows(toulouse: MetadataSet) -> dict[str, Model]:
    """A row of each table that the administration shows."""
    now = seams.now()
    world.put(world.iso_record("urn:0"))
    record = Record.objects.get()
    link = Link.objects.create(
        name="a", base_url="http://127.0.0.1:9/oai", prefix="iso19139", remote_set=TOULOUSE.spec, local_set=toulouse
    )
    run = Run.objects.create(link=link, state=Run.State.DONE, begun=now, finished=now)
    of_link = {"link": link, "identifier": "urn:0", "first_seen": now, "last_seen": now}
    facts = {"username": "x", "ip_address": "192.0.2.1", "user_agent": "x"}
    recipient = Recipient.objects.create(name="yuki", email="yuki@example.org")
    made: tuple[Model, ...] = (
        *(record, link, run, toulouse),
        Reject.objects.create(**of_link, run=run),
        LinkDay.objects.filter(link=link).first() or LinkDay.objects.create(link=link, day=now.date()),
        Centre.objects.create(name="a", set_spec="WIS-GISC-A"),
        Conflict.objects.create(**of_link, key="urn:0", kind=Conflict.Kind.DIFFERS),
        Claim.objects.create(
            record=record, set=toulouse, source="x", digest=b"x", payload=record.payload, first_seen=now
        ),
        Upload.objects.create(folder=uuid4(), set_spec=toulouse.spec, who="x", created=now, worked=now, state="closed"),
        Quality.objects.create(
            kind="set", name="a", live=0, valid=0, invalid=0, not_checked=0, faulty=0, counted_at=now, took_s=0
        ),
        JournalOutbox.objects.create(identifier="urn:0", event="deleted", datestamp=now, set_specs=[]),
        Crosswalk.objects.create(
            prefix="a", namespace="urn:a", schema="http://127.0.0.1/a.xsd", stylesheet="<x/>", enabled=False
        ),
        Profile.objects.get(name="Any"),
        Category.objects.create(name="a"),
        IdentifyDescription.objects.create(name="a", xml=CONTAINER),
        User.objects.create_user("somebody"),
        Group.objects.create(name="ours"),
        AccessAttempt.objects.create(**facts, failures_since_start=1),
        AccessLog.objects.create(**facts),
        AccessFailureLog.objects.create(**facts),
        Act.objects.create(at=now, who="x", act="x"),
        recipient,
        Message.objects.create(recipient=recipient, kind=Message.Kind.TEST, created=now, not_before=now),
    )
    UploadDocument.objects.create(upload=Upload.objects.get(), number=1, source="a.xml", preview="unchanged")
    return {row._meta.label_lower: row for row in made}


def someone(role: str) -> User:
    user = User.objects.create_user(role.replace(" ", "-"), is_staff=True)
    if role != NOBODY:
        user.groups.add(Group.objects.get(name=role))
    return user


def routes(resolver: URLResolver) -> Iterator[URLPattern]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from routes(entry)
        elif entry.name is not None or "(?P<url>" not in str(entry.pattern):
            yield entry


def admin_routes() -> list[tuple[str, URLPattern]]:
    """Each route of the administration with the path before it."""
    found = []
    for entry in get_resolver().url_patterns:
        if not str(entry.pattern).startswith("admin/"):
            continue
        if isinstance(entry, URLPattern):
            found.append(("/", entry))
        else:
            for below in entry.url_patterns:
                if isinstance(below, URLResolver):
                    found += [(f"/admin/{below.pattern}", each) for each in routes(below)]
                else:
                    found.append((f"/{entry.pattern}", below))
    return found


def tables() -> dict[str, str]:
    """The table of each prefix that names of routes have."""
    admin.autodiscover()  # else a table is registered only if a test before has loaded the routes
    return {f"{m._meta.app_label}_{m._meta.model_name}": m._meta.label_lower for m in admin.site._registry}


def expected(route: URLPattern, model: str | None, role: str) -> tuple[bool, bool] | None:
    """Whether a role may GET and POST; None if the table does not say."""
    name = route.name or ""
    if name in PAGES:
        get, post = PAGES[name]
        return role in (get or ()), role in (post or ())
    if model is None:
        return None
    right = "-" if role == NOBODY else MODELS[model].split()[WHO.index(role)]
    kind = name.rpartition("_")[2]
    may_add = kind != "add" or admin.site._registry[apps.get_model(model)].has_add_permission(superuser_request())
    match kind:
        case "changelist" | "history":
            return right != "-", right != "-"
        case "change":
            return right != "-", right == "w"
        case "add":
            return right in "aw" and may_add, right in "aw" and may_add
        case "delete":
            return right in "wd", right in "wd"
        case "":  # the old address of a row, which leads to the new one
            return True, True
    return None


def superuser_request():
    request = RequestFactory().get("/admin/")
    request.user = User(is_superuser=True, is_active=True)
    return request


@pytest.mark.parametrize("role", WHO)
def test_every_route_by_get_and_post(role: str, rows: dict[str, Model]) -> None:
    client = Client(raise_request_exception=True)
    user = someone(role)
    by_name = tables()
    seen, wrong = 0, []
    for start, route in admin_routes():
        name = route.name or ""
        model = next((by_name[each] for each in sorted(by_name, key=len, reverse=True) if name.startswith(each)), None)
        if not name and start != "/admin/":
            model = start.removeprefix("/admin/").rstrip("/").replace("/", ".")
        allowed = expected(route, model, role)
        if not name and start == "/admin/":
            continue  # the answer to all other paths
        assert allowed is not None, f"{start}{route.pattern}: add it to PAGES, with who may open it"
        if name == "oaiprovider_profile_delete":
            allowed = (False, False)  # the profile of everybody
        path = f"{start}{fill(route, rows, model)}"
        for method, may in zip(("get", "post"), allowed, strict=True):
            client.force_login(user)
            response = getattr(client, method)(path)
            seen += 1
            is_open = response.status_code in (200, 204, 302) or (response.status_code, name) == (404, "view_on_site")
            is_open = is_open and not response.get("Location", "").startswith("/admin/login")
            if is_open != may:
                wrong.append((method, path, name, response.status_code, "may" if may else "may not"))
    assert not wrong, "\n".join(map(str, wrong))
    assert seen > 150


def fill(route: URLPattern, rows: dict[str, Model], model: str | None) -> str:
    """The path of a route, with the row of its table in the gaps."""
    row, run = rows.get(model or ""), rows["harvester.run"]
    text = str(route.pattern)
    if "<app_label>" in text:
        return "harvester/"
    values = {"object_id": row and row.pk, "id": row and row.pk, "run_id": run.pk, "content_type_id": 1}
    values |= {"link_id": rows["harvester.link"].pk, "name": "reset", "number": 1}
    for name, value in values.items():
        for kind in ("int:", "path:", "str:", "slug:", ""):
            text = text.replace(f"<{kind}{name}>", str(value))
    return text.lstrip("^").rstrip("$")


def test_nobody_gets_in_without_an_account(client: Client, rows: dict[str, Model]) -> None:
    by_name = tables()
    for start, route in admin_routes():
        model = next((by_name[each] for each in by_name if (route.name or "").startswith(each)), "")
        if route.name in ("login", "logout", "jsi18n"):
            continue
        response = client.get(f"{start}{fill(route, rows, model)}")
        assert response.status_code == 302 and response["Location"].startswith("/admin/login/"), route


@pytest.mark.parametrize("role", WHO[:-1])
def test_the_actions_on_chosen_rows(role: str) -> None:
    request = superuser_request()
    request.user = someone(role)
    offered, expected_actions = {}, {}
    for model, page in admin.site._registry.items():
        label = model._meta.label_lower
        may = MODELS[label].split()[WHO.index(role)]
        if may == "-":
            continue
        offered[label] = set(page.get_actions(request))
        of_role = ACTIONS.get(label, {})
        given = of_role.get(role) or (of_role.get(OPERATOR, "") if role == ADMINISTRATOR else "")
        expected_actions[label] = set(given.split()) | ({"delete_selected"} if may in "wd" else set())
    expected_actions.pop("oaiprovider.crosswalk", None), offered.pop("oaiprovider.crosswalk", None)  # it has none
    assert offered == expected_actions


def test_a_viewer_who_posts_an_action_or_a_form_changes_nothing(client: Client, rows: dict[str, Model]) -> None:
    client.force_login(someone(VIEWER))
    link = rows["harvester.link"]
    chosen = {"action": "run_now", "_selected_action": [str(link.pk)]}
    client.post("/admin/harvester/link/", chosen)
    assert client.post(f"/admin/harvester/link/{link.pk}/run/", {"run": "1"}).status_code == 403
    assert client.post("/admin/harvester/conflict/", chosen | {"action": "leave"}).status_code in (200, 302)
    assert not Run.objects.filter(state=Run.State.OPEN).exists()
    assert not Conflict.objects.filter(settled__isnull=False).exists()


# --- The groups ----------------------------------------------------------------------------------------


def test_the_table_of_rights_has_each_table_of_the_administration() -> None:
    shown = {model._meta.label_lower for model in admin.site._registry}
    shown |= {line.model._meta.label_lower for page in admin.site._registry.values() for line in page.inlines}
    assert shown - set(roles.RIGHTS) == set(), "add them to gisc/roles.py"
    assert {model._meta.label_lower for model in admin.site._registry} == set(MODELS)


def test_migrating_repairs_the_groups_of_the_roles_and_leaves_others() -> None:
    viewer = Group.objects.get(name=VIEWER)
    before = set(viewer.permissions.values_list("codename", flat=True))
    assert "view_link" in before and "change_link" not in before and "view_user" not in before
    viewer.permissions.set(Permission.objects.filter(codename__in=("change_link", "add_user")))
    ours = Group.objects.create(name="ours")
    ours.permissions.set(Permission.objects.filter(codename="add_link"))
    Group.objects.get(name=OPERATOR).delete()
    call_command("migrate", verbosity=0)
    assert set(viewer.permissions.values_list("codename", flat=True)) == before
    assert set(ours.permissions.values_list("codename", flat=True)) == {"add_link"}
    assert Group.objects.get(name=OPERATOR).permissions.filter(codename="change_link").exists()
    assert Group.objects.get(name=ADMINISTRATOR).permissions.count() == Permission.objects.count()


def test_a_group_is_given_rights_on_what_the_administration_shows_and_keeps_others(client: Client) -> None:
    hidden = Permission.objects.get(codename="change_session")
    ours = Group.objects.create(name="ours")
    ours.permissions.add(hidden)
    client.force_login(someone(ADMINISTRATOR))
    boxes = {
        path: set(map(int, re.findall(r'name="permissions" value="(\d+)"', client.get(path).content.decode())))
        for path in ("/admin/auth/group/add/", f"/admin/auth/group/{ours.pk}/change/")
    }
    add_link = Permission.objects.get(codename="add_link").pk
    new, edited = boxes.values()
    assert add_link in new and hidden.pk not in new
    assert edited == new | {hidden.pk}
    form = {"name": "ours", "permissions": [add_link, hidden.pk]}
    assert client.post(f"/admin/auth/group/{ours.pk}/change/", form).status_code == 302
    assert set(ours.permissions.values_list("pk", flat=True)) == {add_link, hidden.pk}


# --- Accounts ------------------------------------------------------------------------------------------


def test_an_administrator_gives_a_role_in_plain_words_and_the_person_may_sign_in(client: Client) -> None:
    client.force_login(someone(ADMINISTRATOR))
    page = client.get("/admin/auth/user/add/").content.decode()
    assert "keeps the harvests going" in page
    password = "a long enough phrase"
    operator = Group.objects.get(name=OPERATOR)
    form = {"username": "yuki", "password1": password, "password2": password, "usable_password": "true"}
    assert client.post("/admin/auth/user/add/", form | {"groups": [operator.pk]}).status_code == 302
    yuki = User.objects.get(username="yuki")
    assert yuki.is_staff and list(yuki.groups.all()) == [operator]
    assert "operator" in client.get("/admin/auth/user/").content.decode()
    client.logout()
    assert client.post("/admin/login/", {"username": "yuki", "password": password}).status_code == 302
    assert client.get("/admin/harvester/link/add/").status_code == 200


def test_an_administrator_makes_no_superuser_and_touches_none(client: Client, admin_user: User) -> None:
    me = someone(ADMINISTRATOR)
    client.force_login(me)
    path = f"/admin/auth/user/{me.pk}/change/"
    form = {"username": me.username, "is_active": "on", "is_superuser": "on", "is_staff": "on"}
    client.post(path, form | {"groups": [Group.objects.get(name=ADMINISTRATOR).pk]})
    me.refresh_from_db()
    assert not me.is_superuser and me.is_staff
    for page in ("change", "delete", "password"):
        assert client.post(f"/admin/auth/user/{admin_user.pk}/{page}/", form).status_code == 403, page
    chosen = {"action": "delete_selected", "_selected_action": [str(admin_user.pk)], "post": "yes"}
    client.post("/admin/auth/user/", chosen)
    assert User.objects.filter(pk=admin_user.pk).exists()


def test_the_groups_of_the_roles_stay_as_they_are(admin_client: Client) -> None:
    viewer = Group.objects.get(name=VIEWER)
    assert admin_client.post(f"/admin/auth/group/{viewer.pk}/change/", {"name": "x"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [str(viewer.pk)], "post": "yes"}
    admin_client.post("/admin/auth/group/", chosen)
    assert Group.objects.filter(name=VIEWER).exists()


def test_an_account_that_is_locked_is_let_in_again(admin_client: Client) -> None:
    facts = {"user_agent": "x", "failures_since_start": 10}
    attempt = AccessAttempt.objects.create(username="yuki", ip_address="192.0.2.1", **facts)
    AccessAttempt.objects.create(username="other", ip_address="192.0.2.2", **facts)
    chosen = {"action": "unlock", "_selected_action": [str(attempt.pk)]}
    page = admin_client.post("/admin/axes/accessattempt/", chosen, follow=True)
    assert "1 failed sign-ins no longer count" in page.content.decode()
    assert [each.username for each in AccessAttempt.objects.all()] == ["other"]
