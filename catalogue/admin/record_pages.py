"""The pages of one record besides its fields: what can be done to it, its history, and replacing its content by hand."""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget

from catalogue import acting, validation
from catalogue.admin.record_acts import ACTS, LONGEST_REASON
from catalogue.documents import differences, xml_tree
from catalogue.models import MetadataSet, Record, RecordVersion
from catalogue.pages import record_states
from catalogue.payloads import payload, readable
from catalogue.reading import record_history
from catalogue.reasons import ReasonError
from catalogue.writing import record_content, store
from catalogue.writing.decisions import Action

MOST_BYTES = 1_500_000  # chosen: of a document, which is in the form while a person looks at it
Act = RecordVersion.Act


class _FileForm(forms.Form):
    """The file that is to replace a record."""

    file = forms.FileField(
        label=_("A file with one ISO 19139 record, whose gmd:fileIdentifier is that of this record (up to 1.5 MB)"),
        required=False,  # else a browser keeps the form back, and says so in its own language
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".xml,application/xml,text/xml"}),
    )


@dataclass(frozen=True, slots=True)
class Button:
    """What can be done to a record, or why not: then there is no `url`."""

    label: str
    says: str
    url: str = ""


def buttons(record: Record) -> Iterator[Button]:
    """What can be done to this record now, each with what it does or why it cannot be done."""
    page = f"{reverse('admin:catalogue_record_act', args=['x'])[:-2]}"
    (withdrawal,) = store.withdraw([record.identifier], dry_run=True)
    label = gettext("Withdraw")
    uploaded_elsewhere = record.owner.kind == MetadataSet.Kind.PEER and not (record.provenance or {}).get("link")
    if record.deleted:
        yield Button(label, gettext("It is deleted already."))
    elif withdrawal.action is Action.REJECTED and not uploaded_elsewhere:
        yield Button(label, gettext("Not here: it {why}.").format(why=withdrawal.reason) + _instead(record))
    else:
        into = f"&into={record.owner_id}" if uploaded_elsewhere else ""
        url = f"{page}withdraw/?chosen={record.pk}{into}"
        yield Button(label, str(ACTS["withdraw"].says) + _comes_back(record), url)
    refusal = record_content.refusal(record.key)
    label = gettext("Replace")
    if refusal is None:
        says = gettext("Stores a file of yours as its new content, after you have seen the difference.")
        yield Button(label, says + _comes_back(record), reverse("admin:catalogue_record_replace", args=[record.pk]))
    else:
        yield Button(label, gettext("Not here: it {why}.").format(why=refusal) + _instead(record))
    label = gettext("Move to another set")
    (move,) = store.plan_move([record.identifier], into=MetadataSet(pk=0))
    if record.deleted:
        yield Button(label, gettext("Not while it is deleted."))
    elif move.action is Action.REJECTED:
        yield Button(label, gettext("Not here: it {why}.").format(why=move.reason))
    else:
        yield Button(label, str(ACTS["move"].says), f"{page}move/?chosen={record.pk}")


def _instead(record: Record) -> str:
    """What to do about a record that came by a link; empty for another one."""
    if not (record.provenance or {}).get("link"):
        return ""
    return " " + gettext(
        "Ask its centre to change or delete it: the next harvest brings that. Where the two disagree, there is a conflict to settle; "
        "a whole set goes with its link."
    )


def _comes_back(record: Record) -> str:
    """A warning about a record of our own set that a link brings."""
    link = (record.provenance or {}).get("link")
    if not link:
        return ""
    return " " + gettext("The link {link} brings it again when it changes there.").format(link=link)


class RecordPages:
    """The views of the history, of replacing and of restoring."""

    message_user: Any
    admin_site: Any
    opts: Any
    has_view_permission: Any
    has_act_permission: Any

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Show what happened to a record, and how two of its versions differ, as `from` and `to` name them by number."""
        record = self._record(object_id)
        if not self.has_view_permission(request, record):
            raise PermissionDenied
        known = record_history.states(record)
        numbers = [state.number for state in known]
        pair = [_number(request.GET.get(name), numbers) for name in ("from", "to")]
        context = {
            **self._context(record, gettext("History")),
            "states": [_Row(record, state, known) for state in known],
            "memberships": record.memberships.select_related("set").order_by("-datestamp", "set__spec"),
            "may_act": self.has_act_permission(request) and record_content.refusal(record.key) is None,
            "pair": pair,
            "difference": _difference(record, known, pair[0], pair[1]) if pair[0] and pair[1] else None,
        }
        return self._answer(request, "history", context)

    def replace_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Ask for a document, show how it differs and what its checks say, and store it when that is confirmed."""
        record = self._record_to_change(request, object_id)
        document = fault = None
        if request.method == "POST":
            document, fault = _document(request)
        return self._content_page(request, record, document, fault, title=gettext("Replace"))

    def restore_view(self, request: HttpRequest, object_id: int, number: int) -> HttpResponse:
        """Show how a former version differs from the present one, and store its content anew when that is confirmed."""
        record = self._record_to_change(request, object_id)
        try:
            document = record_content.former_content(record, number)
        except (ReasonError, payload.PayloadDamaged) as exc:
            self.message_user(request, f"{record.identifier}: {exc}.", messages.ERROR)
            return redirect("admin:catalogue_record_history", record.pk)
        title = gettext("Restore version {number}").format(number=number)
        return self._content_page(request, record, document, None, title=title, number=number)

    def _content_page(
        self,
        request: HttpRequest,
        record: Record,
        document: bytes | None,
        fault: str | None,
        *,
        title: str,
        number: int | None = None,
    ) -> HttpResponse:
        reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
        seen = request.POST.get("seen", "")
        plan = None
        if document is not None:
            try:
                if "confirm" in request.POST:
                    return self._store(request, record, document, reason, seen, is_former=number is not None)
                plan = record_content.plan(record.key, document)
            except (ReasonError, payload.PayloadDamaged) as exc:
                fault = gettext("Nothing was stored: the document {why}.").format(why=exc)
        shown = None if plan is None or document is None else _element(document)
        context = {
            **self._context(record, title),
            "fault": fault,
            "plan": plan,
            "number": number,
            "reason": reason,
            "longest_reason": LONGEST_REASON,
            "form": _FileForm(),
            "comes_back": _comes_back(record),
            "refusal": record_content.refusal(record.key),
            "is_same": plan is not None and plan.action is Action.UNCHANGED,
            "seen": (plan.current.digest or b"").hex() if plan else "",
            "document": base64.b64encode(document).decode() if plan and document is not None and number is None else "",
            "difference": None if shown is None else differences.differences(_current(record), shown),
            "checks": None if shown is None else validation.check_document(shown),
        }
        return self._answer(request, "content", context)

    def _store(
        self, request: HttpRequest, record: Record, document: bytes, reason: str, seen: str, *, is_former: bool
    ) -> HttpResponse:
        act = Act.RESTORE if is_former else Act.REPLACE
        with acting.acting(reason=reason):
            result = record_content.replace(record.key, document, act=act, seen=bytes.fromhex(seen) if seen else None)
        if result.action is Action.UNCHANGED:
            self.message_user(
                request, gettext("{record} has this content already.").format(record=record), messages.WARNING
            )
        else:
            words = gettext("{record} is restored.") if is_former else gettext("{record} is replaced.")
            text = words.format(record=record)
            if reason:
                text += " " + gettext("Reason: {reason}").format(reason=reason)
            self.message_user(request, text, messages.SUCCESS)
        return redirect("admin:catalogue_record_change", record.pk)

    def _record(self, object_id: Any) -> Record:
        found = readable.first(Record.objects.select_related("owner", "description").filter(pk=object_id))
        if found is None:
            raise Http404
        return found

    def _record_to_change(self, request: HttpRequest, object_id: int) -> Record:
        if not self.has_act_permission(request):
            raise PermissionDenied
        return self._record(object_id)

    def _context(self, record: Record, title: str) -> dict[str, Any]:
        return {"title": title, "record": record, "opts": self.opts, "original": record}

    def _answer(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        template = f"admin/catalogue/record/{name}.html"
        return TemplateResponse(request, template, {**self.admin_site.each_context(request), **context})


class _Row:
    """A state of a record as its history lists it."""

    def __init__(self, record: Record, state: record_history.State, known: list[record_history.State]) -> None:
        self.state = state
        self.change = record_states.describe_change(state)
        self.source = record_states.describe_source(state)
        self.has_content = not state.deleted
        before = [each.number for each in known if each.number < state.number and not each.deleted]
        self.before = before[0] if before and self.has_content and state.differs else None
        current = known[0]
        self.is_other = self.has_content and state.digest != current.digest


def _difference(
    record: Record, known: list[record_history.State], before: int, after: int
) -> differences.Differences | None:
    """How two versions differ; None if one of them cannot be read back."""
    try:
        one, other = (record_history.element_of(record, known, number) for number in (before, after))
    except payload.PayloadDamaged:
        return None
    return differences.differences(one, other)


def _number(text: str | None, numbers: list[int]) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 10 and int(text) in numbers else None


def _current(record: Record) -> bytes | None:
    try:
        return None if record.payload is None else payload.unpack(record.payload)
    except payload.PayloadDamaged:
        return None


def _element(document: bytes) -> bytes:
    """The root element of a document that can be stored, as it will be served."""
    return xml_tree.root_element(document)


def _document(request: HttpRequest) -> tuple[bytes | None, str | None]:
    """Return the document of the form, and what is wrong with it: the file, or what the page before had of it."""
    file = request.FILES.get("file")
    if file is not None:
        if file.size is None or file.size > MOST_BYTES:
            return None, gettext("{name} is too large for this page: store it by an upload.").format(name=file.name)
        return file.read(), None
    try:
        document = base64.b64decode(request.POST.get("document", ""), validate=True)
    except (binascii.Error, ValueError):
        document = b""
    return (document, None) if document else (None, gettext("Choose a file first."))
