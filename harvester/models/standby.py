"""Providers that a link has turned away from."""

from django.db import models

from harvester.models.alternative import Alternative
from harvester.models.link import Link


class Standby(models.Model):
    """A provider that served a link and does not now: how far the link had come with it, and whether it answers.

    The place is on this provider's clock and is used for no other one (W13, W32).
    """

    link = models.ForeignKey(Link, on_delete=models.CASCADE, related_name="standbys", db_index=False)
    alternative = models.ForeignKey(
        Alternative, on_delete=models.CASCADE, null=True, related_name="+", help_text="none: the link's own provider"
    )
    harvested_to = models.DateTimeField(null=True)
    first_response = models.DateTimeField(null=True)
    newest = models.DateTimeField(null=True)
    granularity = models.CharField(max_length=20, blank=True)
    deleted_record = models.CharField(max_length=20, blank=True)
    left = models.DateTimeField(help_text="when the link turned away from it, on our clock")
    next_probe = models.DateTimeField(null=True, help_text="when it is asked again whether it answers")
    probed = models.DateTimeField(null=True, help_text="when it last answered, or did not")
    answers_since = models.DateTimeField(null=True, help_text="none: it did not answer when last asked")
    fault = models.TextField(blank=True, help_text="why it did not")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("link", "alternative"), nulls_distinct=False, name="one_standby_of_a_provider_per_link"
            ),
        )

    def __str__(self) -> str:
        return str(self.alternative or "the link's own provider")
