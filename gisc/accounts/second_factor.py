"""The second factor of an account: a code from a phone (TOTP), and recovery codes for when the phone is lost.

django-otp keeps the keys and counts the tries: each wrong code doubles the time until the next one is looked at.
"""

import io
from base64 import b32encode
from collections.abc import Callable, Iterable
from urllib.parse import quote

import django_otp
import qrcode
import qrcode.image.svg
from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString, mark_safe
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from catalogue import seams
from gisc.accounts import sessions

RECOVERY_CODES = 10  # chosen
# What a person may open who has still to give the code.
_OPEN = ("/admin/second-factor/sign-in/", "/admin/login/", "/admin/logout/", "/admin/jsi18n/")
_OPEN_TO_SET_UP = ("/admin/second-factor/", *_OPEN[1:])


class SecondFactor:
    """Middleware that lets nobody into the administration before the code, or before a factor that the role demands is set up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if request.path.startswith("/admin/") and not request.path.startswith(_OPEN) and isinstance(user, User):
            is_verified = getattr(user, "otp_device", None) is not None  # by django_otp's middleware
            if not is_verified and has(user):
                return redirect(f"/admin/second-factor/sign-in/?next={quote(request.get_full_path())}")
            if not is_verified and is_demanded(user) and request.path not in _OPEN_TO_SET_UP:
                return redirect("/admin/second-factor/")
        return self._get_response(request)


def is_signed_in(request: HttpRequest) -> bool:
    """Whether somebody is signed in who would be let into the administration: with the factor, and not too long ago."""
    user = request.user
    if not isinstance(user, User) or not user.is_active or sessions.is_over(request, seams.now()):
        return False
    return getattr(user, "otp_device", None) is not None or not (has(user) or is_demanded(user))


def has(user: User) -> bool:
    """Whether the account has a second factor in use."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def is_demanded(user: User) -> bool:
    """Whether GISC_SECOND_FACTOR_ROLES has a role of the account."""
    demanding = settings.GISC_SECOND_FACTOR_ROLES
    if not demanding:
        return False
    return ("superuser" in demanding and user.is_superuser) or user.groups.filter(name__in=demanding).exists()


def begin(user: User) -> TOTPDevice:
    """Return the key that waits for its first code; a new one if there is none."""
    device, _created = TOTPDevice.objects.get_or_create(user=user, confirmed=False, defaults={"name": "phone"})
    return device


def confirm(request: HttpRequest, user: User, code: str) -> list[str] | None:
    """Take the new key into use if the code is right; the recovery codes, or None."""
    device = django_otp.verify_token(user, begin(user).persistent_id, code)
    if device is None:
        return None
    with transaction.atomic():
        TOTPDevice.objects.filter(user=user).exclude(pk=device.pk).delete()
        device.confirmed = True
        device.save()
        codes = make_recovery_codes(user)
    _let_in(request, device)
    return codes


def check(request: HttpRequest, user: User, code: str) -> bool:
    """Whether a code of the phone, or a recovery code, is right; a wrong one counts as a failed sign-in."""
    code = code.replace(" ", "").lower()
    model = TOTPDevice if code.isdecimal() and len(code) == 6 else StaticDevice
    devices = model.objects.filter(user=user, confirmed=True)
    is_locked = not AxesProxyHandler.is_allowed(request, {"username": user.get_username()})
    if is_locked:
        request.axes_locked_out = True  # type: ignore[attr-defined]  # so that this try does not count
    for device in () if is_locked else devices:
        if verified := django_otp.verify_token(user, device.persistent_id, code):
            _let_in(request, verified)
            return True
    user_login_failed.send(sender=__name__, credentials={"username": user.get_username()}, request=request)
    return False


def make_recovery_codes(user: User) -> list[str]:
    """Make new recovery codes; those of before are void."""
    with transaction.atomic():
        StaticDevice.objects.filter(user=user).delete()
        device = StaticDevice.objects.create(user=user, name="recovery codes")
        codes = [_random_code() for _ in range(RECOVERY_CODES)]
        StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def recovery_codes_left(user: User) -> int:
    return int(StaticToken.objects.filter(device__user=user).count())


def remove(users: Iterable[User] | QuerySet[User]) -> int:
    """Remove the second factor of these accounts: they sign in with the password alone. The number of those that had one."""
    with transaction.atomic():
        keys = TOTPDevice.objects.filter(user__in=users)
        had = keys.filter(confirmed=True).values("user").distinct().count()
        keys.delete()
        StaticDevice.objects.filter(user__in=users).delete()
    return int(had)


def secret_text(device: TOTPDevice) -> str:
    """The key in groups of four letters, to be typed where no camera can be used."""
    text = b32encode(device.bin_key).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def qr_code(device: TOTPDevice) -> SafeString:
    """The key as a QR code: SVG to be put into a page."""
    image = qrcode.make(device.config_url, image_factory=qrcode.image.svg.SvgPathFillImage, box_size=12, border=3)
    written = io.BytesIO()
    image.save(written)
    text = written.getvalue().decode()
    return mark_safe(text[text.index("<svg") :])  # a drawing of the library, of our own text  # nosec B308


def _random_code() -> str:
    return str(StaticToken.random_token())


def _let_in(request: HttpRequest, device: TOTPDevice | StaticDevice) -> None:
    request.session.cycle_key()
    django_otp.login(request, device)
