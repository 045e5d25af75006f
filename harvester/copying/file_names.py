"""Give each identifier a file name of its own, which any file system takes. No I/O.

Two identifiers never share a file, also where a file system takes large letters for small ones: which letters are large
is written behind the name. So the name follows from the identifier alone, whatever else is in the folder.
"""

import hashlib
import re

MAX_BYTES = 200  # chosen: of a name without its suffix; file systems take 255, encrypted ones 143 to 200 of them

_OTHER_BYTES = re.compile(rb"[^a-z0-9._-]")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# What Windows takes for a device, whatever suffix the name has.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)")


def file_name(identifier: str, suffix: str) -> str:
    """Return the name of the record's file.

    Small letters, digits and `.`, `_`, `-` stay, other bytes are percent-encoded. Where it has large letters, `~` and a
    number follow that says which. A name that is too long is cut, and ends with `~~` and the digest of the identifier.
    """
    # Of each letter from the first: whether it is large, as one number that begins with a 1.
    letters = re.sub("[^A-Za-z]", "", identifier)
    case = (
        int("1" + "".join("1" if letter.isupper() else "0" for letter in letters), 2)
        if letters != letters.lower()
        else 0
    )
    name = _OTHER_BYTES.sub(_percent_encoded, _lower(identifier).encode(errors="surrogatepass")).decode("ascii")
    if name.startswith(".") or _DEVICES.match(name):
        name = f"%{ord(name[0]):02x}{name[1:]}"
    if case:
        name = f"{name}~{_base_36(case)}"
    if len(name) > MAX_BYTES:
        digest = hashlib.sha256(identifier.encode(errors="surrogatepass")).hexdigest()
        name = f"{name[: MAX_BYTES - len(digest) - 2]}~~{digest}"
    return name + suffix


def _percent_encoded(found: re.Match[bytes]) -> bytes:
    return b"%%%02x" % found[0][0]


def _lower(text: str) -> str:
    """Return the text with small letters for the large ones of ASCII; others are percent-encoded, and differ there."""
    return "".join(chr(ord(letter) + 32) if "A" <= letter <= "Z" else letter for letter in text)


def _base_36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
