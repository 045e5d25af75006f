"""Operations for migrations that Django lacks."""

from django.db import migrations
from django.db.migrations.state import ProjectState


class ChangeTexts(migrations.SeparateDatabaseAndState):
    """Changes names, help texts and choices in Django's state of the models (`state_operations`); the database stays as it is.

    After each operation Django makes the classes of the model anew, and of all that refer to it, which takes seconds for
    hundreds of labels. Here they are made once, when an operation that needs them comes.
    """

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)
        super().state_forwards(app_label, state)
