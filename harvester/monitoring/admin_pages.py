"""The pages of the administration where what waits for an operator is done, for those who name them without loading the administration."""

from django.urls import reverse

from harvester.models import Link
from harvester.monitoring import status


def page_url(link: Link, page: str) -> str:
    """Return the URL of the page of a `status.Todo`."""
    run = status.last_run(link)
    if page == status.CONFLICTS:
        return f"{reverse('admin:harvester_conflict_changelist')}?link__id__exact={link.pk}&state=waits"
    if page == status.REJECTS:
        return f"{reverse('admin:harvester_link_change', args=[link.pk])}#rejects"
    if page == status.RUN and run is not None:
        return reverse("admin:harvester_run_change", args=[run.pk])
    return reverse("admin:harvester_link_change", args=[link.pk])
