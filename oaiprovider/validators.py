"""What may stand in the fields of a crosswalk."""

from django.core.exceptions import ValidationError

from catalogue import oai
from oaiprovider import formats


def validate_prefix(value: str) -> None:
    """Refuse what is not a metadataPrefix, or is one already (P60)."""
    if not oai.PREFIX.fullmatch(value):
        raise ValidationError(f"{value!r} is not a metadataPrefix: letters, digits and -_.!~*'() only")
    if value.lower() in formats.RESERVED:
        raise ValidationError(f"{value!r} is taken: the node itself gives it a meaning; choose another one")


def validate_namespace(value: str) -> None:
    """Refuse what is no URI, and the namespace of OAI-PMH, in which no metadata may be (P48)."""
    if not oai.is_identifier(value):
        raise ValidationError(f"{value!r} is not the name of a namespace: it {oai.identifier_fault(value)}")
    if value == oai.OAI_NS:
        raise ValidationError("this is the namespace of OAI-PMH itself; metadata must be in another one")
