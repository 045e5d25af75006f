"""The `description` containers of Identify: render friends and policy, check what an operator wrote (P127 to P130, P147).

Also checks the e-mail addresses that Identify announces (P54). lxml only.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from catalogue import oai
from catalogue.documents import complexity, schemas
from catalogue.reasons import ActRefused, Reason, ReasonCode
from oaiprovider.reasons import InputCode

_GUIDELINES = "http://www.openarchives.org/OAI/2.0/"
_FRIENDS = f"{_GUIDELINES}friends/"
ONCE = frozenset({"oai-identifier", "gateway"})
# P59: simple harvesters take these elements for the repository's own, wherever they are in the answer.
_CONFUSING = frozenset({"granularity", "protocolVersion", "adminEmail"})
# Namespaces of the OAI guidelines (some end with a slash, some do not) and the addresses of their schemas.
_KNOWN = {
    f"{_GUIDELINES}branding/": f"{_GUIDELINES}branding.xsd",
    f"{_GUIDELINES}oai-identifier": f"{_GUIDELINES}oai-identifier.xsd",
    f"{_GUIDELINES}rights/": f"{_GUIDELINES}rightsManifest.xsd",
    f"{_GUIDELINES}gateway/": f"{_GUIDELINES}gateway.xsd",
}


@dataclass(frozen=True, slots=True)
class Container:
    """The content of a `description`: the local name of its root element, and its XML."""

    name: str
    xml: str


def friends(base_urls: Iterable[str]) -> bytes:
    """Render the container that names other repositories to harvesters (P127)."""
    namespaces: Any = {None: _FRIENDS, "xsi": oai.XSI_NS}  # lxml-stubs knows no default namespace
    root = etree.Element(f"{{{_FRIENDS}}}friends", nsmap=namespaces)
    root.set(f"{{{oai.XSI_NS}}}schemaLocation", f"{_FRIENDS} {_GUIDELINES}friends.xsd")
    for base_url in base_urls:
        etree.SubElement(root, f"{{{_FRIENDS}}}baseURL").text = base_url
    return etree.tostring(root)


_PROMISE = "A record is in every list that is requested after the second of its datestamp; datestamps never go back."


def policy(version: str) -> bytes:
    """Render the container that names this software, its version, and the promise that harvesters may rely on (P147).

    A container with a published schema: an answer with another one could not be validated without a network. A harvester
    of this software takes a list as complete up to its responseDate where it finds this (promise 2).
    """
    namespaces: Any = {None: oai.EPRINTS_NS, "xsi": oai.XSI_NS}
    root = etree.Element(f"{{{oai.EPRINTS_NS}}}eprints", nsmap=namespaces)
    root.set(f"{{{oai.XSI_NS}}}schemaLocation", f"{oai.EPRINTS_NS} {oai.EPRINTS_SCHEMA}")
    metadata_policy = etree.SubElement(root, f"{{{oai.EPRINTS_NS}}}metadataPolicy")
    etree.SubElement(metadata_policy, f"{{{oai.EPRINTS_NS}}}URL").text = oai.promise_urn(version)
    etree.SubElement(metadata_policy, f"{{{oai.EPRINTS_NS}}}text").text = _PROMISE
    etree.SubElement(root, f"{{{oai.EPRINTS_NS}}}dataPolicy")
    return etree.tostring(root)


def read(text: str, *, schema_dir: str = "") -> Container:
    """Check a container that an operator wrote. Raises ActRefused with a sentence that says what to change.

    `schema_dir` is a folder of schemas with a catalogue; if it is empty, the container is not validated by its schema.
    """
    if "<!DOCTYPE" in text:
        raise ActRefused(Reason(InputCode.DOCTYPE))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True)
    document = text.strip().encode()
    excess = complexity.excess_of_record(document)
    if excess is not None:
        raise ActRefused(Reason(ReasonCode.TOO_COMPLEX, excess.facts()))
    try:
        root = etree.fromstring(document, parser)
    except (etree.XMLSyntaxError, ValueError) as exc:
        raise ActRefused(Reason(InputCode.ILL_FORMED, {"error": str(exc)})) from exc
    name = etree.QName(root)
    if not name.namespace or name.namespace == oai.OAI_NS:
        raise ActRefused(Reason(InputCode.NO_NAMESPACE, {"element": name.localname}))
    if name.namespace == _FRIENDS:
        raise ActRefused(Reason(InputCode.FRIENDS))
    if any(oai.is_promise(element.text or "") for element in root.iter(etree.Element)):
        raise ActRefused(Reason(InputCode.PROMISE))
    located = root.get(f"{{{oai.XSI_NS}}}schemaLocation", "").split()
    if name.namespace not in located[::2]:
        schema = _KNOWN.get(name.namespace, "where its schema is")
        facts = {"element": name.localname, "namespace": name.namespace, "schema": schema}
        raise ActRefused(Reason(InputCode.NO_SCHEMA_LOCATION, facts))
    for child in root.iter(etree.Element):
        if etree.QName(child).localname in _CONFUSING:
            raise ActRefused(Reason(InputCode.CONFUSING_ELEMENT, {"element": etree.QName(child).localname}))
    if schema_dir and name.namespace in _KNOWN:
        _validate(root, Path(schema_dir), name.namespace)
    return Container(name.localname, etree.tostring(root, encoding="unicode"))


def repository_identifier(container: Container) -> str:
    """Return the repositoryIdentifier of an oai-identifier container (P129); empty for other containers.

    It announces that all identifiers of the repository begin with `oai:` and this text.
    """
    found = etree.fromstring(container.xml).findtext(f"{{{_GUIDELINES}oai-identifier}}repositoryIdentifier")
    return (found or "").strip()


def _validate(root: etree._Element, folder: Path, namespace: str) -> None:
    try:
        schema = schemas.load_from_address(folder, _KNOWN[namespace])
    except schemas.UnusableSchemas:
        return  # the folder has the schemas of records only
    found = schemas.faults(schema, root)
    if found:
        raise ActRefused(Reason(InputCode.INVALID, {"schema": _KNOWN[namespace], "faults": found}))


# P54: local@domain.tld, deliverable from everywhere. Stricter than OAI-PMH.xsd, which requires \S+@(\S+\.)+\S+.
_ADDRESS = re.compile(r"[^@\s:<>,;\"\\]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]+")
_NOT_DELIVERABLE = ("localhost", "localdomain", "local", "invalid")


def is_deliverable(address: str) -> bool:
    """Whether other centres can send mail to this address, judged by its form."""
    return bool(_ADDRESS.fullmatch(address)) and address.rsplit(".", 1)[-1].lower() not in _NOT_DELIVERABLE
