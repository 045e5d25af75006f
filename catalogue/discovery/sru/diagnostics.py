"""Diagnostics of SRU: their numbers, and what each says (the list of info:srw/diagnostic/1)."""

from enum import IntEnum

MOST_QUOTED = 200  # characters of what was asked for


class Code(IntEnum):
    """The diagnostics that this node gives. Never renumbered: they are the standard's."""

    UNAVAILABLE = 2
    UNSUPPORTED_OPERATION = 4
    UNSUPPORTED_VERSION = 5
    UNSUPPORTED_VALUE = 6
    MANDATORY_PARAMETER = 7
    UNSUPPORTED_PARAMETER = 8
    SYNTAX_ERROR = 10
    TOO_MANY_CHARACTERS = 12
    UNSUPPORTED_CONTEXT_SET = 15
    UNSUPPORTED_INDEX = 16
    UNSUPPORTED_RELATION = 19
    UNSUPPORTED_MODIFIER = 20
    RELATION_AND_INDEX = 22
    EMPTY_TERM = 27
    MASKING = 28
    MASKED_TOO_SHORT = 29
    ANCHORING = 31
    STOP_WORDS_ONLY = 35
    INVALID_TERM = 36
    UNSUPPORTED_BOOLEAN = 37
    TOO_MANY_BOOLEANS = 38
    PROXIMITY = 39
    BOOLEAN_MODIFIER = 46
    PARTIAL_RESULTS = 59
    TOO_MANY_RECORDS = 60
    POSITION_OUT_OF_RANGE = 61
    RECORD_UNAVAILABLE = 64
    RECORD_DOES_NOT_EXIST = 65
    UNKNOWN_SCHEMA = 66
    UNSUPPORTED_PACKING = 71
    XPATH = 72
    TOO_MANY_SORT_KEYS = 84
    SORT_PATH = 88
    SORT_DIRECTION = 90
    STYLESHEETS = 110
    RESPONSE_POSITION = 120
    TOO_MANY_TERMS = 121


MESSAGES = {
    Code.UNAVAILABLE: "System temporarily unavailable",
    Code.UNSUPPORTED_OPERATION: "Unsupported operation",
    Code.UNSUPPORTED_VERSION: "Unsupported version",
    Code.UNSUPPORTED_VALUE: "Unsupported parameter value",
    Code.MANDATORY_PARAMETER: "Mandatory parameter not supplied",
    Code.UNSUPPORTED_PARAMETER: "Unsupported parameter",
    Code.SYNTAX_ERROR: "Query syntax error",
    Code.TOO_MANY_CHARACTERS: "Too many characters in query",
    Code.UNSUPPORTED_CONTEXT_SET: "Unsupported context set",
    Code.UNSUPPORTED_INDEX: "Unsupported index",
    Code.UNSUPPORTED_RELATION: "Unsupported relation",
    Code.UNSUPPORTED_MODIFIER: "Unsupported relation modifier",
    Code.RELATION_AND_INDEX: "Unsupported combination of relation and index",
    Code.EMPTY_TERM: "Empty term unsupported",
    Code.MASKING: "Masking character not supported",
    Code.MASKED_TOO_SHORT: "Masked words too short",
    Code.ANCHORING: "Anchoring character not supported",
    Code.STOP_WORDS_ONLY: "Term contains only stopwords",
    Code.INVALID_TERM: "Term in invalid format for index or relation",
    Code.UNSUPPORTED_BOOLEAN: "Unsupported boolean operator",
    Code.TOO_MANY_BOOLEANS: "Too many boolean operators in query",
    Code.PROXIMITY: "Proximity not supported",
    Code.BOOLEAN_MODIFIER: "Unsupported boolean modifier",
    Code.PARTIAL_RESULTS: "Result set created with valid partial results available",
    Code.TOO_MANY_RECORDS: "Result set not created: too many matching records",
    Code.POSITION_OUT_OF_RANGE: "First record position out of range",
    Code.RECORD_UNAVAILABLE: "Record temporarily unavailable",
    Code.RECORD_DOES_NOT_EXIST: "Record does not exist",
    Code.UNKNOWN_SCHEMA: "Unknown schema for retrieval",
    Code.UNSUPPORTED_PACKING: "Unsupported record packing",
    Code.XPATH: "XPath retrieval unsupported",
    Code.TOO_MANY_SORT_KEYS: "Too many sort keys to sort",
    Code.SORT_PATH: "Unsupported path for sort",
    Code.SORT_DIRECTION: "Unsupported direction value",
    Code.STYLESHEETS: "Stylesheets not supported",
    Code.RESPONSE_POSITION: "Response position out of range",
    Code.TOO_MANY_TERMS: "Too many terms requested",
}


class Diagnostic(Exception):
    """A diagnostic. `details`: in the form that the list has for it; `advice`: what to do, after its message."""

    def __init__(self, code: Code, details: str = "", advice: str = "") -> None:
        self.code, self.details, self.advice = code, details[:MOST_QUOTED], advice
        super().__init__(self.message)

    @property
    def uri(self) -> str:
        return f"info:srw/diagnostic/1/{self.code.value}"

    @property
    def message(self) -> str:
        """The standard's message and, where there is one, the advice."""
        return f"{MESSAGES[self.code]}: {self.advice}" if self.advice else MESSAGES[self.code]
