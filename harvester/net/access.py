"""Check what a link needs to be let in (passwords, certificates, proxy), and encrypt its secrets for the database.

No I/O but the file of certificates that an operator names.

Secrets are encrypted ("sealed") with Fernet (AES-128 and HMAC-SHA-256), under a key derived from SECRET_KEY, a
different one for each purpose. What a former key has sealed is opened as long as it is in SECRET_KEY_FALLBACKS. A dump of the database alone shows no password; whoever has SECRET_KEY too can read
them, as the node must.
"""

import base64
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

Cookie = Mapping[str, Any]
_PEM = "-----BEGIN "


@dataclass(frozen=True, slots=True)
class Access:
    """What requests need besides the base URL to be let in (F96 to F105). Every field may be empty.

    `certificates`: those to trust instead of the usual ones, as PEM or as the path of a PEM file. `proxy`: URL of an
    HTTP proxy. `post`: send requests by POST. `sender`: the From header. `cookies`: those that the provider set earlier
    in this run (`Session.export_cookies`).
    """

    user: str = ""
    password: str = field(default="", repr=False)
    certificates: str = ""
    proxy: str = field(default="", repr=False)
    post: bool = False
    user_agent: str = ""
    sender: str = ""
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)


def is_pem(certificates: str) -> bool:
    """Whether this is PEM text, and not the path of a file."""
    return _PEM in certificates


def with_credentials(proxy: str, user: str, password: str) -> str:
    """Return the proxy's URL with user name and password, in the form that `requests` takes."""
    if not proxy or not user:
        return proxy
    return proxy.replace("://", f"://{quote(user, safe='')}:{quote(password, safe='')}@", 1)


def faults(
    *, base_url: str, user: str, certificates: str, proxy: str, proxy_user: str, user_agent: str
) -> dict[str, str]:
    """Return what is wrong with the fields of an access: a sentence by field."""
    found = {}
    if "@" in base_url.partition("://")[2].partition("/")[0]:
        found["base_url"] = gettext(
            "Leave user name and password out of the address; they have fields of their own below"
        )
    if ":" in user or not user.isprintable():
        found["user"] = gettext("A user name of HTTP basic authentication has no colon and no control characters")
    if fault := _certificates_fault(certificates):
        found["certificates"] = fault
    if fault := _proxy_fault(proxy):
        found["proxy"] = fault
    if proxy_user and not proxy:
        found["proxy_user"] = gettext("Name the proxy too, or leave its user out")
    elif ":" in proxy_user or not (proxy_user.isprintable() and _is_latin(proxy_user)):
        found["proxy_user"] = gettext("A proxy's user name has no colon, no control characters and Latin letters only")
    if not (user_agent.isascii() and user_agent.isprintable()):
        found["user_agent"] = gettext("A User-Agent is one line of ASCII characters, such as GISC-Tokyo/1.0")
    return found


def password_fault(password: str, *, of_proxy: bool) -> str:
    """Return what is wrong with a password, as a sentence that does not show it; "" if nothing is."""
    if not password.isprintable():
        return gettext("The password has control characters, such as a line end; enter it without")
    if of_proxy and not _is_latin(password):
        return gettext("A proxy's password has Latin letters, digits and signs only")
    return ""


def describe_certificates(certificates: str) -> str:
    """Return whose certificates these are and when they expire; or the path of their file."""
    if not certificates or not is_pem(certificates):
        return certificates
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cadata=certificates)
    except (ssl.SSLError, ValueError):
        return gettext("cannot be read")
    names = [
        gettext("{name} until {end}").format(name=_name(item), end=item.get("notAfter"))
        for item in context.get_ca_certs()
    ]
    return "; ".join(names) or gettext("of no authority")


def _name(certificate: Mapping[str, object]) -> str:
    subject = certificate.get("subject")
    parts = dict(pair for group in subject for pair in group) if isinstance(subject, tuple) else {}
    return str(parts.get("commonName") or parts.get("organizationName") or gettext("an authority without a name"))


def _certificates_fault(certificates: str) -> str:
    if not certificates:
        return ""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if is_pem(certificates):
        if "PRIVATE KEY" in certificates:
            return gettext("This holds a private key, which must not leave its owner; paste the certificates alone")
        try:
            context.load_verify_locations(cadata=certificates)
        except (ssl.SSLError, ValueError):
            return gettext(
                "These are no certificates in PEM; paste them with their BEGIN CERTIFICATE and END CERTIFICATE lines"
            )
        return ""
    if "\n" in certificates or not Path(certificates).is_absolute():
        return gettext("Paste certificates in PEM, or write the absolute path of a PEM file that every worker can read")
    try:
        context.load_verify_locations(cafile=certificates)
    except (ssl.SSLError, ValueError):
        return gettext("{path} holds no certificates in PEM").format(path=certificates)
    except OSError as exc:
        return gettext("{path} cannot be read ({reason}); every worker must be able to").format(
            path=certificates, reason=exc.strerror
        )
    return ""


def _proxy_fault(proxy: str) -> str:
    if not proxy:
        return ""
    try:
        parts = urlsplit(proxy)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or parts.path not in ("", "/") or parts.query or parts.fragment or not proxy.isprintable():
        return gettext("Write the proxy as http://host:port")
    if "@" in parts.netloc:
        return gettext("Leave user name and password out of the proxy's address; they have fields of their own")
    return ""


def _is_latin(text: str) -> bool:
    return all(ord(letter) < 256 for letter in text)


# --- Secrets ----------------------------------------------------------------------------------------


class UnreadableSecret(Exception):
    """The stored secret was changed, or encrypted under another SECRET_KEY than this node has and had."""


def seal(text: str, purpose: str) -> str:
    """Encrypt a text. The result is ASCII, and differs each time."""
    return _fernet(settings.SECRET_KEY, purpose).encrypt(text.encode()).decode()


def unseal(sealed: str, purpose: str) -> str:
    """Decrypt a text that was sealed for this purpose. Raises UnreadableSecret."""
    try:
        return _every_fernet(purpose).decrypt(sealed).decode()
    except (InvalidToken, ValueError) as exc:  # ValueError: it is not even ASCII
        raise UnreadableSecret from exc


def reseal(sealed: str, purpose: str) -> str:
    """Seal a secret anew under the present SECRET_KEY; one that is so already stays as it is. Raises UnreadableSecret."""
    try:
        _fernet(settings.SECRET_KEY, purpose).decrypt(sealed)
    except (InvalidToken, ValueError):
        return seal(unseal(sealed, purpose), purpose)
    return sealed


def _every_fernet(purpose: str) -> MultiFernet:
    return MultiFernet([_fernet(key, purpose) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _fernet(secret_key: str, purpose: str) -> Fernet:
    # The salt is no name of a module: with another one, what is sealed in databases cannot be read.
    key = salted_hmac(f"harvester.seals.{purpose}", "", secret=secret_key, algorithm="sha256")
    return Fernet(base64.urlsafe_b64encode(key.digest()))
