"""The page `/glossary`: the words that operators and readers of this node meet, each with an anchor that other pages link to."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe


class Word(NamedTuple):
    """A word, and what it means. The anchor is the same in all languages."""

    anchor: str
    name: str | Promise
    meaning: str | Promise


class Group(NamedTuple):
    """Words that belong together."""

    title: str | Promise
    words: tuple[Word, ...]


GLOSSARY = (
    Group(
        _("The catalogue"),
        (
            Word(
                "record",
                _("record"),
                _(
                    "The description of one data set, product or service: what it is, where it comes from and how to get it. "
                    "It has an identifier that no other record has; the data themselves are elsewhere."
                ),
            ),
            Word(
                "identifier",
                _("identifier"),
                _(
                    "The name that a record has in all catalogues of the world. It is the gmd:fileIdentifier of the record and "
                    "never changes, also when the content does."
                ),
            ),
            Word(
                "datestamp",
                _("datestamp"),
                _(
                    "When the record last changed in this catalogue, in UTC. Other catalogues ask for what has changed since "
                    "their last visit, and the datestamp decides what they get."
                ),
            ),
            Word(
                "metadata-date",
                _("metadata date"),
                _(
                    "The date that the author wrote into the record (gmd:dateStamp). It says when the description was "
                    "written, not when this catalogue received it."
                ),
            ),
            Word(
                "deleted-record",
                _("deleted record"),
                _(
                    "A record that its owner has withdrawn. Its identifier and the date of the deletion stay for at least "
                    "three months, so that other catalogues learn of it; experts call this a tombstone."
                ),
            ),
            Word(
                "set",
                _("set"),
                _(
                    "A named part of the catalogue, such as WIS-GISC-TOKYO. Other catalogues may harvest one set instead of "
                    "everything."
                ),
            ),
            Word(
                "own-set",
                _("own set"),
                _(
                    "The set with the records of this centre's own area. This node decides about them, and no other centre can "
                    "change them here."
                ),
            ),
            Word(
                "peer-set",
                _("peer set"),
                _(
                    "A set of another GISC, harvested from there. This node stores its records and passes them on; the other "
                    "centre decides about their content."
                ),
            ),
            Word(
                "shared-set",
                _("shared set"),
                _(
                    "A set for which several centres are responsible together. Each of them has all records of it, and they "
                    "agree on one version of each."
                ),
            ),
            Word(
                "virtual-set",
                _("virtual set"),
                _(
                    "A name for several sets together. It has no records of its own; a harvester that asks for it gets those "
                    "of all its sets."
                ),
            ),
            Word(
                "journal",
                _("journal"),
                _(
                    "Files outside the database in which this node writes down every deletion. When the database is put back "
                    "from an older copy, the journal brings back the deletions that the copy lacks."
                ),
            ),
        ),
    ),
    Group(
        _("Centres and programs"),
        (
            Word(
                "centre",
                _("centre"),
                _(
                    "An organisation that takes part in the WMO Information System, mostly a meteorological service. Each "
                    "centre has a catalogue; this node is the catalogue of one centre."
                ),
            ),
            Word(
                "gisc",
                "GISC",
                _(
                    "Global Information System Centre: one of the centres that collect the records of an area and exchange "
                    "them with one another. Each GISC has the records of all the others."
                ),
            ),
            Word(
                "oai-pmh",
                "OAI-PMH",
                _(
                    "The protocol by which catalogues exchange records, version 2.0. The provider answers requests over HTTP "
                    "with lists in XML, and the harvester asks."
                ),
            ),
            Word(
                "provider",
                _("provider"),
                _(
                    "The catalogue that is asked for records. Its address is called its base URL; this node is a provider too, "
                    "for others."
                ),
            ),
            Word(
                "harvester",
                _("harvester"),
                _(
                    "The program that asks another catalogue for its records and stores them. This node has one, and the "
                    "harvesters of others come to this node."
                ),
            ),
            Word(
                "harvester-profile",
                _("harvester profile"),
                _(
                    "How one known harvester is served: which sets it sees, how large its pages are, how often it may ask. A "
                    "harvester without a profile gets what everybody gets."
                ),
            ),
            Word(
                "relay",
                _("relay"),
                _(
                    "A catalogue that passes on records of a third centre. When the centre itself cannot be reached, its "
                    "records may be harvested from a relay."
                ),
            ),
            Word(
                "co-owner",
                _("co-owner"),
                _(
                    "Another centre that is responsible for a shared set as well. What it changes is shown to the operators "
                    "here, and they agree on one version."
                ),
            ),
        ),
    ),
    Group(
        _("Harvesting"),
        (
            Word(
                "harvest",
                _("harvest"),
                _(
                    "To ask another catalogue for what has changed there, and to store it here. Mostly it brings only the "
                    "changes since the last time."
                ),
            ),
            Word(
                "link",
                _("link"),
                _(
                    "The arrangement to harvest one set of one provider into one set here, again and again. It says when, "
                    "how, and what happened last."
                ),
            ),
            Word(
                "run",
                _("run"),
                _(
                    "One pass over a link, from the first request to the end of the list. It has counts of what came, and a "
                    "sentence that says how it ended."
                ),
            ),
            Word(
                "page",
                _("page"),
                _(
                    "One answer of a provider, with a part of the list, often 100 records. Each page is stored as it comes, so "
                    "that nothing is lost when a later one fails."
                ),
            ),
            Word(
                "resumption",
                _("resumption"),
                _(
                    "Asking for the next page of a list. The provider gives a resumption token at the end of a page, which the "
                    "harvester sends back to get the next one."
                ),
            ),
            Word(
                "metadata-prefix",
                _("metadata prefix"),
                _(
                    "The short name of a format at a provider, such as iso19139. A link asks for records in the format that "
                    "its prefix names."
                ),
            ),
            Word(
                "granularity",
                _("granularity"),
                _(
                    "How exactly a provider gives its datestamps: to the day or to the second. Where it is the day, a harvest "
                    "asks for the whole last day again."
                ),
            ),
            Word(
                "complete-up-to",
                _("complete up to"),
                _(
                    "The time up to which everything of a link is stored here. It moves only when a list has come to its end; "
                    "experts call it harvested_to."
                ),
            ),
            Word(
                "overlap",
                _("overlap"),
                _(
                    "How far before the end of the last harvest the next one begins. It catches records that the provider "
                    "stored while it was answering; what comes twice is stored once."
                ),
            ),
            Word(
                "lateness",
                _("lateness"),
                _(
                    "How long after its datestamp a record may still appear in the lists of a provider. Later harvests ask "
                    "that much further back, so that no late record is missed."
                ),
            ),
            Word(
                "total-reharvest",
                _("total re-harvest"),
                _(
                    "Asking for all records of a link with their content, whatever their datestamps. It finds records that the "
                    "provider changed without a new datestamp; what is unchanged stays as it is."
                ),
            ),
            Word(
                "warning",
                _("warning"),
                _(
                    "A mistake of a provider that this node could work around, such as a wrong content type. The records are "
                    "stored; the provider should mend it."
                ),
            ),
        ),
    ),
    Group(
        _("What needs a person"),
        (
            Word(
                "reject",
                _("reject"),
                _(
                    "A record that came and was not stored, with the reason. The other records of its page are stored; "
                    "mostly the provider has to correct the record."
                ),
            ),
            Word(
                "comparison",
                _("comparison"),
                _(
                    "A check of what is stored here against what the provider lists now, without the content. What is missing "
                    "is asked for; nothing is deleted unless the provider says that it is deleted."
                ),
            ),
            Word(
                "drift",
                _("drift"),
                _(
                    "How many records differ between a set here and at its provider: missing here, older here, or no longer "
                    "there. Pages write “differs from the provider by 3 records”; 0 means in step."
                ),
            ),
            Word(
                "doubt",
                _("doubt"),
                _(
                    "Something in the lists of a provider that cannot be right, such as a list that is shorter than announced. "
                    "A comparison is made at once, and the link says so until it has ended."
                ),
            ),
            Word(
                "ceiling",
                _("ceiling"),
                _(
                    "How many records a comparison may ask for and delete by itself. If more are missing at the provider, "
                    "nothing is deleted until an operator has looked."
                ),
            ),
            Word(
                "waiting-deletions",
                _("waiting deletions"),
                _(
                    "Deletions that are so many at once that a mistake is likely. The records stay until an operator "
                    "confirms that the provider is right."
                ),
            ),
            Word(
                "conflict",
                _("conflict"),
                _(
                    "A disagreement about a record between a provider and this catalogue, or between two owners. It waits for "
                    "an operator, who decides which version counts."
                ),
            ),
            Word(
                "claim",
                _("claim"),
                _(
                    "What another set or source offers for a record that it does not own. It is kept beside the record and "
                    "takes its place only if the owner gives the record up."
                ),
            ),
            Word(
                "misplaced-record",
                _("misplaced record"),
                _(
                    "A record in a set to which it does not belong, such as one of ours that another centre offers as its own. "
                    "It is not stored and waits among the conflicts."
                ),
            ),
        ),
    ),
)


@require_safe
def glossary_page(request: HttpRequest) -> HttpResponse:
    """Show all words, in groups, each at its anchor: `/glossary#drift`."""
    return render(request, "glossary.html", {"groups": GLOSSARY})
