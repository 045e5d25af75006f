"""Names of languages: what records write, as codes of ISO 639, as the tags of HTML (BCP 47), as the authority table of the European Union."""

import functools
import re

# ISO 639-1 and, after it, ISO 639-2/T.
_PAIRS = """
    aa aar ab abk ae ave af afr ak aka am amh an arg ar ara as asm av ava ay aym az aze ba bak be bel bg bul bi bis bm bam bn ben bo bod
    br bre bs bos ca cat ce che ch cha co cos cr cre cs ces cu chu cv chv cy cym da dan de deu dv div dz dzo ee ewe el ell en eng eo epo
    es spa et est eu eus fa fas ff ful fi fin fj fij fo fao fr fra fy fry ga gle gd gla gl glg gn grn gu guj gv glv ha hau he heb hi hin
    ho hmo hr hrv ht hat hu hun hy hye hz her ia ina id ind ie ile ig ibo ii iii ik ipk io ido is isl it ita iu iku ja jpn jv jav ka kat
    kg kon ki kik kj kua kk kaz kl kal km khm kn kan ko kor kr kau ks kas ku kur kv kom kw cor ky kir la lat lb ltz lg lug li lim ln lin
    lo lao lt lit lu lub lv lav mg mlg mh mah mi mri mk mkd ml mal mn mon mr mar ms msa mt mlt my mya na nau nb nob nd nde ne nep ng ndo
    nl nld nn nno no nor nr nbl nv nav ny nya oc oci oj oji om orm or ori os oss pa pan pi pli pl pol ps pus pt por qu que rm roh rn run
    ro ron ru rus rw kin sa san sc srd sd snd se sme sg sag si sin sk slk sl slv sm smo sn sna so som sq sqi sr srp ss ssw st sot su sun
    sv swe sw swa ta tam te tel tg tgk th tha ti tir tk tuk tl tgl tn tsn to ton tr tur ts tso tt tat tw twi ty tah ug uig uk ukr ur urd
    uz uzb ve ven vi vie vo vol wa wln wo wol xh xho yi yid yo yor za zha zh zho zu zul
"""
_CODE_OF_TAG = dict(zip(_PAIRS.split()[::2], _PAIRS.split()[1::2], strict=True))
_TAG_OF_CODE = {code: tag for tag, code in _CODE_OF_TAG.items()}
# ISO 639-2/B, where it differs.
_TERMINOLOGICAL = {
    "fre": "fra", "chi": "zho", "ger": "deu", "dut": "nld", "gre": "ell", "cze": "ces", "rum": "ron", "slo": "slk", "per": "fas",
    "ice": "isl", "may": "msa", "mac": "mkd", "alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "geo": "kat", "wel": "cym",
    "tib": "bod", "mao": "mri",
}  # fmt: skip
# What records write instead of a code: names in English and in the language itself, and those of English in other languages.
_NAMES = {
    "ara": "arabic العربية العربيّة", "bul": "bulgarian български", "cat": "catalan català", "ces": "czech čeština česky",
    "dan": "danish dansk", "deu": "german deutsch", "ell": "greek ελληνικά",
    "eng": "english anglais englisch engels engelsk engelska englanti inglês ingles inglés inglese английский",
    "est": "estonian eesti", "eus": "basque euskara", "fas": "persian farsi فارسی", "fin": "finnish suomi",
    "fra": "french français francais", "gle": "irish gaeilge", "heb": "hebrew עברית", "hin": "hindi हिन्दी हिंदी", "hrv": "croatian hrvatski",
    "hun": "hungarian magyar", "ind": "indonesian", "isl": "icelandic íslenska", "ita": "italian italiano", "jpn": "japanese 日本語",
    "kor": "korean 한국어", "lav": "latvian latviešu", "lit": "lithuanian lietuvių lietuviškai", "msa": "malay melayu",
    "nld": "dutch flemish nederlands vlaams", "nob": "bokmål", "nno": "nynorsk", "nor": "norwegian norsk", "pol": "polish polski",
    "por": "portuguese português portugues", "ron": "romanian română", "rus": "russian русский", "slk": "slovak slovenčina slovensky",
    "slv": "slovenian slovene slovenščina", "spa": "spanish castilian español espanol castellano", "srp": "serbian српски srpski",
    "swe": "swedish svenska", "tha": "thai ไทย", "tur": "turkish türkçe", "ukr": "ukrainian українська", "vie": "vietnamese",
    "zho": "chinese mandarin 中文 汉语 漢語",
}  # fmt: skip
_KNOWN = {
    **_CODE_OF_TAG,
    **_TERMINOLOGICAL,
    **{name: code for code, names in _NAMES.items() for name in names.split()},
}
_ENDS_PART = re.compile(r"[\s\d_.,;:/|()\[\]-]")


@functools.lru_cache(maxsize=1_000)
def language_code(language: str) -> str:
    """Return the code (ISO 639-2/T) of the language that a record names, however it writes it: `eng` of `en`, `English` and `eng; USA`.

    What names no language that is known here stays as it is written; "" if nothing is.
    """
    first = _first_part(language)
    return _code(first) or language.strip()


def language_tag(language: str) -> str:
    """Return the tag of a language for HTML (BCP 47): the first part of what the record writes; `und` if it names none."""
    first = _first_part(language)
    code = _code(first)
    return _TAG_OF_CODE.get(code, code) or (first if re.fullmatch("[a-z]{2}", first) else "und")


def shortest_name(language: str) -> str:
    """Return the tag of the language that a record names, and what it writes if that names none: `language_code` knows either."""
    tag = language_tag(language)
    return tag if tag != "und" else language.strip()


def authority_code(language: str) -> str:
    """Return the code of a language in the authority table of the European Union, such as FRA; empty if it is not known."""
    code = _code(_first_part(language))
    return code.upper() if code != "und" else ""


def _code(first: str) -> str:
    """Return the code for the first part of what a record writes; "" if that is neither a known name nor three letters."""
    return _KNOWN.get(first) or (first if re.fullmatch("[a-z]{3}", first) else "")


def _first_part(language: str) -> str:
    return _ENDS_PART.split(language.strip().casefold(), maxsplit=1)[0]
