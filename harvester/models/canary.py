"""The last tick that went all the way."""

from django.db import models
from django.db.models import Q


class Canary(models.Model):
    """When the last tick went all the way from beat through broker and worker to the database; one row."""

    last = models.DateTimeField()

    class Meta:
        verbose_name_plural = "canaries"
        constraints = (models.CheckConstraint(name="there_is_one_canary", condition=Q(id=1)),)

    def __str__(self) -> str:
        return f"{self.last:%Y-%m-%d %H:%M:%S}"
