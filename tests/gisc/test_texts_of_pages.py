"""All that an operator reads after an act on a page, and of what is checked, is in the language of the node.

As in tests/gisc/test_texts_of_commands.py every text is put into a language of other letters: what is still in Latin letters is not
marked, or is a name, or a word of others.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin import ModelAdmin, SimpleListFilter, site
from django.contrib.admin.utils import flatten_fieldsets, get_fields_from_path, label_for_field
from django.contrib.auth.models import User
from django.core.checks import CheckMessage, run_checks
from django.db.models import CASCADE, CharField, Model
from django.forms.utils import pretty_name
from django.http import HttpRequest
from django.test import Client, RequestFactory, override_settings
from django.urls import get_resolver
from django.utils.dates import WEEKDAYS
from kombu.exceptions import OperationalError

from catalogue.models import MetadataSet
from gisc import language
from harvester import tasks
from harvester.models import Alternative, Link, Reject, Run
from harvester.monitoring import status
from harvester.runs import comparison
from oaiprovider import terms
from oaiprovider.formats import sandbox, stylesheet, trial
from oaiprovider.formats.stylesheet import Stylesheet
from tests.support import pseudo_language, world
from tests.support.link_admin import LINKS, messages, unchanged
from tests.support.pseudo_language import LANGUAGE, english_words
from tests.support.stylesheets import NAMESPACE, SCHEMA, brief, root, sheet

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def locale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    pseudo_language.write_catalogue(folder, pseudo_language.in_other_letters)
    return folder


@pytest.fixture
def pseudo(settings: Any, locale: Path) -> None:
    settings.LOCALE_PATHS, settings.GISC_LANGUAGE = [locale], LANGUAGE


@pytest.fixture
def link(toulouse: MetadataSet) -> Link:
    return Link.objects.create(
        name="toulouse", base_url="http://127.0.0.1:1/oai", remote_set=toulouse.spec, local_set=toulouse
    )


def assert_translated(texts: Iterable[object], *names: str) -> None:
    """Compare what is said with the names, and the words of others, that stay as they are."""
    said = list(map(str, texts))
    assert said and all(said)
    assert [text for text in said if set(english_words(text)) - set(names)] == []


# --- Acts of a link ---------------------------------------------------------------------------------

# Each as the buttons of the page send it, in an order in which each has something to do and something to refuse.
ACTS: list[dict[str, str]] = [
    *({"run": ""}, {"run": ""}, {"cancel": ""}, {"full": ""}, {"cancel": ""}, {"compare": ""}, {"cancel": ""}),
    *({"beyond": ""}, {"cancel": ""}, {"reharvest": ""}, {"reharvest": ""}, {"cancel": ""}),
    *({"enable": ""}, {"disable": ""}, {"disable": ""}, {"enable": ""}, {"mute": ""}, {"unmute": ""}),
    *({"switch": ""}, {"switch_back": ""}, {"switch_back": ""}),
    *({"reset": "", "to": ""}, {"reset": "", "to": "2026-01-01"}, {"reset": "", "to": "yesterday"}),
    {"accept_move": "http://127.0.0.1:2/oai"},
]
NAMES = ("toulouse", "other", "yesterday", "http", "oai")


def test_what_the_acts_of_a_link_say_is_in_the_language(pseudo: None, admin_client: Client, link: Link) -> None:
    page = f"{LINKS}{link.pk}/run/"
    says_nothing = []
    assert_translated([messages(admin_client.post(page, {"switch": ""}, follow=True))], *NAMES)
    Alternative.objects.create(link=link, name="other", base_url="http://127.0.0.1:3/oai", position=1)
    for act in ACTS:
        said = messages(admin_client.post(page, act, follow=True))
        if not said:
            says_nothing.append(act)
            continue
        assert_translated([said], *NAMES)
    assert says_nothing == []


def test_that_the_broker_is_away_is_told_in_the_language(
    pseudo: None, admin_client: Client, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> None:
        raise OperationalError("Connection refused")

    monkeypatch.setattr(tasks.harvest, "delay", unreachable)
    said = messages(admin_client.post(f"{LINKS}{link.pk}/run/", follow=True))
    assert_translated([said], "toulouse", "Connection", "refused")
    assert Run.objects.count() == 1


def test_what_saving_a_link_and_adding_an_alternative_say_is_in_the_language(
    pseudo: None, admin_client: Client, link: Link
) -> None:
    page = f"{LINKS}{link.pk}/"
    changed = unchanged(link, prefix="oai_iso", user="gisc", new_password="secret", password="secret")
    saved = admin_client.post(f"{page}change/", changed, follow=True)
    said = [
        str(each) for each in saved.context["messages"] if "changed successfully" not in str(each)
    ]  # that is Django's
    assert len(said) == 3
    assert_translated(said, "toulouse")
    for given in (
        {"base_url": "http://127.0.0.1:5/oai", "name": "other"},
        {"base_url": "http://127.0.0.1:5/oai?verb=Identify", "name": "bad"},
    ):
        answer = messages(admin_client.post(f"{page}alternative/", given, follow=True))
        assert_translated([answer], "toulouse", "other", "bad", "oai")


def test_titles_and_descriptions_of_the_form_of_a_link_are_in_the_language(
    pseudo: None, admin_client: Client, link: Link
) -> None:
    page = admin_client.get(f"{LINKS}{link.pk}/change/")
    with language.for_people():
        fieldsets = [str(text) for each in page.context["adminform"] for text in (each.name, each.description) if text]
    assert len(fieldsets) > 10
    assert_translated(fieldsets)


def test_what_a_deletion_takes_with_it_is_told_in_the_language(pseudo: None, admin_client: Client, link: Link) -> None:
    page = admin_client.get(f"{LINKS}{link.pk}/delete/")
    assert_translated([*page.context["deleted_objects"], *dict(page.context["model_count"])], "toulouse")


# --- Formats and profiles ---------------------------------------------------------------------------

WRONG_STYLESHEETS = [
    "<a>",
    "",
    "x",
    "<!DOCTYPE a><a/>",
    "<a/>",
    "x" * (stylesheet.MAX_BYTES + 1),
    sheet(version="2.0"),
    sheet('<xsl:import href="x"/><xsl:include href="x"/><xsl:document href="x"/><xsl:result-document/>'),
    sheet(root("<a/>"), declared='extension-element-prefixes="exsl"'),
    sheet(root("<xsl:value-of select=\"document('x')\"/><xsl:value-of select='un:x()'/>")),
    sheet('<xsl:template match="/" xmlns:d="urn:d"><xsl:value-of select="d:now()"/></xsl:template>'),
]
# What libxml2 and libxslt say, and names in the stylesheets.
OF_LIBRARIES = {
    "Start tag expected not found Document is empty Premature end of data in tag line xsl stylesheet version"
}
WORDS_OF_LIBRARIES = {word for text in OF_LIBRARIES for word in text.split()}


@pytest.mark.parametrize("text", WRONG_STYLESHEETS, ids=range(len(WRONG_STYLESHEETS)))
def test_why_a_stylesheet_is_refused_is_in_the_language(pseudo: None, text: str) -> None:
    with language.for_people():
        assert_translated(stylesheet.faults(text), *WORDS_OF_LIBRARIES)


FAILING = {
    "no element": "",
    "several": "<a/><b/>",
    "another namespace": '<a xmlns="urn:other"/>',
    "no namespace": '<a xmlns=""/>',
    "not well-formed": '<a><xsl:value-of disable-output-escaping="yes" select="\'&lt;b>\'"/></a>',
    "ends itself": '<xsl:message terminate="yes">WHY</xsl:message>',
    "endless": '<a><xsl:for-each select="//node()"><xsl:call-template name="more"/></xsl:for-each></a>',
    "does not compile": '<xsl:apply-templates select="]"/>',
}
SAID_BY_LIBXSLT = "Opening and ending tag mismatch line column and compilation error: file unknown element could not compile select expression xmlXPathCompOpEval Invalid expression apply-templates XPath error"
NESTED = "<xsl:for-each select='//node()'>" * 6 + "<xsl:if test='false()'/>" + "</xsl:for-each>" * 6


@pytest.mark.parametrize("kind", FAILING)
def test_why_a_stylesheet_fails_on_a_record_is_in_the_language(pseudo: None, toulouse: MetadataSet, kind: str) -> None:
    world.put(world.iso_record("urn:a"))
    text = sheet(root(FAILING[kind]), f'<xsl:template name="more">{NESTED}</xsl:template>')
    of_libxslt = {word.strip(":") for word in SAID_BY_LIBXSLT.split()}
    with sandbox.LIMITS.replaced(cpu_s=0.2), language.for_people():
        result = trial.run(text, namespace=NAMESPACE, schema=SCHEMA, limits=trial.TrialLimits(newest=1, faults=1))
        (tried,) = trial.try_each(text, ["urn:a"], namespace=NAMESPACE, schema=SCHEMA)
    assert_translated([*result.faults, *result.warnings, tried.fault], *of_libxslt)


def test_the_limits_of_a_trial_are_told_in_the_language(pseudo: None, toulouse: MetadataSet) -> None:
    with language.for_people():
        slow = trial.run(brief(), namespace=NAMESPACE, schema=SCHEMA, limits=trial.TrialLimits(record_s=0))
        late = trial.run(brief(), namespace=NAMESPACE, schema=SCHEMA, limits=trial.TrialLimits(total_s=0))
        with sandbox.LIMITS.replaced(wall_s=0):
            sandbox.close()
            busy = trial.run(brief(), namespace=NAMESPACE, schema=SCHEMA)
    for result in (slow, late, busy):
        assert_translated(result.faults)


def test_a_failure_is_in_the_language_where_it_is_shown_and_in_english_where_it_is_logged(pseudo: None) -> None:
    with language.for_people(), pytest.raises(sandbox.TransformFailed) as caught:
        sandbox.transform(Stylesheet.of(sheet(root("")), NAMESPACE, SCHEMA), b"<a/>", "urn:a")
    assert str(caught.value) == "makes no element"
    with language.for_people():
        assert_translated([caught.value])


def test_why_a_profile_is_refused_is_in_the_language(pseudo: None) -> None:
    with language.for_people():
        assert_translated([terms.match_fault("*"), terms.match_fault("é")], terms.ANY)
        said = [terms.network_fault("192.0.2.7/24"), terms.network_fault("nowhere")]
        assert_translated(
            said, *["nowhere", "does", "not", "appear", "to", "be", "an", "IPv4", "or", "IPv6", "network"]
        )


# --- System checks ----------------------------------------------------------------------------------

WRONG_FOR_CHECKS = {
    "GISC_ADMIN_EMAIL": "admin",
    "GISC_BASE_URL": "http://127.0.0.1/?x",
    "GISC_MIRROR_URL": "http://127.0.0.1",
    "GISC_NAME": "no name",
    "ALLOWED_HOSTS": ["elsewhere"],
    "GISC_BACKUP_DIR": Path("/dev/null/backups"),
}
OUR_CHECKS = ("catalogue.", "oaiprovider.", "gisc.", "harvester.")


def ours(found: Sequence[CheckMessage]) -> list[CheckMessage]:
    return [each for each in found if str(each.id).startswith(OUR_CHECKS)]


def test_system_checks_are_in_the_language(pseudo: None, settings: Any, link: Link, tmp_path: Path) -> None:
    link.set_password("secret")
    link.save()
    keys = {"SECRET_KEY": "another" * 9, "SECRET_KEY_FALLBACKS": [settings.SECRET_KEY]}
    with language.for_people():
        with override_settings(**WRONG_FOR_CHECKS, SECRET_KEY="another" * 9, SECRET_KEY_FALLBACKS=[]):
            wrong = ours(run_checks(databases=["default"]))
        with override_settings(**keys, GISC_BACKUP_DIR=tmp_path, GISC_JOURNAL_DIR=tmp_path):
            wrong += ours(run_checks(databases=["default"]))
    expected = {*("oaiprovider.E001", "oaiprovider.E002", "oaiprovider.E003", "oaiprovider.W001", "catalogue.E001")}
    assert {each.id for each in wrong} >= expected | {"gisc.W001", "gisc.W002", "gisc.W004", "gisc.W005"}
    assert_translated(
        [each.msg for each in wrong], "http", "admin", "no", "name", "link", "toulouse", "password", "fsync"
    )
    assert_translated([each.hint for each in wrong if each.hint], "fsync")


def test_counters_of_runs_and_comparisons_are_in_the_language(pseudo: None) -> None:
    with language.for_people():
        assert_translated(status.count_in_words(name, 3) for name in (*status.COUNTERS, *comparison.DRIFT))


# --- Labels of fields -------------------------------------------------------------------------------


def labels(model_admin: "ModelAdmin[Any]", request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Every label that the pages of a table have of our own tables: where it stands, and the label."""
    model = model_admin.model
    where = type(model_admin).__name__
    names = list(model_admin.get_list_display(request))
    for each in (None, model()):
        names += flatten_fieldsets(model_admin.get_fieldsets(request, each))
        for fieldset in model_admin.get_fieldsets(request, each):
            yield f"{where}: fieldset", str(fieldset[0] or "")
            yield f"{where}: fieldset", str(fieldset[1].get("description") or "")
        if model_admin.has_change_permission(request) and model.__module__.startswith(pseudo_language.PACKAGES):
            for name, field in model_admin.get_form(request, each).base_fields.items():
                yield f"{where}: form: {name}", str(field.label)
    yield from _labels_of_names(model, model_admin, names)
    for each_filter in model_admin.get_list_filter(request):
        if isinstance(each_filter, str):
            yield from _labels_of_field(get_fields_from_path(model, each_filter)[-1])
        elif not isinstance(each_filter, tuple):
            yield f"{where}: filter", str(getattr(each_filter, "title", ""))
    for _function, name, description in model_admin.get_actions(request).values():
        if name not in OF_DJANGO:
            yield f"{where}: action {name}", str(description)
    yield f"{where}: empty", str(getattr(model_admin, "empty_words", ""))
    yield f"{where}: help of the search", str(model_admin.search_help_text or "")
    for inline in model_admin.get_inline_instances(request):
        yield from _labels_of_names(inline.model, inline, flatten_fieldsets(inline.get_fieldsets(request)))


def _labels_of_names(model: type[Model], owner: Any, names: Iterable[Any]) -> Iterator[tuple[str, str]]:
    form_fields = owner.form.declared_fields
    for name in names:
        if name in OF_DJANGO:
            continue
        if name in form_fields:
            yield f"{type(owner).__name__}.{name}", str(form_fields[name].label or pretty_name(name))
        elif name in {field.name for field in model._meta.get_fields()}:
            yield from _labels_of_field(model._meta.get_field(name))
        else:
            yield f"{type(owner).__name__}.{name}", label_for_field(name, model, owner)


def _labels_of_field(field: Any) -> Iterator[tuple[str, str]]:
    if not field.model.__module__.startswith(pseudo_language.PACKAGES):
        return  # Django's, or a library's, whose texts are theirs to translate
    where = f"{field.model.__name__}.{field.name}"
    yield where, str(field.verbose_name)
    yield f"{where}: help", str(field.help_text)
    for _value, label in field.flatchoices or ():
        if label not in WEEKDAYS.values():
            yield f"{where}: choice", str(label)


# What Django and its forms for accounts bring, which Django translates.
OF_DJANGO = {"delete_selected", "password1", "password2", "usable_password", "action_checkbox"}


def our_pages() -> "list[ModelAdmin[Any]]":
    """The pages of tables that the product registers, in Django's place too; the routes bring them."""
    assert get_resolver().url_patterns
    found = [page for page in site._registry.values() if type(page).__module__.startswith(pseudo_language.PACKAGES)]
    assert len(found) > 20
    return found


def english_labels(model_admin: "ModelAdmin[Any]", request: HttpRequest) -> set[str]:
    """The labels that stay English, each with where it stands."""
    with language.for_people():
        return {f"{where}: {label}" for where, label in labels(model_admin, request) if english_words(label)}


@pytest.fixture
def request_of_admin(rf: RequestFactory, admin_user: User) -> HttpRequest:
    request = rf.get("/admin/")
    request.user = admin_user
    return request


def test_each_label_of_the_administration_is_in_the_language(pseudo: None, request_of_admin: HttpRequest) -> None:
    found = {
        label
        for model_admin in our_pages()
        for label in english_labels(model_admin, request_of_admin)
        if not label.startswith(OF_OTHERS)
    }
    assert "\n".join(sorted(found)) == ""


OF_OTHERS = ("UserAdmin: fieldset",)  # Django translates it


def test_the_names_of_all_tables_of_the_administration_are_in_the_language(pseudo: None) -> None:
    """Those of the audit log and of the page before a deletion, too."""
    ours = {page.model for page in our_pages()}
    reached = {
        relation.related_model
        for model in ours
        for relation in model._meta.related_objects
        if relation.on_delete is CASCADE
    }
    assert {Reject, Alternative} <= ours | reached
    with language.for_people():
        names = [
            str(name)
            for model in ours | reached
            for name in (model._meta.verbose_name, model._meta.verbose_name_plural)
            if model.__module__.startswith(pseudo_language.PACKAGES)
        ]
    assert_translated(names)


def test_a_label_that_is_made_of_a_name_is_found(pseudo: None, request_of_admin: HttpRequest) -> None:
    class Carelessly(ModelAdmin):
        list_display = ("name", "pretty_column")
        list_filter = (SimpleListFilter,)
        fieldsets = (("Details", {"fields": ("name",)}),)

        def pretty_column(self, link: Link) -> str:
            return ""

    found = english_labels(Carelessly(Link, site), request_of_admin)
    assert found == {
        "Carelessly.pretty_column: Pretty column",
        "Carelessly: filter: None",
        "Carelessly: fieldset: Details",
    }


def test_a_choice_that_is_not_marked_is_found(pseudo: None) -> None:
    class Unmarked(Model):
        __module__ = "gisc"
        state = CharField(max_length=4, choices=[("open", "open")])

        class Meta:
            app_label = "gisc"
            abstract = True

    field = Unmarked._meta.get_field("state")
    with language.for_people():
        assert {label for _where, label in _labels_of_field(field)} == {"state", "open", ""}
