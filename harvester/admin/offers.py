"""Other addresses on the page of a link, each with what one click makes of it: an alternative, or a link."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext

from harvester.links import offers
from harvester.models import Link


class OfferPages:
    """Mixin of the admin pages of links."""

    def offers_context(
        self: Any, request: HttpRequest, link: Link, *, saved: Link | None, asked: Any = None
    ) -> dict[str, Any]:
        """Other addresses for the page of a link; `asked`: what its provider answered."""
        may_change = saved is not None and self.has_change_permission(request, saved) and _may_add_alternative(request)
        return {
            "offers": offers.find_offers(link, asked.identity.friends if asked is not None else ()),
            "offered_to": saved if may_change else None,
            "may_add": self.has_add_permission(request),
        }

    def alternative_view(self: Any, request: HttpRequest, object_id: str) -> HttpResponse:
        """Add an address that was offered as an alternative, by POST."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        link = get_object_or_404(Link.objects.select_related("local_set"), pk=object_id)
        if not (self.has_change_permission(request, link) and _may_add_alternative(request)):
            raise PermissionDenied
        try:
            other = offers.add_alternative(link, request.POST.get("base_url", ""), request.POST.get("name", ""))
        except ValidationError as exc:
            text = gettext("The alternative was not added. {why}").format(why=" ".join(exc.messages))
            self.message_user(request, text, messages.ERROR)
        else:
            text = gettext(
                "{link} can turn to {other}: {base_url}. It is asked for the prefix and the set of the link."
            ).format(link=link, other=other, base_url=other.base_url)
            self.message_user(request, text, messages.SUCCESS)
        return redirect("admin:harvester_link_change", link.pk)


def _may_add_alternative(request: HttpRequest) -> bool:
    return request.user.has_perm("harvester.add_alternative")
