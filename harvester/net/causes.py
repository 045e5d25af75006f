"""Name the cause of a request that failed: a code for what is common, the words of the error for the rest."""

import errno
import re
import socket
import ssl

import requests
import urllib3

from catalogue.reasons import describe_error
from harvester.messages import ConnectionCode

_HOST_UNKNOWN = frozenset({socket.EAI_NONAME, socket.EAI_NODATA, socket.EAI_FAIL})
_UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL", "HTTP_REQUEST"})  # of OpenSSL
_TIMEOUTS = (TimeoutError, requests.exceptions.Timeout, urllib3.exceptions.TimeoutError)
# What OpenSSL and urllib3 write around the words of an error: codes, line numbers, objects.
_DEVELOPERS_PART = re.compile(
    r"^<[^>]*>: |^HTTPS?Connection(Pool)?\([^)]*\): |\[SSL: \w+\] |\[SSL\] | \(_ssl\.c:\d+\)$"
)


def name_cause(exc: BaseException) -> str:
    """Return a `ConnectionCode`, or the words of the innermost error, below the layers of urllib3 and requests."""
    while (inner := exc.__cause__ or exc.__context__) is not None:
        exc = inner
    code = _code(exc)
    return _words(exc) if code is None else str(code)


def _code(exc: BaseException) -> ConnectionCode | None:
    match exc:
        case ConnectionRefusedError():
            return ConnectionCode.REFUSED
        case ConnectionError():
            return ConnectionCode.CUT
        case OSError() if exc.errno == errno.ENOTCONN:
            return ConnectionCode.CUT
        case socket.gaierror() if exc.errno in _HOST_UNKNOWN:
            return ConnectionCode.HOST_UNKNOWN
        case socket.gaierror():
            return ConnectionCode.NAMES_AWAY
        case ssl.SSLError() if exc.reason in _NO_TLS:
            return ConnectionCode.NO_HTTPS
        case OSError() if exc.errno in _UNREACHABLE:
            return ConnectionCode.UNREACHABLE
        case _ if isinstance(exc, _TIMEOUTS):
            return ConnectionCode.TIMED_OUT
    return None


def _words(exc: BaseException) -> str:
    if isinstance(exc, ssl.SSLCertVerificationError) and exc.verify_message:
        return exc.verify_message
    return _DEVELOPERS_PART.sub("", describe_error(exc))
