"""Names of languages: what records write, as the tags of HTML (BCP 47) and as the authority table of the European Union."""

import re

_TAGS = {"eng": "en", "fre": "fr", "fra": "fr", "spa": "es", "rus": "ru", "ara": "ar", "chi": "zh", "zho": "zh", "jpn": "ja",
         "ger": "de", "deu": "de", "kor": "ko", "por": "pt", "ita": "it", "dut": "nl", "nld": "nl"}  # fmt: skip
# ISO 639-2/B, where it differs from the ISO 639-3 that the table has.
_TERMINOLOGICAL = {
    "fre": "fra", "chi": "zho", "ger": "deu", "dut": "nld", "gre": "ell", "cze": "ces", "rum": "ron", "slo": "slk", "per": "fas",
    "ice": "isl", "may": "msa", "mac": "mkd", "alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "geo": "kat", "wel": "cym",
    "tib": "bod", "mao": "mri",
}  # fmt: skip
_OF_TAG = {tag: _TERMINOLOGICAL.get(code, code) for code, tag in _TAGS.items()}


def language_tag(language: str) -> str:
    """Return the tag of a language for HTML (BCP 47): the first part of what the record writes; `und` if it names none."""
    first = _first_part(language)
    return _TAGS.get(first, first if len(first) in (2, 3) else "und")


def authority_code(language: str) -> str:
    """Return the code of a language in the authority table of the European Union, such as FRA; empty if it is not known."""
    first = _first_part(language)
    code = _OF_TAG.get(first, _TERMINOLOGICAL.get(first, first))
    return code.upper() if len(code) == 3 and code != "und" else ""


def _first_part(language: str) -> str:
    return re.split(r"[^a-z]", language.strip().lower(), maxsplit=1)[0]
