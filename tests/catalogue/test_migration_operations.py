"""The operations of migrations that are our own."""

from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

from catalogue.migration_operations import ChangeTexts


def test_models_that_were_made_before_a_change_of_texts_are_made_anew_after_it() -> None:
    state = MigrationLoader(None).project_state()
    before = state.apps.get_model("catalogue", "FailingChore")

    text = migrations.AlterField("failingchore", "fault", models.TextField(verbose_name="what failed"))
    ChangeTexts(state_operations=[text]).state_forwards("catalogue", state)

    assert "apps" not in vars(state), "no models were made in between"
    after = state.apps.get_model("catalogue", "FailingChore")
    assert before._meta.get_field("fault").verbose_name == "fault"
    assert after._meta.get_field("fault").verbose_name == "what failed"
