"""Tell browsers what a page of this node may load and run: Content-Security-Policy, and Permissions-Policy, on every answer.

The policy is in the settings (`CONTENT_SECURITY_POLICY`); SECURITY.md says why it is as it is.
"""

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

_ADMIN = "/admin/"
# What no page needs, by its name in the header.
_UNUSED = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
_PERMISSIONS = ", ".join(f"{feature}=()" for feature in _UNUSED)


class ContentPolicy(CSPMiddleware):
    """Middleware that sets the policy; that of the administration allows what its library needs besides."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.setdefault("Permissions-Policy", _PERMISSIONS)
        answered: HttpResponseBase = super().process_response(request, response)
        return answered

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path.startswith(_ADMIN) and parts.update is None:
            parts.update = settings.GISC_ADMIN_CONTENT_POLICY
        return parts
