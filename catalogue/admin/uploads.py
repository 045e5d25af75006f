"""The pages of uploads: send files, see what would change, store all or what is chosen, keep the report.

The rules are in `catalogue.bulk.upload`; the pages work without a script, which only shows the progress sooner.
"""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import OperationalError

from catalogue import tasks
from catalogue.admin import upload_words as words
from catalogue.admin.base import Admin
from catalogue.admin.upload_handler import ReceivedFile
from catalogue.bulk import preview, upload, upload_folder, upload_report
from catalogue.bulk.upload_folder import Place, SentFile
from catalogue.documents.differences import differences
from catalogue.models import Description, MetadataSet, Record, Upload, UploadDocument
from catalogue.pages import display
from catalogue.reasons import ActRefused, describe_error

PER_PAGE = 50
_MAX_WORDS = 200
_FILTERS = ("show", "label", "result", "q")


@admin.register(Upload)
class UploadAdmin(Admin):
    """Uploads, newest first."""

    empty_words = _(
        "Nothing was uploaded yet. An upload first says what it would change; then you store all of it, or what you choose."
    )
    list_display = ("name", "set_spec", "sent", "state_column", "documents", "who")
    list_filter = ("state", "set_spec")
    sortable_by = ()
    list_before_template = "admin/catalogue/upload/what.html"

    class Media:
        css = {"all": ("harvester/links.css", "catalogue/upload.css")}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path("<int:object_id>/progress/", view(self.progress_view), name="catalogue_upload_progress"),
            path("<int:object_id>/act/", view(self.act_view), name="catalogue_upload_act"),
            path("<int:object_id>/report/", view(self.report_view), name="catalogue_upload_report"),
            path("<int:object_id>/document/<int:number>/", view(self.document_view), name="catalogue_upload_document"),
        ]
        return [*own, *super().get_urls()]

    # --- The list ---------------------------------------------------------------------------------------

    @admin.display(description=_("upload"))
    def name(self, obj: Upload) -> str:
        names = [str(file["name"]) for file in obj.files]
        text = ", ".join(names[:2]) + (f" + {len(names) - 2}" if len(names) > 2 else "")
        return format_html('<span class="gisc-break">{}</span>', f"{obj.pk}: {text}")

    @admin.display(description=_("sent, UTC"))
    def sent(self, obj: Upload) -> str:
        return f"{obj.created:%Y-%m-%d %H:%M}"

    @admin.display(description=_("state"))
    def state_column(self, obj: Upload) -> str:
        return _state(obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], set[str], list[str]]:
        """Return what deleting these uploads would delete, without reading their documents."""
        documents = UploadDocument.objects.filter(upload__in=objs).count()
        busy = [gettext("{obj} is under way; stop it first").format(obj=obj) for obj in objs if obj.is_under_way]
        return [str(obj) for obj in objs], {gettext("documents of the reports"): documents}, set(), busy

    def delete_model(self, request: HttpRequest, obj: Upload) -> None:
        upload.remove(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Upload]) -> None:
        for each in queryset.exclude(state__in=(Upload.State.CHECKING, Upload.State.STORING)):
            upload.remove(each)

    # --- A new one --------------------------------------------------------------------------------------

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Send files into a set. They are checked next; nothing is stored before somebody says so."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        sets = upload.storable_sets()
        faults: list[str] = []
        if request.method == "POST":
            made = self._create(request, [each for each, refusal, _ in sets if refusal is None], faults)
            if made is not None:
                self._queue(request, gettext("The files are sent. Nothing is stored before you say so."))
                return redirect("admin:catalogue_upload_change", made.pk)
        chosen = request.POST.get("set") or next((each.spec for each, refusal, _ in sets if refusal is None), "")
        context = {
            **self.admin_site.each_context(request),
            "title": _("Upload"),
            "opts": self.opts,
            "sets": [(each, str(refusal or ""), ", ".join(sorted(yields))) for each, refusal, yields in sets],
            "chosen_set": chosen,
            "faults": faults,
            "max_mb": settings.GISC_UPLOAD_MAX_MB,
            "retention_days": settings.GISC_UPLOAD_RETENTION_DAYS,
        }
        return TemplateResponse(request, "admin/catalogue/upload/add.html", context)

    def _create(self, request: HttpRequest, open_sets: list[MetadataSet], faults: list[str]) -> Upload | None:
        """Take what was sent; if that cannot be, say why in `faults`."""
        received = [file for file in request.FILES.getlist("files") if isinstance(file, ReceivedFile)]
        into = next((each for each in open_sets if each.spec == request.POST.get("set")), None)
        if getattr(request, "is_over_limit", False):
            text = gettext(
                "The files have more than {max_mb:,} MB together; send them in parts, or use manage.py ingest."
            )
            faults.append(text.format(max_mb=settings.GISC_UPLOAD_MAX_MB))
            return None
        if not received:
            faults.append(gettext("Choose one file or more: .xml, .zip, .tar or .tar.gz."))
        elif empty := [str(file.name) for file in received if not file.size]:
            faults.append(gettext("{names}: nothing is in it.").format(names=", ".join(empty[:5])))
        if into is None:
            faults.append(gettext("Choose a set that takes uploads."))
        if faults or into is None:
            return None
        try:
            files = [SentFile(str(file.name), file.path) for file in received]
            return upload.create(files, into=into, who=request.user.get_username())
        except ActRefused as exc:
            faults.append(gettext("Nothing was taken: {why}.").format(why=exc))
            return None

    def _queue(self, request: HttpRequest, text: str) -> None:
        try:
            tasks.queue_uploads()
            self.message_user(request, text, messages.SUCCESS)
        except OperationalError as exc:
            later = gettext("The broker cannot be reached ({why}); the work begins when it is back.")
            self.message_user(request, f"{text} {later.format(why=describe_error(exc))}", messages.WARNING)

    # --- One upload -------------------------------------------------------------------------------------

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The page of an upload: its progress, what would change, and what became of it."""
        if request.method == "POST":
            return self.act_view(request, int(object_id) if object_id.isdecimal() else 0)
        obj = self._get(request, object_id)
        counts = upload_report.count(obj)
        given = {name: request.GET.get(name, "").strip()[:_MAX_WORDS] for name in _FILTERS}
        found = upload_report.select(
            obj, outcome=given["show"], label=given["label"], result=given["result"], words=given["q"]
        )
        page = Paginator(found, PER_PAGE).get_page(request.GET.get("p"))
        may_act = self.has_change_permission(request, obj)
        open_groups = words.groups(counts.open)
        context = {
            **self.admin_site.each_context(request),
            "title": str(obj),
            "opts": self.opts,
            "upload": obj,
            "state": _state(obj),
            "fault": words.fault_text(obj),
            "sizes": words.sizes(obj),
            "counts": counts,
            "summary": words.summary(counts),
            "tabs": [
                (name, words.outcome_word(name), counts.preview[name])
                for name in upload_report.OUTCOMES
                if counts.preview[name]
            ],
            "results": [
                (words.outcome_word(name), counts.results[name])
                for name in upload_report.OUTCOMES
                if counts.results[name]
            ],
            "labels": list(words.LABEL_WORDS.items()),
            "result_words": list(words.RESULT_WORDS.items()),
            "given": given,
            "query": urlencode({name: value for name, value in given.items() if value}),
            "page": page,
            "rows": _rows(page.object_list),
            "groups": open_groups if may_act and obj.state == Upload.State.READY else [],
            "may_act": may_act,
            "may_delete": self.has_delete_permission(request, obj),
            **_progress_context(obj),
        }
        return TemplateResponse(request, "admin/catalogue/upload/page.html", context)

    def _get(self, request: HttpRequest, object_id: int | str) -> Upload:
        if not self.has_view_permission(request):
            raise PermissionDenied
        number = int(object_id) if str(object_id).isdecimal() and len(str(object_id)) < 19 else 0
        return get_object_or_404(Upload, pk=number)

    def progress_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Answer how far an upload has come, for the script of its page."""
        obj = self._get(request, object_id)
        progress = upload_report.read_progress(obj)
        return JsonResponse(
            {
                "state": obj.state,
                "is_under_way": obj.is_under_way,
                "done": progress.done,
                "total": progress.total,
                "percent": progress.percent,
                "text": words.progress_text(progress),
            }
        )

    def report_view(self, request: HttpRequest, object_id: int) -> StreamingHttpResponse:
        """Answer with the report as CSV."""
        obj = self._get(request, object_id)
        headers = {"Content-Disposition": f'attachment; filename="{upload_report.file_name(obj)}"'}
        return StreamingHttpResponse(upload_report.lines(obj), content_type="text/csv; charset=utf-8", headers=headers)

    def document_view(self, request: HttpRequest, object_id: int, number: int) -> HttpResponse:
        """One document: what would become of it, or has, what the checks say, and what differs from the stored record."""
        obj = self._get(request, object_id)
        row = UploadDocument.objects.filter(upload=obj, number=number).first()
        if row is None:
            raise Http404
        content, before = _read(obj, row)
        context = {
            **self.admin_site.each_context(request),
            "title": row.identifier or row.source,
            "opts": self.opts,
            "upload": obj,
            "row": _rows([row])[0],
            "faults": row.faults,
            "record": Record.objects.filter(key=row.key).only("pk").first() if row.key else None,
            "is_kept": content is not None,
            "xml": display.indented(content) if content else "",
            "differences": differences(before, content) if before and content else None,
        }
        return TemplateResponse(request, "admin/catalogue/upload/document.html", context)

    # --- Acts -------------------------------------------------------------------------------------------

    def act_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Do by POST what the name of a button says: store (after a question), stop, close, or try again."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not self.has_change_permission(request):
            raise PermissionDenied
        obj = get_object_or_404(Upload, pk=object_id)
        if "store" in request.POST or "store_chosen" in request.POST:
            return self._store(request, obj)
        acts = {
            "stop": (upload.stop, gettext("It is stopped. What was stored stays.")),
            "close": (
                upload.close,
                gettext("The upload is closed. What was not stored will not be; the report stays."),
            ),
        }
        for name, (act, text) in acts.items():
            if name in request.POST:
                done = act(obj)
                done_text = text if done else gettext("There was nothing to end.")
                self.message_user(request, done_text, messages.SUCCESS if done else messages.WARNING)
        if "again" in request.POST and upload.try_again(obj):
            self._queue(request, gettext("It goes on from where it stood."))
        return redirect("admin:catalogue_upload_change", obj.pk)

    def _store(self, request: HttpRequest, obj: Upload) -> HttpResponse:
        """Ask whether to store the groups, or the documents, that are ticked; store them once that is answered."""
        names = [name for name in request.POST.getlist("group") if name in preview.STORABLE]
        numbers = [int(each) for each in request.POST.getlist("number") if each.isdecimal() and len(each) < 9]
        chosen = upload.can_be_stored(obj)
        by_number = "store_chosen" in request.POST
        chosen = chosen.filter(number__in=numbers) if by_number else chosen.filter(preview__in=names)
        counts = {name: chosen.filter(preview=name).count() for name in preview.STORABLE}
        total = sum(counts.values())
        if obj.state == Upload.State.READY and total and "sure" not in request.POST:
            context = {
                **self.admin_site.each_context(request),
                "title": words.question(total),
                "opts": self.opts,
                "upload": obj,
                "groups": words.groups(counts),
                "total": total,
                "names": [] if by_number else names,
                "numbers": numbers if by_number else [],
                "by_number": by_number,
            }
            return TemplateResponse(request, "admin/catalogue/upload/store.html", context)
        try:
            number = upload.begin_storing(obj, chosen)
        except ActRefused as exc:
            self.message_user(request, gettext("Nothing is stored: {why}.").format(why=exc), messages.ERROR)
        else:
            text = ngettext("{number:,} document is being stored.", "{number:,} documents are being stored.", number)
            self._queue(request, text.format(number=number))
        return redirect("admin:catalogue_upload_change", obj.pk)


def _state(obj: Upload) -> str:
    return format_html(
        '<span class="gisc-state gisc-is-{}"><span class="gisc-shape" aria-hidden="true"></span><strong>{}</strong></span>',
        words.SHAPES.get(Upload.State(obj.state), "never"),
        obj.get_state_display(),
    )


def _progress_context(obj: Upload) -> dict[str, Any]:
    progress = upload_report.read_progress(obj)
    return {"progress": progress, "progress_text": words.progress_text(progress)}


def _rows(documents: Any) -> list[dict[str, Any]]:
    """Return what the page says of documents; titles of unchanged ones are those of their records."""
    documents = list(documents)
    untitled = [row.key for row in documents if row.key and not row.title]
    titles = (
        dict(Description.objects.filter(record__key__in=untitled).values_list("record__key", "title"))
        if untitled
        else {}
    )
    return [
        {
            "row": row,
            "title": row.title or titles.get(row.key, ""),
            "preview": words.outcome_word(row.preview),
            "reason": words.reason_text(row.reason),
            "label": words.label_text(row.structure, row.faults),
            "is_faulty": row.structure == "invalid" or bool(row.faults),
            "result": words.outcome_word(row.result) if row.result else "",
            "result_reason": words.reason_text(row.result_reason) if row.result_reason != row.reason else "",
            "is_otherwise": bool(row.result) and (row.result != row.preview or row.record_changed),
            "can_be_stored": row.preview in preview.STORABLE and not row.result,
        }
        for row in documents
    ]


def _read(obj: Upload, row: UploadDocument) -> tuple[bytes | None, bytes]:
    """Return a document, and what it would replace; None where it is not kept."""
    if row.place is None:
        return None, b""
    place = Place(row.place, row.length, row.length_before)
    try:
        return next(iter(upload_folder.read_kept(obj, [place]))), upload_folder.read_before(obj, place)
    except OSError:
        return None, b""
