"""Note how far the checks have come: what nobody has checked is found without a look at every record."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0024_catalogue_days"),
    ]

    operations = [
        migrations.CreateModel(
            name="CompletedWalk",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("started_at", models.DateTimeField(verbose_name="begun")),
            ],
            options={
                "verbose_name": "completed walk of the checks",
                "verbose_name_plural": "completed walks of the checks",
            },
        ),
        migrations.AddIndex(
            model_name="validation",
            index=models.Index(
                condition=models.Q(("structure", "not checked")), fields=["record"], name="unchecked_records"
            ),
        ),
    ]
