"""Operations for migrations that Django lacks."""

from collections.abc import Sequence

from django.db import migrations
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class ChangeTexts(migrations.SeparateDatabaseAndState):
    """Changes names, help texts and choices in Django's state of the models; the database stays as it is.

    After each operation Django makes the classes of the model anew, and of all that refer to it, which takes seconds for
    hundreds of labels. Here they are made once, when an operation that needs them comes.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        super().__init__(state_operations=operations)

    def deconstruct(self) -> tuple[str, Sequence[object], dict[str, object]]:
        return type(self).__name__, [self.state_operations], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)
        super().state_forwards(app_label, state)
