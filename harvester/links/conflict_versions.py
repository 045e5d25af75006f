"""The two versions of a record that a conflict is about, and what is known of each; for the administration and the command line."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote, urlencode

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext

from catalogue import datestamps
from catalogue.documents import differences, xml_tree
from catalogue.documents.differences import Differences
from catalogue.models import Claim, Record
from catalogue.payloads import payload
from catalogue.provenance import Provenance
from catalogue.writing import store
from harvester.errors import RefusedByProvider
from harvester.link_rules import Identifiers
from harvester.models import Conflict
from harvester.net import client
from harvester.net.session import Session
from harvester.protocol.answers import ReceivedEntry
from harvester.protocol.conversation import Conversation
from harvester.rows import conflicts, remote_headers


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a record, or its deletion. `is_missing`: there is one, and its document is not stored here."""

    document: bytes | None = None
    is_deleted: bool = False
    is_missing: bool = False
    owner: str = ""  # setSpec
    source: str = ""  # the link it came by; empty: this node
    metadata_date: datetime | None = None
    datestamp: datetime | None = None  # in OAI-PMH: on whose clock it is, is the version's side
    path: tuple[str, ...] = ()  # from where to where it came, the latest harvest first


class Versions(NamedTuple):
    """Both versions. `ours` is None if the record is not in the catalogue."""

    ours: Version | None
    theirs: Version
    record: Record | None

    def compare(self) -> Differences | None:
        """Return how they differ; None where a document that there is cannot be read here."""
        ours = self.ours or Version()
        if ours.is_missing or self.theirs.is_missing:
            return None
        return differences.differences(ours.document, self.theirs.document)


def load(conflict: Conflict) -> Versions:
    """Load both versions of a record."""
    record = Record.objects.filter(key=conflict.key).select_related("owner").first()
    ours = None
    if record is not None:
        document = None if record.payload is None else payload.unpack_or_log(record.payload, identifier=record.key)
        origin = Provenance.from_json(record.provenance) if record.provenance else None
        ours = Version(
            document=document,
            is_deleted=record.deleted,
            is_missing=document is None and not record.deleted,
            owner=record.owner.spec,
            source=origin.link if origin else "",
            metadata_date=record.metadata_date,
            datestamp=record.datestamp,
            path=tuple(_path(origin)),
        )
    return Versions(ours, _theirs(conflict), record)


def _theirs(conflict: Conflict) -> Version:
    header = remote_headers.of_provider(conflict.link).filter(key=conflict.key).first()
    claim = Claim.objects.filter(
        record__key=conflict.key, set=conflict.link.local_set_id, source=conflict.link.name
    ).first()
    document = None if conflict.raw is None else bytes(conflict.raw)
    if document is None and claim is not None and conflict.digest is not None:
        document = payload.unpack_or_log(bytes(claim.payload), identifier=conflict.key)
    stored = conflict.provenance or (claim.provenance if claim is not None else None)
    return Version(
        document=document,
        is_deleted=conflict.digest is None,
        is_missing=document is None and conflict.digest is not None,
        owner=conflict.link.local_set.spec,
        source=conflict.link.name,
        metadata_date=conflict.metadata_date,
        datestamp=header.datestamp if header is not None else None,
        path=tuple(_path(Provenance.from_json(stored) if stored else None)),
    )


def _path(origin: Provenance | None) -> Iterator[str]:
    """Yield the repositories that a version came through, and when."""
    for step in origin.steps() if origin is not None else ():
        if step.base_url:
            yield f"{client.redact_url(step.base_url)} ({step.harvest_date or step.datestamp})"


# --- Asking the provider now --------------------------------------------------------------------------


def ask_provider(conflict: Conflict) -> str:
    """Ask the provider by GetRecord what it has of the record now; return what it answers, as a sentence.

    A live version is stored as the provider's version of an open conflict; nothing is settled, and no record changes: that is
    for the next run. Raises HarvestError if the provider cannot be asked; it may take as long as a person waits.
    """
    link = conflict.link
    provider = link.provider
    with Session(link.access()) as session:
        conversation = Conversation(
            session,
            provider.base_url,
            provider.prefix,
            limits=client.INTERACTIVE_LIMITS,
            has_names=link.identifiers == Identifiers.FILE,
        )
        try:
            answer = conversation.record(conflict.identifier)
        except RefusedByProvider as exc:
            if "idDoesNotExist" not in exc.codes:
                raise
            return gettext("The provider does not know the record (idDoesNotExist).")
    return _compare_answer(conflict, answer)


def _compare_answer(conflict: Conflict, answer: ReceivedEntry) -> str:
    if answer.header.deleted:
        return gettext("The provider says that the record is deleted, since {date}.").format(
            date=_date(answer.header.stamp)
        )
    if answer.metadata is None or answer.fault is not None:
        return gettext("The provider sends a record that cannot be read.")
    try:
        entry = store.prepare(answer.metadata)
    except xml_tree.Unusable as exc:
        return gettext("The provider sends a record that cannot be stored: {reason}.").format(reason=exc)
    before = None if conflict.digest is None else bytes(conflict.digest)
    if before != entry.digest and (conflict.settled is not None or conflict.kind == Conflict.Kind.OFFERED):
        # What was settled, or is offered with its provenance, is that version: the next run brings the new one.
        return gettext("The provider has another version by now, which the next run brings.")
    conflicts.replace_version(conflict, entry, answer.metadata)
    if before is None:
        conflicts.request_versions(conflict.link, [conflict])
        return gettext("The provider has the record, with the date {date}; the next run asks for it.").format(
            date=_date(entry.metadata_date)
        )
    if before == entry.digest:
        return gettext("The provider sends the same version as before.")
    return gettext("The provider has another version by now. It is shown below.")


def _date(stamp: datetime | None) -> str:
    return datestamps.write(stamp) if stamp is not None else gettext("an unknown time")


# --- Telling the provider -------------------------------------------------------------------------------

# What the provider may do, by kind of conflict. To be read by the provider's people: English, whatever the node speaks.
_WISHES = {
    Conflict.Kind.MISPLACED: "Please tell us whose record it is. If it is ours, please take it out of your set.",
    Conflict.Kind.DIFFERS: (
        "Please agree with us on one version, and give that one a later gmd:dateStamp, so that both catalogues take it."
    ),
    Conflict.Kind.DISPUTED: "Please tell us whether the record is to be deleted, or offer it again.",
    Conflict.Kind.VANISHED: (
        "Please keep a deleted header for each record that you delete (deletedRecord, OAI-PMH 2.5.1), or list the record again."
    ),
    Conflict.Kind.RENAMED: "Please keep the identifier of a record when it changes, or confirm that the old one is deleted.",
    Conflict.Kind.MASS: "Please confirm that these deletions are meant, or offer the records again.",
    Conflict.Kind.TAKEN: "Please give each record one identifier of its own.",
    Conflict.Kind.OFFERED: "We have not taken your version yet. Please tell us if it should not be taken.",
}


def text_for_provider(conflict: Conflict, versions: Versions, found: Differences | None) -> str:
    """Return a letter to the provider, to be copied: which record, what is wrong, how to see it, and what would settle it."""
    link, base_url = conflict.link, settings.GISC_BASE_URL
    arguments = {"verb": "GetRecord", "metadataPrefix": link.prefix, "identifier": conflict.identifier}
    lines = [
        f"Record: {conflict.identifier}",
        f"Set: {link.remote_set or '(everything)'}, harvested by {settings.GISC_REPOSITORY_NAME} ({settings.GISC_NAME})",
        f"Seen: first {datestamps.write(conflict.first_seen)}, last {datestamps.write(conflict.last_seen)}",
        "",
        conflict.reason_text,
        "",
        f"Your version: {_describe(versions.theirs)}",
        f"Our version: {_describe(versions.ours)}",
    ]
    if found is not None and found.paths:
        more = f" and {found.more_paths} more" if found.more_paths else ""
        lines.append(f"They differ in: {'; '.join(found.paths)}{more}")
    lines += ["", _WISHES[Conflict.Kind(conflict.kind)], ""]
    lines.append(
        f"Your answer to: {client.redact_url(link.base_url)}?{urlencode(arguments, quote_via=quote, safe=':/')}"
    )
    if versions.record is not None and not versions.record.deleted:
        lines.append(f"Our version: {base_url}{reverse('catalogue:record')}?{urlencode({'id': versions.record.key})}")
    lines.append(
        f"All that we could not store of yours: {base_url}{reverse('harvester:report', args=[link.report_key])}"
    )
    lines.append(f"Contact: {settings.GISC_ADMIN_EMAIL}")
    return "\n".join(lines)


def _describe(version: Version | None) -> str:
    if version is None:
        return "none"
    if version.is_deleted:
        return "deleted"
    date = datestamps.write(version.metadata_date) if version.metadata_date else "none"
    stamp = datestamps.write(version.datestamp) if version.datestamp else "not known"
    return f"gmd:dateStamp {date}, OAI datestamp {stamp}"
