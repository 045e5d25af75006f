"""The operations of migrations that are our own."""

from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

from catalogue.migration_operations import ChangeTexts


def test_models_that_were_made_before_a_change_of_texts_are_made_anew_after_it() -> None:
    state = MigrationLoader(None).project_state()
    before = state.apps.get_model("catalogue", "FailingChore")

    change = ChangeTexts([migrations.AlterField("failingchore", "fault", models.TextField(verbose_name="what failed"))])
    change.state_forwards("catalogue", state)

    after = state.apps.get_model("catalogue", "FailingChore")
    assert before._meta.get_field("fault").verbose_name == "fault"
    assert after._meta.get_field("fault").verbose_name == "what failed"
