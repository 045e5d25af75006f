"""Refuse a request of CSW: the ExceptionReport of OWS 1.0.0, with its codes. Needs no package of the extra `csw`."""

from xml.sax.saxutils import escape, quoteattr

from catalogue import oai

OWS_NS = "http://www.opengis.net/ows"
MISSING, INVALID = "MissingParameterValue", "InvalidParameterValue"
VERSION, OPERATION, OPTION = "VersionNegotiationFailed", "OperationNotSupported", "OptionNotSupported"
NO_CODE = "NoApplicableCode"


class Refused(Exception):
    """What a request is refused for. `code`: of OWS or CSW; `locator`: the parameter, in the spelling of the standard."""

    def __init__(self, code: str, locator: str, sentence: str) -> None:
        super().__init__(code, locator, sentence)
        self.code, self.locator, self.sentence = code, locator, sentence


def write(refused: Refused) -> bytes:
    """Write the ExceptionReport."""
    text, locator = (oai.NOT_XML.sub("\ufffd", each) for each in (refused.sentence, refused.locator))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<ows:ExceptionReport xmlns:ows="{OWS_NS}" version="1.2.0" language="en">'
        f"<ows:Exception exceptionCode={quoteattr(refused.code)} locator={quoteattr(locator)}>"
        f"<ows:ExceptionText>{escape(text)}</ows:ExceptionText></ows:Exception></ows:ExceptionReport>\n"
    ).encode(errors="replace")
