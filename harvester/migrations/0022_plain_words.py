"""Change the help of fields: plain words, without the numbers of rules. Only texts; the database stays as it is."""

import django.core.validators
from django.db import migrations, models

from catalogue.migration_operations import ChangeTexts


class Migration(migrations.Migration):
    dependencies = [
        ("harvester", "0021_link_counts"),
    ]

    operations = [
        ChangeTexts(
            state_operations=[
                migrations.AlterField(
                    model_name="link",
                    name="at_once",
                    field=models.PositiveSmallIntegerField(
                        default=4,
                        help_text="1 to 16, where single records are asked for; pages of a list are asked for one by one",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(16),
                        ],
                        verbose_name="GetRecord requests at once",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="content_days",
                    field=models.PositiveSmallIntegerField(
                        choices=[(0, "off"), (7, "weekly"), (28, "monthly")],
                        db_default=28,
                        default=28,
                        help_text="of all records with their content, in slices, one a day or more: finds what the provider has changed without a new datestamp",
                        verbose_name="total re-harvest",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="cycle_days",
                    field=models.PositiveSmallIntegerField(
                        default=28,
                        help_text="in slices, one a day; 7: weekly, 28: monthly, 0: never by schedule",
                        validators=[django.core.validators.MaxValueValidator(366)],
                        verbose_name="compare everything every, days",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="first_asked",
                    field=models.DateTimeField(
                        editable=False, help_text="when that page was asked for, on our clock", null=True
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="first_response",
                    field=models.DateTimeField(
                        editable=False, help_text="responseDate of the first page of the last complete list", null=True
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="identifiers",
                    field=models.CharField(
                        choices=[
                            (
                                "same",
                                "must be the same: a record whose header differs from its gmd:fileIdentifier is rejected",
                            ),
                            (
                                "file",
                                "gmd:fileIdentifier counts: the header has only the provider's own name for the record",
                            ),
                            (
                                "header",
                                "the header counts: it is the OAI identifier here, whatever gmd:fileIdentifier is",
                            ),
                        ],
                        db_default="same",
                        default="same",
                        help_text="“Retrieve info” says what this provider needs. Between GISCs they must be the same",
                        max_length=10,
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="lateness_h",
                    field=models.PositiveIntegerField(
                        db_default=72,
                        default=72,
                        help_text="a record may be listed so long after its datestamp; doubled where one came late",
                        validators=[django.core.validators.MaxValueValidator(8784)],
                        verbose_name="provider's lateness, hours",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="moved_to",
                    field=models.CharField(
                        blank=True,
                        editable=False,
                        help_text="where the provider's permanent redirect leads, until a person accepts it",
                        max_length=500,
                        verbose_name="has moved to",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="newest",
                    field=models.DateTimeField(
                        editable=False,
                        help_text="largest datestamp of the last complete list that was not empty",
                        null=True,
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="overlap_s",
                    field=models.PositiveIntegerField(
                        default=60,
                        help_text="asked for again before the last harvest's end",
                        verbose_name="overlap, seconds",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="relisted_to",
                    field=models.DateTimeField(
                        editable=False, help_text="what is stamped up to here was listed twice", null=True
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="return_after_h",
                    field=models.PositiveSmallIntegerField(
                        default=0,
                        help_text="of answering without a break, while another one serves the link; 0: only by hand",
                        verbose_name="return to its own provider after, hours",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="set_state",
                    field=models.CharField(
                        blank=True,
                        choices=[
                            ("listed", "the provider lists it"),
                            ("missing", "the provider lists other sets and not this one"),
                            ("no sets", "the provider says that it has no sets"),
                            ("unlisted", "the provider does not list it, and gives records of it"),
                            ("not told", "the provider could not be asked for its sets"),
                        ],
                        editable=False,
                        help_text="as last looked",
                        max_length=10,
                        verbose_name="remote set",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="skew_s",
                    field=models.FloatField(
                        editable=False,
                        help_text="the provider's clock minus ours",
                        null=True,
                        verbose_name="clock skew, seconds",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="strategy",
                    field=models.CharField(
                        choices=[
                            ("records", "ListRecords: whole records, page by page"),
                            ("identifiers", "ListIdentifiers, then GetRecord for what is new or changed"),
                        ],
                        default="records",
                        help_text="both bring the same",
                        max_length=12,
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="switch_after_h",
                    field=models.PositiveSmallIntegerField(
                        default=0,
                        help_text="of failing without a break; 0: only by hand",
                        verbose_name="turn to the next provider after, hours",
                    ),
                ),
                migrations.AlterField(
                    model_name="link",
                    name="tombstone_days",
                    field=models.PositiveIntegerField(
                        default=90,
                        help_text="if it keeps them for a while only: after a longer silence everything is compared",
                        verbose_name="provider keeps deletions, days",
                    ),
                ),
                migrations.AlterField(
                    model_name="remoteheader",
                    name="key",
                    field=models.TextField(db_collation="C", help_text="the OAI identifier of this node for it"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="asked_before",
                    field=models.DateTimeField(
                        help_text="what is stamped before this was in a list before, or came late; none: not known",
                        null=True,
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="came_late",
                    field=models.PositiveIntegerField(
                        db_default=0, default=0, help_text="stamped within what a list before should have had"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="explained",
                    field=models.PositiveIntegerField(
                        db_default=0, default=0, help_text="of what the list before announced and did not list"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="first_asked",
                    field=models.DateTimeField(help_text="when that page was asked for, on our clock", null=True),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="first_response",
                    field=models.DateTimeField(help_text="responseDate of the list's first page", null=True),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="is_promised",
                    field=models.BooleanField(
                        db_default=False, default=False, help_text="Identify names this software and promise 1"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="list_size",
                    field=models.PositiveIntegerField(help_text="completeListSize as the provider gives it", null=True),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="list_until",
                    field=models.DateTimeField(
                        help_text="upper bound; none, but for slices", null=True, verbose_name="until"
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="marked_token",
                    field=models.TextField(blank=True, help_text="a token given before: to see it again is a loop"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="sealed_cookies",
                    field=models.TextField(blank=True, help_text="what the provider set in this run"),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="skipped_from",
                    field=models.DateTimeField(
                        help_text="begin of the window before `from` whose headers were counted and not listed",
                        null=True,
                    ),
                ),
                migrations.AlterField(
                    model_name="run",
                    name="stepped_back_s",
                    field=models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        help_text="seconds by which the provider's clock was set back before this list",
                    ),
                ),
            ]
        )
    ]
