"""Let a profile see records of categories that not everybody sees."""

from django.db import migrations, models

from catalogue.migration_operations import LockTables


class Migration(migrations.Migration):
    dependencies = [
        ("catalogue", "0015_visibility"),
        ("oaiprovider", "0003_plain_words"),
    ]

    operations = [
        LockTables(readable=("catalogue_category", "oaiprovider_profile")),
        migrations.AddField(
            model_name="profile",
            name="categories",
            field=models.ManyToManyField(
                blank=True,
                help_text="records of these categories, which not everybody sees. Anybody can send a User-Agent, so networks are needed",
                related_name="profiles",
                to="catalogue.category",
                verbose_name="also sees",
            ),
        ),
        migrations.AlterField(
            model_name="profile",
            name="everything",
            field=models.BooleanField(
                default=True,
                help_text="every listed set and every record that everybody sees; else the sets chosen below and the records in them, and nothing else",
                verbose_name="shows everything",
            ),
        ),
    ]
