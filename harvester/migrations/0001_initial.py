"""The tables of the harvester.

The first migration since version 0.9.0. It stands for the seventeen of the versions before, the first of which had its name:
a database that has all of them goes on from here, and one that has only some is refused (`gisc.database`). Columns stand in
the order that they have there.
"""

from django.core.validators import (
    EmailValidator,
    MaxValueValidator,
    MinValueValidator,
    RegexValidator,
    URLValidator,
)
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    initial = True
    dependencies = [("catalogue", "0001_initial")]
    replaces = [
        ("harvester", "0002_strategies_and_headers"),
        ("harvester", "0003_what_links_know"),
        ("harvester", "0004_kinds_and_conflicts"),
        ("harvester", "0005_comparisons"),
        ("harvester", "0006_alternatives"),
        ("harvester", "0007_canary"),
        ("harvester", "0008_clocks"),
        ("harvester", "0009_access"),
        ("harvester", "0010_passwords_out_of_addresses"),
        ("harvester", "0011_cookies"),
        ("harvester", "0012_moved_to"),
        ("harvester", "0013_warnings"),
        ("harvester", "0014_at_once"),
        ("harvester", "0015_standby"),
        ("harvester", "0016_conflicts_and_sets"),
        ("harvester", "0017_holding"),
    ]

    operations = [
        # --- Links and the other providers of their sets; the two refer to one another ---
        migrations.CreateModel(
            name="Alternative",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "position",
                    models.PositiveSmallIntegerField(default=1, help_text="the link switches to the smallest first"),
                ),
                ("name", models.CharField(help_text="of the relay, as people know it", max_length=60)),
                (
                    "base_url",
                    models.CharField(
                        help_text="without arguments",
                        max_length=500,
                        validators=[URLValidator(schemes=["http", "https"])],
                        verbose_name="base URL",
                    ),
                ),
                (
                    "prefix",
                    models.CharField(
                        default="iso19139",
                        max_length=100,
                        validators=[RegexValidator("\\A[A-Za-z0-9\\-_.!~*'()]+\\Z")],
                        verbose_name="metadata prefix",
                    ),
                ),
                ("remote_set", models.CharField(max_length=200, verbose_name="remote setSpec")),
            ],
            options={
                "ordering": ("position", "pk"),
            },
        ),
        migrations.CreateModel(
            name="Link",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.SlugField(
                        help_text="short name, used on the command line and in logs", max_length=60, unique=True
                    ),
                ),
                (
                    "base_url",
                    models.CharField(
                        help_text="without arguments",
                        max_length=500,
                        validators=[URLValidator(schemes=["http", "https"])],
                        verbose_name="base URL",
                    ),
                ),
                (
                    "prefix",
                    models.CharField(
                        default="iso19139",
                        max_length=100,
                        validators=[RegexValidator("\\A[A-Za-z0-9\\-_.!~*'()]+\\Z")],
                        verbose_name="metadata prefix",
                    ),
                ),
                (
                    "remote_set",
                    models.CharField(
                        blank=True,
                        help_text="as the provider spells it; empty, for a centre only: everything it has",
                        max_length=200,
                        verbose_name="remote setSpec",
                    ),
                ),
                ("enabled", models.BooleanField(default=True)),
                (
                    "interval_s",
                    models.PositiveIntegerField(
                        default=21600,
                        help_text="between the starts of two runs",
                        validators=[MinValueValidator(5)],
                        verbose_name="interval, seconds",
                    ),
                ),
                (
                    "overlap_s",
                    models.PositiveIntegerField(
                        default=60,
                        help_text="asked for again before the last harvest's end (H9)",
                        verbose_name="overlap, seconds",
                    ),
                ),
                (
                    "granularity",
                    models.CharField(
                        blank=True,
                        choices=[("YYYY-MM-DD", "YYYY-MM-DD"), ("YYYY-MM-DDThh:mm:ssZ", "YYYY-MM-DDThh:mm:ssZ")],
                        editable=False,
                        max_length=20,
                    ),
                ),
                (
                    "harvested_to",
                    models.DateTimeField(
                        editable=False, help_text="the link is complete up to here, on the provider's clock", null=True
                    ),
                ),
                ("next_due", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "failures",
                    models.PositiveIntegerField(default=0, editable=False, verbose_name="failed runs in a row"),
                ),
                (
                    "local_set",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="links", to="catalogue.metadataset"),
                ),
                (
                    "first_response",
                    models.DateTimeField(
                        editable=False,
                        help_text="responseDate of the first page of the last complete list (H8, F)",
                        null=True,
                    ),
                ),
                (
                    "from_policy",
                    models.CharField(
                        choices=[
                            (
                                "earlier",
                                "the earlier of the first responseDate and the largest datestamp of the last list",
                            ),
                            (
                                "response",
                                "the first responseDate of the last list: an idle link asks for nothing again",
                            ),
                        ],
                        default="earlier",
                        help_text="less the overlap",
                        max_length=10,
                        verbose_name="“from” is",
                    ),
                ),
                (
                    "newest",
                    models.DateTimeField(
                        editable=False,
                        help_text="largest datestamp of the last complete list that was not empty (H8, M)",
                        null=True,
                    ),
                ),
                (
                    "strategy",
                    models.CharField(
                        choices=[
                            ("records", "ListRecords: whole records, page by page"),
                            ("identifiers", "ListIdentifiers, then GetRecord for what is new or changed"),
                        ],
                        default="records",
                        help_text="both bring the same (W18)",
                        max_length=12,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("peer", "peer: another GISC's own set, from that GISC"),
                            ("relay", "relay: a GISC's set, from another GISC that holds it"),
                            ("centre", "centre: an NC, a DCPC or another catalogue that harvests nobody"),
                            ("shared", "shared: a set of joint responsibility, from one of its owners"),
                            (
                                "backup",
                                "backup: a set that we look after, too, from its other owner; by hand, each record confirmed",
                            ),
                            ("recovery", "recovery: our own set back from another GISC, by hand"),
                        ],
                        default="peer",
                        help_text="what the provider is to us",
                        max_length=10,
                    ),
                ),
                (
                    "ceiling_percent",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="if that is more",
                        validators=[MaxValueValidator(100)],
                        verbose_name="ceiling, percent of the link",
                    ),
                ),
                (
                    "ceiling_records",
                    models.PositiveIntegerField(
                        default=100,
                        help_text="so many that the provider no longer lists are asked for by GetRecord; above it an operator decides",
                        verbose_name="ceiling, records",
                    ),
                ),
                (
                    "compared_to",
                    models.DateTimeField(
                        editable=False,
                        help_text="this cycle has compared what is stamped up to here; none: it is complete",
                        null=True,
                    ),
                ),
                ("cycle_begun", models.DateTimeField(editable=False, null=True)),
                (
                    "cycle_days",
                    models.PositiveSmallIntegerField(
                        default=28,
                        help_text="in slices, one a day; 7: weekly, 28: monthly, 0: never by schedule (W24)",
                        validators=[MaxValueValidator(366)],
                        verbose_name="compare everything every, days",
                    ),
                ),
                ("cycle_ended", models.DateTimeField(editable=False, null=True, verbose_name="compared as a whole")),
                (
                    "deleted_record",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="deletedRecord, as Identify says",
                        max_length=20,
                        verbose_name="deletions are kept",
                    ),
                ),
                ("next_slice", models.DateTimeField(editable=False, null=True, verbose_name="next comparison")),
                (
                    "reconciles",
                    models.BooleanField(
                        default=False,
                        editable=False,
                        help_text="the slices follow one another at once until all is compared",
                    ),
                ),
                (
                    "tombstone_days",
                    models.PositiveIntegerField(
                        default=90,
                        help_text="if it keeps them for a while only: after a longer silence everything is compared (H15)",
                        verbose_name="provider keeps deletions, days",
                    ),
                ),
                ("failing_since", models.DateTimeField(editable=False, null=True)),
                ("serving_since", models.DateTimeField(editable=False, null=True)),
                (
                    "switch_after_h",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="of failing without a break; 0: only by hand (W37)",
                        verbose_name="turn to the next provider after, hours",
                    ),
                ),
                (
                    "serving",
                    models.ForeignKey(
                        editable=False,
                        help_text="none: the first",
                        null=True,
                        on_delete=models.RESTRICT,
                        related_name="+",
                        to="harvester.alternative",
                    ),
                ),
                (
                    "skew_s",
                    models.FloatField(
                        editable=False,
                        help_text="the provider's clock minus ours (W19)",
                        null=True,
                        verbose_name="clock skew, seconds",
                    ),
                ),
                (
                    "certificates",
                    models.TextField(
                        blank=True,
                        help_text="of the provider's own authority, instead of the usual ones: pasted as PEM, or the path of a PEM file that every worker can read",
                        verbose_name="certificates to trust",
                    ),
                ),
                (
                    "post",
                    models.BooleanField(
                        default=False, help_text="where the provider, or a proxy, minds GET", verbose_name="ask by POST"
                    ),
                ),
                (
                    "proxy",
                    models.CharField(
                        blank=True,
                        help_text="http://host:port; empty: as the node's environment has it",
                        max_length=300,
                    ),
                ),
                ("proxy_user", models.CharField(blank=True, max_length=200, verbose_name="proxy's user name")),
                ("sealed_password", models.TextField(blank=True, editable=False)),
                ("sealed_proxy_password", models.TextField(blank=True, editable=False)),
                (
                    "sender",
                    models.CharField(
                        blank=True,
                        help_text="mail address sent to the provider; empty: GISC_ADMIN_EMAIL",
                        max_length=254,
                        validators=[EmailValidator()],
                        verbose_name="From",
                    ),
                ),
                (
                    "user",
                    models.CharField(
                        blank=True,
                        help_text="of HTTP basic authentication; empty: none, and no password",
                        max_length=200,
                        verbose_name="user name",
                    ),
                ),
                (
                    "user_agent",
                    models.CharField(
                        blank=True,
                        help_text="if the provider wants another than the node's own",
                        max_length=200,
                        verbose_name="User-Agent",
                    ),
                ),
                (
                    "moved_to",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="where the provider's permanent redirect leads, until a person accepts it (H27)",
                        max_length=500,
                        verbose_name="has moved to",
                    ),
                ),
                (
                    "at_once",
                    models.PositiveSmallIntegerField(
                        default=4,
                        help_text="1 to 16, where single records are asked for; pages of a list are asked for one by one (H4)",
                        validators=[MinValueValidator(1), MaxValueValidator(16)],
                        verbose_name="GetRecord requests at once",
                    ),
                ),
                (
                    "return_after_h",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="of answering without a break, while another one serves the link; 0: only by hand (W37)",
                        verbose_name="return to its own provider after, hours",
                    ),
                ),
                ("set_checked", models.DateTimeField(editable=False, null=True, verbose_name="remote set looked for")),
                (
                    "set_state",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("listed", "the provider lists it"),
                            ("missing", "the provider lists other sets and not this one"),
                            ("no sets", "the provider says that it has no sets"),
                            ("not told", "the provider could not be asked for its sets"),
                        ],
                        editable=False,
                        help_text="as last looked (H17)",
                        max_length=10,
                        verbose_name="remote set",
                    ),
                ),
                (
                    "hold_percent",
                    models.PositiveSmallIntegerField(
                        default=10,
                        help_text="more deletions than that in one run, and more than 50, wait for an operator; 100: none ever does",
                        validators=[MaxValueValidator(100)],
                        verbose_name="hold deletions above, percent of the link",
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.AddField(
            "alternative",
            "link",
            models.ForeignKey(
                db_index=False, on_delete=models.CASCADE, related_name="alternatives", to="harvester.link"
            ),
        ),
        migrations.AddConstraint(
            "alternative",
            models.UniqueConstraint(fields=("link", "position"), name="one_alternative_at_a_position_of_a_link"),
        ),
        migrations.CreateModel(
            name="Standby",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("harvested_to", models.DateTimeField(null=True)),
                ("first_response", models.DateTimeField(null=True)),
                ("newest", models.DateTimeField(null=True)),
                ("granularity", models.CharField(blank=True, max_length=20)),
                ("deleted_record", models.CharField(blank=True, max_length=20)),
                ("left", models.DateTimeField(help_text="when the link turned away from it, on our clock")),
                ("next_probe", models.DateTimeField(help_text="when it is asked again whether it answers", null=True)),
                ("probed", models.DateTimeField(help_text="when it last answered, or did not", null=True)),
                ("answers_since", models.DateTimeField(help_text="none: it did not answer when last asked", null=True)),
                ("fault", models.TextField(blank=True, help_text="why it did not")),
                (
                    "alternative",
                    models.ForeignKey(
                        help_text="none: the link's own provider",
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="harvester.alternative",
                    ),
                ),
                (
                    "link",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="standbys", to="harvester.link"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("link", "alternative"), name="one_standby_of_a_provider_per_link", nulls_distinct=False
                    )
                ],
            },
        ),
        # --- Runs, and what they did not store ---
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("done", "done"), ("failed", "failed"), ("cancelled", "cancelled")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("trigger", models.CharField(default="schedule", help_text="what started it", max_length=20)),
                ("begun", models.DateTimeField()),
                ("finished", models.DateTimeField(null=True)),
                ("message", models.TextField(blank=True, help_text="what happened last, and what happens next")),
                (
                    "list_from",
                    models.DateTimeField(
                        help_text="lower bound asked for; none: the whole list", null=True, verbose_name="from"
                    ),
                ),
                (
                    "granularity",
                    models.CharField(
                        blank=True,
                        choices=[("YYYY-MM-DD", "YYYY-MM-DD"), ("YYYY-MM-DDThh:mm:ssZ", "YYYY-MM-DDThh:mm:ssZ")],
                        max_length=20,
                    ),
                ),
                ("token", models.TextField(blank=True, help_text="asks for the next page; empty before the first")),
                (
                    "pages",
                    models.PositiveIntegerField(default=0, help_text="pages stored since the list was (re)started"),
                ),
                ("restarts", models.PositiveIntegerField(default=0)),
                (
                    "first_response",
                    models.DateTimeField(help_text="responseDate of the list's first page (H10)", null=True),
                ),
                ("newest", models.DateTimeField(help_text="largest datestamp of the list so far", null=True)),
                (
                    "list_size",
                    models.PositiveIntegerField(help_text="completeListSize as the provider gives it (H25)", null=True),
                ),
                ("received", models.PositiveIntegerField(default=0)),
                ("new", models.PositiveIntegerField(default=0)),
                ("updated", models.PositiveIntegerField(default=0)),
                ("unchanged", models.PositiveIntegerField(default=0)),
                ("deleted", models.PositiveIntegerField(default=0)),
                ("rejected", models.PositiveIntegerField(default=0)),
                ("attempts", models.PositiveIntegerField(default=0, help_text="tries since the last page was stored")),
                ("not_before", models.DateTimeField(help_text="wait until then before the next try", null=True)),
                ("queued", models.DateTimeField(help_text="when a task was last queued for it", null=True)),
                (
                    "worker",
                    models.CharField(
                        blank=True, db_column="holder", help_text="host:pid that works on it", max_length=300
                    ),
                ),
                (
                    "leased_until",
                    models.DateTimeField(help_text="another worker may take it over after this", null=True),
                ),
                ("link", models.ForeignKey(on_delete=models.CASCADE, related_name="runs", to="harvester.link")),
                ("fetched", models.PositiveIntegerField(default=0, help_text="records asked for by GetRecord")),
                ("listed", models.PositiveIntegerField(default=0, help_text="entries since the list was (re)started")),
                (
                    "marked_page",
                    models.BinaryField(help_text="the digest of a page's headers, for the same purpose", null=True),
                ),
                (
                    "marked_token",
                    models.TextField(blank=True, help_text="a token given before: to see it again is a loop (H23)"),
                ),
                (
                    "phase",
                    models.CharField(
                        choices=[("listing", "reading the list"), ("fetching", "asking for single records")],
                        default="listing",
                        max_length=10,
                    ),
                ),
                (
                    "strategy",
                    models.CharField(
                        choices=[
                            ("records", "ListRecords: whole records, page by page"),
                            ("identifiers", "ListIdentifiers, then GetRecord for what is new or changed"),
                        ],
                        default="records",
                        max_length=12,
                    ),
                ),
                (
                    "beyond_ceiling",
                    models.BooleanField(default=False, help_text="an operator has lifted the ceiling for this run"),
                ),
                (
                    "extra",
                    models.PositiveIntegerField(default=0, help_text="stored here, and not listed by the provider"),
                ),
                (
                    "held_back",
                    models.PositiveIntegerField(
                        default=0, help_text="of the extra: above the ceiling, so not asked for"
                    ),
                ),
                (
                    "list_until",
                    models.DateTimeField(
                        help_text="upper bound; none, but for slices (H14)", null=True, verbose_name="until"
                    ),
                ),
                (
                    "missing",
                    models.PositiveIntegerField(default=0, help_text="the provider lists it and we knew nothing of it"),
                ),
                (
                    "purpose",
                    models.CharField(
                        choices=[("harvest", "harvest"), ("comparison", "comparison")], default="harvest", max_length=10
                    ),
                ),
                (
                    "stale",
                    models.PositiveIntegerField(default=0, help_text="the provider has changed them since"),
                ),
                (
                    "vanished",
                    models.PositiveIntegerField(
                        default=0, help_text="of the extra: unknown to the provider; they stay here"
                    ),
                ),
                (
                    "sealed_cookies",
                    models.TextField(blank=True, help_text="what the provider set in this run (F96)"),
                ),
                (
                    "warnings",
                    models.JSONField(default=list, help_text="what was not as it should be: code, text, count"),
                ),
                (
                    "removed",
                    models.PositiveIntegerField(
                        default=0, help_text="of the deleted: those the provider had listed before"
                    ),
                ),
            ],
            options={
                "ordering": ("-begun",),
                "indexes": [models.Index(F("link"), F("begun").desc(), name="runs_of_a_link")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(("state", "open")), fields=("link",), name="one_open_run_per_link"
                    ),
                    models.CheckConstraint(
                        condition=Q(("state", "open"), ("sealed_cookies", ""), _connector="OR"),
                        name="a_run_that_has_ended_has_no_cookies",
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            ("received", F("new") + F("updated") + F("unchanged") + F("deleted") + F("rejected"))
                        ),
                        name="the_counters_of_a_run_add_up",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Reject",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("identifier", models.TextField(blank=True)),
                ("datestamp", models.CharField(blank=True, help_text="as the provider gave it", max_length=100)),
                ("reason", models.TextField()),
                ("raw", models.BinaryField(help_text="the metadata as received", null=True)),
                ("run", models.ForeignKey(on_delete=models.CASCADE, related_name="rejects", to="harvester.run")),
                (
                    "file_key",
                    models.TextField(
                        blank=True,
                        db_collation="C",
                        help_text="its gmd:fileIdentifier, folded, if that differs from the header's identifier",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(
                        condition=Q(("file_key", ""), _negated=True),
                        fields=["file_key"],
                        name="rejects_called_otherwise",
                    )
                ],
            },
        ),
        # --- What providers said, and where it is not what we have ---
        migrations.CreateModel(
            name="RemoteHeader",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.TextField(db_collation="C", help_text="the identifier trimmed and case-folded")),
                ("identifier", models.TextField(help_text="as the provider spells it")),
                ("datestamp", models.DateTimeField(help_text="on the provider's clock; none: not known", null=True)),
                ("deleted", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("held", "taken as the provider gave it"),
                            ("wanted", "to be asked for by GetRecord"),
                            ("absent", "not listed where it should be: to be asked for by GetRecord"),
                            (
                                "doubted",
                                "changed here while another provider served the link: to be asked for by GetRecord",
                            ),
                            ("vanished", "no longer known to the provider"),
                            ("rejected", "what came was not stored"),
                        ],
                        default="held",
                        max_length=10,
                    ),
                ),
                (
                    "link",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="headers", to="harvester.link"
                    ),
                ),
                ("seen_in", models.BigIntegerField(help_text="the last comparison that saw it listed", null=True)),
                (
                    "alternative",
                    models.ForeignKey(
                        db_index=False,
                        help_text="the alternative that sent it; none: the link's own provider",
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="harvester.alternative",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["link", "datestamp"], name="headers_by_datestamp"),
                    models.Index(
                        condition=Q(("state__in", ("wanted", "absent", "doubted"))),
                        fields=["link", "id"],
                        name="headers_wanted",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("link", "alternative", "key"), name="one_header_of_a_provider", nulls_distinct=False
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Conflict",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.TextField(db_collation="C")),
                ("identifier", models.TextField(help_text="as the provider spells it")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("misplaced", "misplaced: the record is in our own set, or ours claims a peer's"),
                            ("differs", "differs from what the owner says"),
                            ("disputed", "deleted by one, live at another"),
                            ("vanished", "the provider no longer knows it and never said that it was deleted"),
                            ("renamed", "the provider deletes it and lists the same by another identifier"),
                            ("mass", "one of so many deletions that they wait for the operator"),
                            ("offered", "a co-owner of a shared set has a newer version: to be confirmed, or left"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField()),
                ("digest", models.BinaryField(help_text="of the provider's version; none: a deletion", null=True)),
                ("metadata_date", models.DateTimeField(help_text="gmd:dateStamp of the provider's version", null=True)),
                ("raw", models.BinaryField(help_text="the provider's version as received", null=True)),
                ("first_seen", models.DateTimeField()),
                ("last_seen", models.DateTimeField()),
                ("settled", models.DateTimeField(help_text="none: it waits for the operator", null=True)),
                ("settlement", models.TextField(blank=True)),
                (
                    "link",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="conflicts", to="harvester.link"
                    ),
                ),
                (
                    "provenance",
                    models.JSONField(help_text="what is stored with that version when it is taken over", null=True),
                ),
            ],
            options={
                "ordering": ("-first_seen", "-pk"),
                "indexes": [
                    models.Index(condition=Q(("settled", None)), fields=["link", "key"], name="conflicts_that_wait")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("link", "key"), name="one_conflict_of_an_identifier_per_link")
                ],
            },
        ),
        # --- The health of the node ---
        migrations.CreateModel(
            name="Canary",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("last", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "canaries",
                "constraints": [models.CheckConstraint(condition=Q(("id", 1)), name="there_is_one_canary")],
            },
        ),
        migrations.CreateModel(
            name="HostClock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("checked", models.DateTimeField()),
                ("server", models.CharField(blank=True, max_length=255)),
                (
                    "offset_s",
                    models.FloatField(help_text="NTP's time minus this host's; none: no server answered", null=True),
                ),
                ("fault", models.TextField(blank=True)),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=Q(("id", 1)), name="there_is_one_host_clock")],
            },
        ),
    ]
