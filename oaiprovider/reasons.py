"""Codes and sentences for what an operator wrote or uploaded and this provider cannot use. No Django, no I/O."""

from collections.abc import Mapping

from catalogue import reasons
from catalogue.oai import XSI_NS
from catalogue.reasons import Code, Facts, Sentence, _, gettext, write_sentence

_GUIDELINES = "http://www.openarchives.org/OAI/2.0/"


class InputCode(Code):
    """Why a container of Identify, a stylesheet or a file of profiles was refused (`catalogue.reasons.ActRefused`)."""

    # Containers of Identify
    DOCTYPE = "container-doctype"
    ILL_FORMED = "container-ill-formed"
    NO_NAMESPACE = "container-without-namespace"
    FRIENDS = "container-of-friends"
    PROMISE = "container-with-promise"
    NO_SCHEMA_LOCATION = "container-without-schema-location"
    CONFUSING_ELEMENT = "container-with-confusing-element"
    INVALID = "container-invalid"
    # Stylesheets
    STYLESHEET = "stylesheet-unreadable"
    # Files of profiles
    FILE_DOCTYPE = "profiles-doctype"
    FILE_ILL_FORMED = "profiles-ill-formed"
    FILE_ROOT = "profiles-wrong-root"

    def sentence(self, facts: Facts) -> str:
        return write_sentence(SENTENCES, self, facts)


def _stylesheet(facts: Facts) -> str:
    fault = facts["fault"]
    return gettext("The stylesheet {fault}.").format(
        fault=write_sentence(reasons.SENTENCES, fault["code"], fault["facts"])
    )


SENTENCES: Mapping[str, Sentence] = {
    InputCode.DOCTYPE: _("Leave the DOCTYPE out: a part of another document has none."),
    InputCode.ILL_FORMED: _("This is not well-formed XML: {error}."),
    InputCode.NO_NAMESPACE: lambda facts: gettext(
        '{element} has no namespace of its own; write xmlns=..., such as xmlns="{example}".'
    ).format(element=facts["element"], example=f"{_GUIDELINES}branding/"),  # P48
    InputCode.FRIENDS: _(
        "Identify lists friends by itself: the base URLs of the links to peers that are enabled."
    ),  # P127
    InputCode.PROMISE: _("Identify names this software and its version by itself."),  # P147
    InputCode.NO_SCHEMA_LOCATION: lambda facts: gettext(
        '{element} does not say where its schema is; add xmlns:xsi="{xsi}" xsi:schemaLocation="{namespace} {schema}".'
    ).format_map({**facts, "xsi": XSI_NS}),
    InputCode.CONFUSING_ELEMENT: _("Leave out {element}: simple harvesters take it for the repository's own."),  # P59
    InputCode.INVALID: lambda facts: gettext("Not valid by the published schema {schema}: {faults}.").format(
        schema=facts["schema"], faults="; ".join(facts["faults"])
    ),
    InputCode.STYLESHEET: _stylesheet,
    InputCode.FILE_DOCTYPE: _("The file has a DOCTYPE; remove it."),
    InputCode.FILE_ILL_FORMED: _("The file is not well-formed XML: {error}."),
    InputCode.FILE_ROOT: _("The root of the file is {root}; it must be user-agents, with at least one user-agent."),
}
