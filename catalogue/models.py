"""Models of the catalogue: sets, records, claims, memberships, the datestamp clock, the journal's outbox, and uploads.

Fields, constraints and facts about one row. Rows of records, claims and memberships are written by
`catalogue.writing` and `catalogue.replay` alone (S8), under the clock's lock. `docs/ARCHITECTURE.md` draws the tables.
"""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Lower, TruncSecond
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogue import oai


def validate_set_spec(value: str) -> None:
    """Raise ValidationError for what is not a setSpec (P72)."""
    if not oai.is_set_spec(value):
        raise ValidationError(
            gettext("{value!r} is not a setSpec: letters, digits and -_.!~*'() with single colons between").format(
                value=value
            )
        )


class Category(models.Model):
    """A class of records that not everybody may see. Sets, links and records name one; none: public.

    Who may see it: people who are signed in, if it says so, and the harvesters whose profiles name it. Whoever may not see
    each of the categories of a record does not see the record (`docs/ARCHITECTURE.md`, "Who sees what").
    """

    name = models.CharField(max_length=60, unique=True, help_text=_("such as “members only”; harvesters never see it"))
    description = models.TextField(blank=True, help_text=_("for the administration: why, until when, whom to ask"))
    signed_in = models.BooleanField(
        _("for people who are signed in"),
        default=True,
        help_text=_("they find its records on the public pages as well; else harvesters alone get them"),
    )

    class Meta:
        verbose_name_plural = _("categories")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class MetadataSet(models.Model):
    """A set (OAI-PMH 2.6). `WIS-CATALOGUE`, of kind CATALOGUE, is every record and has no membership rows."""

    class Kind(models.TextChoices):
        OWN = "own", _("own: this node's area of responsibility")
        PEER = "peer", _("peer: another GISC's")
        SHARED = "shared", _("shared: joint responsibility")
        VIRTUAL = "virtual", _("virtual: a named union that some harvesters see")
        CATALOGUE = "catalogue", _("catalogue: every record")

    spec = models.CharField(_("setSpec"), max_length=200, unique=True, validators=[validate_set_spec])
    name = models.CharField(_("setName"), max_length=200)
    description = models.TextField(blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.PEER)
    public = models.BooleanField(
        default=True,
        help_text=_(
            "listed by ListSets and on the public pages; records that are in no listed set are not public either"
        ),
    )
    category = models.ForeignKey(
        Category,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="sets",
        verbose_name=_("who sees its records"),
        help_text=_("empty: everybody. A category limits all records of the set, also those that are in another one"),
    )
    fed_here = models.BooleanField(
        _("fed by uploads"),
        default=False,
        db_default=False,
        editable=False,
        help_text=_(
            "records of this shared set are uploaded at this node, so it is not harvested from a co-owner"
        ),  # W42
    )

    class Meta:
        verbose_name = _("set")
        ordering = ("spec",)
        constraints = (
            models.UniqueConstraint(
                fields=("kind",), condition=Q(kind__in=("own", "catalogue")), name="one_own_set_and_one_catalogue_set"
            ),
        )

    def __str__(self) -> str:
        return self.spec


class RecordQuerySet(models.QuerySet["Record"]):
    """Queries of records."""

    def named(self, text: str) -> Self:
        """Return the record with this OAI identifier or this gmd:fileIdentifier (P68), live or deleted."""
        return self.filter(Q(key=text.strip()) | Q(identifier=text.strip()), key=oai.oai_identifier(text))

    def in_another_case(self, text: str) -> Self:
        """Return the live records whose identifier differs from this one in its case alone, which means nothing there (F74)."""
        key = oai.oai_identifier(text)
        folded = oai.folded(key)
        if folded is None:
            return self.none()
        return self.alias(folded=Lower("key")).filter(folded=folded, deleted=False).exclude(key=key)


# The link that a live record came by; empty: this node itself.
SOURCE = Coalesce(KeyTextTransform("link", "provenance"), models.Value("", output_field=models.TextField()))


class Record(models.Model):
    """One identifier, live or deleted (OAI-PMH 2.5): header and payload, ready to be served.

    `identifier` and `key` are a pair: what is asked for by either is this record, and what has the same key and another
    identifier is another record, which cannot be stored.

    What search and people need is in `Description`, so that a restamp or a list page never touches
    the wide rows and the text index.
    """

    identifier = models.TextField(help_text=_("gmd:fileIdentifier, as it is in the metadata"))
    key = models.TextField(
        db_collation="C",
        help_text=_("the OAI identifier: gmd:fileIdentifier, percent-encoded where that is no URI"),  # P68
    )
    datestamp = models.DateTimeField(help_text=_("when it last changed in this node; whole seconds, UTC"))  # P40
    deleted = models.BooleanField(default=False)
    owner = models.ForeignKey(
        MetadataSet,
        on_delete=models.PROTECT,
        related_name="owned",
        help_text=_("the set whose link decides its content"),
    )
    set_specs = ArrayField(
        models.TextField(),
        default=list,
        help_text=_("memberships for the header; kept by a tombstone"),  # P84
    )
    payload = models.BinaryField(null=True, help_text=_("root element in a zstd frame; none in a tombstone"))
    digest = models.BinaryField(null=True, help_text=_("SHA-256 of the canonical XML"))
    metadata_date = models.DateTimeField(null=True, help_text=_("gmd:dateStamp; never the datestamp"))  # P95
    provenance = models.JSONField(null=True, help_text=_("where it was harvested; none for records of our own"))
    spelling = models.TextField(
        default="",
        db_default="",
        db_collation="C",
        help_text=_(
            "the OAI identifier for the gmd:fileIdentifier in the metadata, where only its case differs from the key"
        ),  # F74
    )
    audience = models.IntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text=_("who sees it, by its set, link and own category; 0: everybody"),
    )

    objects = RecordQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("key",), name="one_record_per_identifier"),
            models.CheckConstraint(
                name="a_tombstone_has_no_metadata",
                condition=Q(deleted=True, payload__isnull=True, digest__isnull=True)
                | Q(deleted=False, payload__isnull=False, digest__isnull=False),
            ),
            models.CheckConstraint(
                name="a_record_datestamp_is_whole_seconds", condition=Q(datestamp=TruncSecond(F("datestamp")))
            ),
        )
        indexes = (
            models.Index(fields=("datestamp", "id"), name="record_list_order"),
            models.Index(fields=("datestamp", "id"), condition=Q(audience=0), name="public_record_order"),
            models.Index(fields=("audience", "datestamp", "id"), condition=~Q(audience=0), name="hidden_records"),
            models.Index(fields=("datestamp",), condition=Q(deleted=True), name="tombstones_by_age"),  # for the purge
            # Not of live records alone: PostgreSQL uses no statistics of a partial index.
            models.Index(Lower("key"), name="records_by_folded_key"),
            models.Index(fields=("spelling",), condition=~Q(spelling=""), name="records_spelled_otherwise"),
            models.Index(SOURCE, "datestamp", "id", condition=Q(deleted=False), name="live_records_by_source"),
        )

    def __str__(self) -> str:
        return self.identifier


class RecordVersion(models.Model):
    """A former state of a record, live or deleted, and what ended it; written where the next state is, in the same transaction.

    A record has no more of them than GISC_RECORD_VERSIONS, and none that ended before GISC_RECORD_VERSION_DAYS. Where only
    the owner changed, there is no payload: the state after it has the same. A purged record may leave rows behind, which
    go by their age: the former version of the node knows nothing of them, so there is no foreign key in the database.
    """

    class Act(models.TextChoices):
        WITHDRAW = "withdraw", _("withdrawn")
        MOVE = "move", _("moved to another set")
        REPLACE = "replace", _("replaced")
        RESTORE = "restore", _("restored from a former version")

    record = models.ForeignKey(
        Record, on_delete=models.CASCADE, related_name="versions", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField(help_text=_("counts the states of a record, from 1"))
    datestamp = models.DateTimeField(help_text=_("the last that the record had in this state"))
    deleted = models.BooleanField()
    owner = models.TextField(help_text=_("setSpec"))
    link = models.TextField(blank=True, help_text=_("the link that the content came by; empty: this node itself"))
    payload = models.BinaryField(null=True, help_text=_("packed as in Record"))
    digest = models.BinaryField(null=True)
    metadata_date = models.DateTimeField(null=True)
    ended = models.DateTimeField(help_text=_("the datestamp of the change"))
    ended_by = models.TextField(blank=True, help_text=_("the link that brought the change; empty: this node itself"))
    who = models.TextField(blank=True, help_text=_("the account, or the user of the operating system"))
    act = models.CharField(max_length=10, choices=Act.choices, blank=True)
    reason = models.TextField(blank=True, help_text=_("as it was typed"))

    class Meta:
        constraints = (models.UniqueConstraint(fields=("record", "number"), name="one_version_a_number"),)
        indexes = (models.Index(fields=("ended",), name="versions_by_age"),)

    def __str__(self) -> str:
        return f"{self.record_id} version {self.number}"


# The text search vector of a description: an SQL function of catalogue/sql/search_words.*.sql.
_WORDS = models.Func(
    "title", "abstract", "keywords", "categories", function="catalogue_words", output_field=SearchVectorField()
)


class Description(models.Model):
    """The fields of a live record's metadata, for search. Deleted together with the payload.

    What only the page of one record shows (contacts, links) is read from the payload: iso19139.read_details.
    """

    record = models.OneToOneField(Record, on_delete=models.CASCADE, primary_key=True, related_name="description")
    title = models.TextField(blank=True)
    abstract = models.TextField(blank=True)
    keywords = ArrayField(models.TextField(), default=list, help_text=_("all but the WMO category codes"))
    categories = ArrayField(models.TextField(), default=list, help_text=_("terms of the WMO_CategoryCode list"))
    boxes = models.JSONField(default=list, help_text=_("bounding boxes in degrees: [[west, south, east, north], ...]"))
    begins = models.DateTimeField(null=True, help_text=_("start of the time extent; none: open or not given"))
    ends = models.DateTimeField(null=True, help_text=_("end of the time extent; none: open or not given"))
    language = models.CharField(max_length=100, blank=True)

    class Meta:
        # The words themselves stand in the index alone: a column of them would be a third of the database.
        indexes = (GinIndex(_WORDS, name="description_words"),)

    def __str__(self) -> str:
        return self.title


class SetInclusion(models.Model):
    """`child` is part of `parent`: by hierarchy (`a` includes `a:b`, P74) or because a virtual set names it (G4).

    Memberships of a parent are rows like any other, written by `catalogue.writing`, so that one index serves its lists.
    """

    parent = models.ForeignKey(MetadataSet, on_delete=models.CASCADE, related_name="inclusions")
    child = models.ForeignKey(MetadataSet, on_delete=models.CASCADE, related_name="included_in")

    class Meta:
        verbose_name = _("inclusion")
        constraints = (
            models.UniqueConstraint(fields=("parent", "child"), name="a_set_includes_another_once"),
            models.CheckConstraint(name="no_set_includes_itself", condition=~Q(parent=F("child"))),
        )

    def __str__(self) -> str:
        return f"{self.child_id} in {self.parent_id}"


class SetChange(models.Model):
    """Sets that were put into a virtual set or taken out of it, and how far the memberships that follow are written.

    Rows stay as the report of what was done. One that has not ended is gone on with by the next tick (`writing.set_changes`).
    """

    class Act(models.TextChoices):
        INCLUDE = "include", _("included")
        EXCLUDE = "exclude", _("excluded")

    parent = models.ForeignKey(MetadataSet, on_delete=models.CASCADE, related_name="+", db_index=False)
    act = models.CharField(max_length=10, choices=Act.choices)
    specs = ArrayField(models.TextField(), help_text=_("the sets that were named"))
    children = ArrayField(models.BigIntegerField(), help_text=_("their ids, and those of the sets below them"))
    total = models.BigIntegerField(help_text=_("records to go through"))
    done = models.BigIntegerField(default=0)
    last_record = models.BigIntegerField(default=0, help_text=_("id of the last record that was gone through"))
    begun = models.DateTimeField()
    ended = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("change of a virtual set")
        verbose_name_plural = _("changes of virtual sets")
        indexes = (
            models.Index(fields=("parent", "-id"), name="set_changes_newest_first"),
            models.Index(fields=("id",), condition=Q(ended=None), name="open_set_changes"),
        )

    def __str__(self) -> str:
        return f"{self.act} {', '.join(self.specs)}"


class Claim(models.Model):
    """Another version of a live record: from another set, or from another source of the same shared set.

    The record itself has the version of its owner (promise 9). A claim stores the other version: operators see where
    it differs, and it becomes the record when the owner deletes the record (W23, W45, W47).
    """

    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="claims", db_index=False)
    set = models.ForeignKey(MetadataSet, on_delete=models.PROTECT, related_name="claims")
    source = models.TextField(help_text=_("the link it came by; empty: this node itself"))
    payload = models.BinaryField(help_text=_("packed as in Record"))
    digest = models.BinaryField()
    metadata_date = models.DateTimeField(null=True)
    provenance = models.JSONField(null=True)
    spelling = models.TextField(
        default="",
        db_default="",
        db_collation="C",
        help_text=_(
            "the OAI identifier as this source spells it, where only its case differs from the record's"
        ),  # W47
    )
    first_seen = models.DateTimeField(help_text=_("on this record, with this spelling"))

    class Meta:
        verbose_name = _("other version")
        constraints = (
            models.UniqueConstraint(fields=("record", "set", "source"), name="one_claim_of_a_source_on_a_record"),
        )
        indexes = (models.Index(fields=("spelling",), condition=~Q(spelling=""), name="claims_spelled_otherwise"),)

    def __str__(self) -> str:
        return f"{self.record_id} by {self.source or 'this node'}"


class SpellingChange(models.Model):
    """A record that got another identifier, of which only the case differs: the third within a week is not made (F74).

    Or the first half of such a change: its owner deleted a record that others claim, and may send the new one later.
    """

    folded = models.TextField(db_collation="C", help_text=_("what all spellings share: `oai.folded`"))
    old = models.TextField(help_text=_("the OAI identifier of the record that became a tombstone"))
    new = models.TextField(
        help_text=_("that of the record in its place; empty: the owner deleted it, and others claim it")
    )
    owner = models.ForeignKey(MetadataSet, on_delete=models.CASCADE, db_index=False, related_name="+")
    datestamp = models.DateTimeField(help_text=_("of both; rows are deleted after a week"))

    class Meta:
        indexes = (
            models.Index(fields=("folded", "datestamp"), name="changes_of_a_spelling"),
            models.Index(fields=("datestamp",), name="spelling_changes_by_age"),
        )

    def __str__(self) -> str:
        return f"{self.old} is {self.new}"


class Dictionary(models.Model):
    """A zstd dictionary that payloads are packed with.

    A trigger refuses changes, and deletion while a payload needs it (`sql/dictionaries.*.sql`). The id is the one that
    zstd writes into each frame, so each payload names the dictionary it needs.
    """

    id = models.BigIntegerField(primary_key=True)
    content = models.BinaryField()
    sha256 = models.BinaryField()
    created = models.DateTimeField()
    trained_on = models.PositiveIntegerField(help_text=_("how many records it was trained on"))

    class Meta:
        verbose_name_plural = _("dictionaries")

    def __str__(self) -> str:
        return str(self.pk)


class Validation(models.Model):
    """The result of the checks of one version of a record. It keeps no record out and moves no datestamp (promise 7)."""

    class Structure(models.TextChoices):
        VALID = "valid", _("valid")
        INVALID = "invalid", _("invalid")
        NOT_CHECKED = "not checked", _("not checked")

    record = models.OneToOneField(Record, on_delete=models.CASCADE, primary_key=True, related_name="validation")
    digest = models.BinaryField(help_text=_("of the version that was checked"))
    rules = models.CharField(max_length=64, help_text=_("which rules and schemas it was checked with"))
    structure = models.CharField(max_length=20, choices=Structure.choices)
    schema = models.CharField(max_length=60, blank=True, help_text=_("the schema set chosen by the GML namespace"))
    faults = models.JSONField(default=list, help_text=_("[{rule, text}, ...]: sentences for the data manager"))
    checked = models.DateTimeField()

    class Meta:
        indexes = (
            models.Index(fields=("rules", "record"), name="validation_by_rules"),
            models.Index(fields=("record",), condition=Q(structure="invalid"), name="invalid_records"),
        )

    def __str__(self) -> str:
        return f"{self.record_id} {self.structure}"


class Membership(models.Model):
    """A record in a set, with its own datestamp: leaving a set is a deletion to the harvesters of that set."""

    pk = models.CompositePrimaryKey("record", "set")  # an id of its own would cost 30 bytes a row
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    set = models.ForeignKey(MetadataSet, on_delete=models.PROTECT, related_name="memberships", db_index=False)
    datestamp = models.DateTimeField()
    deleted = models.BooleanField(default=False)
    direct = models.BooleanField(
        default=True, help_text=_("the record was put into this set itself; else into a set that this one includes")
    )
    # Both are kept by triggers: `sql/set_tombstones.*.sql`.
    departed = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=_("deleted because the record left the set: the header there names this set alone"),  # P75
    )
    elsewhere = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=_("departed, and the record is live elsewhere: sent only to harvesters that want set tombstones"),
    )
    audience = models.IntegerField(default=0, db_default=0, editable=False, help_text=_("that of the record"))

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="a_membership_datestamp_is_whole_seconds", condition=Q(datestamp=TruncSecond(F("datestamp")))
            ),
        )
        indexes = (
            models.Index(fields=("set", "datestamp", "record"), name="membership_list_order"),
            models.Index(
                fields=("set", "datestamp", "record"),
                condition=Q(elsewhere=False, audience=0),
                name="public_membership_order",
            ),
            models.Index(fields=("set", "audience"), condition=~Q(audience=0), name="hidden_memberships"),
            models.Index(fields=("set", "record"), condition=Q(elsewhere=True), name="memberships_elsewhere"),
            models.Index(fields=("datestamp",), condition=Q(deleted=True), name="ended_memberships_by_age"),
        )

    def __str__(self) -> str:
        return f"{self.record_id} in {self.set_id}"


class RecordCategory(models.Model):
    """The category that a record was given itself, by its OAI identifier: it stays when the record is deleted and purged."""

    key = models.TextField(primary_key=True, db_collation="C", help_text=_("the OAI identifier"))
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="records")

    def __str__(self) -> str:
        return f"{self.key}: {self.category_id}"


class SourceCategory(models.Model):
    """The category of all records whose version came by a link. It stays when the link is removed, as its records do."""

    source = models.TextField(primary_key=True, help_text=_("the name of the link"))
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="sources")

    def __str__(self) -> str:
        return f"{self.source}: {self.category_id}"


class Audience(models.Model):
    """Who sees some records: whoever may see all these categories and, if sets are named, one of these unlisted sets.

    Rows are added by `catalogue_settle`. 0, without a row, is everybody; -1 nobody, while a record is being stored. Minus
    the key of a harvester's profile is a category that this harvester alone may see.
    """

    id = models.AutoField(primary_key=True)
    categories = ArrayField(models.BigIntegerField(), default=list)
    sets = ArrayField(models.BigIntegerField(), default=list)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("categories", "sets"), name="one_audience_of_a_kind"),)

    def __str__(self) -> str:
        return f"{self.pk}: {self.categories} {self.sets}"


class Withdrawal(models.Model):
    """A record that an audience may not see any more: its tombstone in the lists of those who see that audience, and not it.

    A row for each set that it was in then, and one with set 0 for the list of the whole catalogue.
    """

    pk = models.CompositePrimaryKey("record", "set_id", "audience")
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="withdrawals", db_index=False)
    set_id = models.BigIntegerField(help_text=_("0: the whole catalogue"))
    audience = models.IntegerField()
    datestamp = models.DateTimeField()
    direct = models.BooleanField(default=False, help_text=_("it was put into the set itself: headers name it"))

    class Meta:
        indexes = (models.Index(fields=("set_id", "datestamp", "record"), name="withdrawal_list_order"),)

    def __str__(self) -> str:
        return f"{self.record_id} from {self.audience} in {self.set_id}"


class VisibilityChange(models.Model):
    """A change of who sees what that records still have to follow, batch by batch (`catalogue.writing.visibility`).

    Triggers insert it in the transaction that changes a set or a link (`sql/visibility.*.sql`); the row goes at the end.
    """

    class Kind(models.TextChoices):
        SET = "set", _("set")
        LINK = "link", _("link")
        LOST = "lost", _("a harvester may not see them any more")
        GAINED = "gained", _("a harvester may see them now")

    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.TextField(help_text=_("key of the set or profile, or name of the link"))
    audiences = ArrayField(models.IntegerField(), default=list, db_default=[])
    last = models.BigIntegerField(default=0, db_default=0, help_text=_("the last record that was looked at"))

    def __str__(self) -> str:
        return f"{self.kind} {self.name} after {self.last}"


class ListSize(models.Model):
    """How many records a list holds. Triggers keep it in the transaction of each change: `sql/list_sizes.*.sql`.

    Those that not everybody sees are counted in a row of their own, of the set -1 - `set_id`.
    """

    set_id = models.BigIntegerField(_("set"), primary_key=True, help_text=_("0: the whole catalogue"))
    live = models.BigIntegerField(default=0)
    deleted = models.BigIntegerField(default=0)
    elsewhere = models.BigIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return gettext("{set_id}: {live} and {deleted} deleted").format(
            set_id=self.set_id, live=self.live, deleted=self.deleted
        )


class DatestampClock(models.Model):
    """The high-water mark of all datestamps (P92) and the lower bound that Identify gives (P55); one row.

    Read and raised by the functions of `sql/datestamp_clock.*.sql`, under an advisory lock.
    """

    stamp = models.DateTimeField(help_text=_("the largest datestamp ever given"))
    earliest = models.DateTimeField(help_text=_("Identify/earliestDatestamp; never moves forward"))

    class Meta:
        constraints = (models.CheckConstraint(name="there_is_one_clock", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.stamp:%Y-%m-%dT%H:%M:%SZ}"


class DayLived(models.Model):
    """A day that this node has lived (`catalogue.writing.days_lived`). A tombstone is as old as the days after it."""

    mark = models.DateTimeField(
        help_text=_("the high-water mark when the day was added: what is older was stamped before it")
    )
    purge = models.JSONField(null=True, help_text=_("what the purge of this day did; none: it is still to be done"))

    class Meta:
        verbose_name_plural = _("days lived")

    def __str__(self) -> str:
        return f"{self.mark:%Y-%m-%d}"


class HostUptime(models.Model):
    """How long a host has run since the last day was added. A host that was booted anew is another one."""

    boot = models.CharField(primary_key=True, max_length=100, help_text=_("the id of this boot of the host"))
    monotonic_s = models.FloatField(help_text=_("its monotonic clock at the last tick"))
    lived_s = models.FloatField(default=0)

    def __str__(self) -> str:
        return f"{self.boot}: {self.lived_s:.0f} s"


class CatalogueCanary(models.Model):
    """The time of the last tick of the catalogue that passed beat, broker, worker and database. The table has one row."""

    last = models.DateTimeField()

    class Meta:
        verbose_name_plural = _("catalogue canaries")
        constraints = (models.CheckConstraint(name="there_is_one_catalogue_canary", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.last:%Y-%m-%d %H:%M:%S}"


class FailingChore(models.Model):
    """A chore of the ticks that has failed when it ran last. The row goes when the chore succeeds."""

    chore = models.CharField(max_length=80, primary_key=True)
    since = models.DateTimeField(help_text=_("the first time of those without a success in between"))
    last = models.DateTimeField()
    fault = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.chore


class Purged(models.Model):
    """A tombstone that was purged, by the hash of its key. Its deletion stays in the journal for ever.

    If the record is offered again, it is new to the catalogue, but the journal needs an event that it came back, or the
    next replay would delete it. A rebuilt database has none of these rows: the replay makes the tombstones again.
    """

    hash = models.BigIntegerField(primary_key=True, help_text=_("hashtextextended(key, 0)"))

    class Meta:
        verbose_name = _("purged tombstone")

    def __str__(self) -> str:
        return str(self.pk)


class JournalOutbox(models.Model):
    """An event that is committed but not yet on disk in the journal (promise 6); emptied by `journal.flush`.

    Epoch and number are given by a trigger (`sql/journal_numbers.*.sql`), when the row is inserted.
    """

    class Event(models.TextChoices):
        DELETED = "deleted", _("deleted")
        RETURNED = "returned", _("returned after a deletion")
        LEFT = "left", _("left a set and lives elsewhere")
        JOINED = "joined", _("came back to a set it had left")
        MOVED = "moved", _("moved to another owner")
        RESTRICTED = "restricted", _("who sees a set, the records of a link, or a record, was changed")

    event = models.CharField(max_length=10, choices=Event.choices)
    identifier = models.TextField()
    datestamp = models.DateTimeField()
    set_specs = ArrayField(models.TextField(), default=list)
    epoch = models.BigIntegerField(null=True, editable=False)
    number = models.BigIntegerField(null=True, editable=False, help_text=_("counts the events of the epoch, from 1"))

    class Meta:
        verbose_name = _("event waiting for the journal")
        verbose_name_plural = _("events waiting for the journal")
        constraints = (models.UniqueConstraint(fields=("epoch", "number"), name="one_event_a_number"),)

    def __str__(self) -> str:
        return f"{self.identifier} {self.event}"


class JournalPosition(models.Model):
    """The last number that an event of the journal was given; one row, inserted with the first event.

    Counted up by a trigger on the outbox, under the clock's lock, so that numbers grow in the order of commits and have
    no gaps. An epoch begins with the database and with each restore: its number is the time in milliseconds when it began,
    and larger than every epoch that was known then.
    """

    class State(models.TextChoices):
        CURRENT = "current", _("has all events that the journal has")
        BEHIND = "behind", _("was put back from a copy that is older than the journal")
        RESTORING = "restoring", _("is being restored")

    epoch = models.BigIntegerField()
    number = models.BigIntegerField()
    state = models.CharField(
        max_length=10, choices=State.choices, default=State.CURRENT, db_default=State.CURRENT.value
    )

    class Meta:
        constraints = (models.CheckConstraint(name="there_is_one_journal_position", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.epoch}-{self.number}"


class JournalWriter(models.Model):
    """A writer of the journal, which is a folder of a host, and the last event that it has on disk."""

    writer = models.CharField(max_length=32, primary_key=True, help_text=_("random; in the names of its files"))
    epoch = models.BigIntegerField()
    number = models.BigIntegerField()
    host = models.TextField()
    directory = models.TextField()
    written = models.DateTimeField()

    def __str__(self) -> str:
        return self.writer


class Upload(models.Model):
    """Documents that a person has sent: what would become of each, which of them were to be stored, and what became of them.

        checking ──> ready <──> storing ──> closed
            └───────────┴──────────┴──────> failed

    Written by `catalogue.bulk.upload` and `catalogue.bulk.preview` alone. The documents lie in a folder of GISC_UPLOAD_DIR.
    """

    class State(models.TextChoices):
        CHECKING = "checking", _("being checked")
        READY = "ready", _("waits for you")
        STORING = "storing", _("being stored")
        CLOSED = "closed", _("closed")
        FAILED = "failed", _("failed")

    folder = models.UUIDField(unique=True, editable=False)
    set_spec = models.CharField(_("setSpec"), max_length=200)
    files = models.JSONField(_("files"), default=list, help_text=_("[{name, bytes}, ...], in their order"))
    who = models.CharField(_("sent by"), max_length=150)
    created = models.DateTimeField(_("sent"))
    worked = models.DateTimeField(help_text=_("when a worker worked on it last"))
    finished = models.DateTimeField(_("finished"), null=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.CHECKING)
    estimate = models.PositiveIntegerField(
        null=True, help_text=_("how many documents the files have, if that is known")
    )
    documents = models.PositiveIntegerField(_("documents"), default=0, help_text=_("so many have been checked"))
    to_store = models.PositiveIntegerField(default=0, help_text=_("how many documents are to be stored, or were last"))
    stored = models.PositiveIntegerField(default=0, help_text=_("of these, so many are done"))
    begun = models.DateTimeField(null=True, help_text=_("when the checking, or the storing, began"))
    tries = models.PositiveSmallIntegerField(default=0, help_text=_("by workers that have not come on"))
    fault = models.JSONField(null=True, help_text=_("why it has failed: a code and facts"))

    class Meta:
        verbose_name = _("upload")
        ordering = ("-created",)
        indexes = (
            models.Index(fields=("worked",), condition=Q(state__in=("checking", "storing")), name="uploads_that_wait"),
        )

    def __str__(self) -> str:
        return gettext("upload {number} into {spec}").format(number=self.pk, spec=self.set_spec)

    @property
    def is_under_way(self) -> bool:
        return self.state in (self.State.CHECKING, self.State.STORING)


class UploadDocument(models.Model):
    """One document of an upload: what would become of it, and what became of it. Its content is in the upload's folder."""

    pk = models.CompositePrimaryKey("upload", "number")
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="contents", db_index=False)
    number = models.PositiveIntegerField(help_text=_("from 1, in the order of the files"))
    source = models.TextField(help_text=_("the file, or the member of an archive, that it is in"))
    identifier = models.TextField(blank=True)
    key = models.TextField(blank=True, db_collation="C")
    title = models.TextField(blank=True)
    preview = models.CharField(max_length=20, help_text=_("what would become of it: a name that `ingest` counts under"))
    reason = models.JSONField(null=True)
    structure = models.CharField(max_length=20, blank=True, help_text=_("as in Validation; empty: not checked here"))
    faults = models.JSONField(default=list)
    digest = models.BinaryField(null=True)
    metadata_date = models.DateTimeField(null=True)
    replaces = models.BinaryField(
        null=True,
        help_text=_("the digest of the record when this was checked; empty: there was none; none: not compared"),
    )
    place = models.BigIntegerField(null=True, help_text=_("where the content begins in the folder's file"))
    length = models.PositiveIntegerField(default=0, help_text=_("of the packed content"))
    length_before = models.PositiveIntegerField(
        default=0, help_text=_("of the packed record that it would replace, next to it")
    )
    chosen = models.BooleanField(default=False)
    result = models.CharField(max_length=20, blank=True, help_text=_("what became of it; empty: it was not stored"))
    result_reason = models.JSONField(null=True)
    record_changed = models.BooleanField(
        default=False, help_text=_("the record was another one when this was stored than when it was checked")
    )

    class Meta:
        indexes = (
            models.Index(fields=("upload", "preview", "number"), name="upload_documents_by_preview"),
            models.Index(fields=("upload", "key"), name="upload_documents_by_key"),
            models.Index(
                fields=("upload", "number"), condition=Q(chosen=True, result=""), name="upload_documents_to_store"
            ),
        )

    def __str__(self) -> str:
        return self.identifier or self.source


class WatchedFile(models.Model):
    """A file of a watched folder as it was read last (`catalogue.bulk.watch`)."""

    folder = models.TextField()
    path = models.TextField(help_text=_("below the folder"))
    size = models.BigIntegerField(null=True)
    modified_ns = models.BigIntegerField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("folder", "path"), name="one_row_a_watched_file"),)

    def __str__(self) -> str:
        return self.path


class WatchedRecord(models.Model):
    """A record that a file of a watched folder gave, or that was withdrawn because its file has vanished."""

    folder = models.TextField()
    path = models.TextField(blank=True, help_text=_("of the file; empty: it has left its file, or was withdrawn"))
    identifier = models.TextField()
    withdrawn = models.DateTimeField(null=True, help_text=_("when it was, as its file had vanished"))

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("folder", "identifier", "path"), name="one_row_a_watched_record"),
        )
        indexes = (models.Index(fields=("folder", "path"), name="watched_records_by_file"),)

    def __str__(self) -> str:
        return self.identifier
