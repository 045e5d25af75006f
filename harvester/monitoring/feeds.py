"""Write the last runs of a link, or of all links, as an Atom feed."""

from collections.abc import Iterable

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _

from catalogue import seams
from harvester.models import Link, Run
from harvester.monitoring import status

ENTRIES = 50  # of a feed


def runs_feed(links: QuerySet[Link], link: Link | None = None) -> str:
    """Return the feed of the runs of these links, or of one, that have ended, the newest first."""
    runs = Run.objects.select_related("link").defer("token").order_by("-begun", "-pk")
    runs = runs.filter(link__in=links) if link is None else runs.filter(link=link)
    of = settings.GISC_REPOSITORY_NAME if link is None else link.name
    page = reverse("harvester:status") if link is None else reverse("harvester:link", args=[link.name])
    own = reverse("harvester:feed") if link is None else reverse("harvester:link_feed", args=[link.name])
    feed = Atom1Feed(
        title=_("Harvests of %(name)s") % {"name": of},
        link=f"{settings.GISC_BASE_URL}{page}",
        feed_url=f"{settings.GISC_BASE_URL}{own}",
        description=None,
    )
    _add(feed, (run for run in runs[:ENTRIES] if not run.is_open))
    return str(feed.writeString("utf-8"))


def _add(feed: Atom1Feed, runs: Iterable[Run]) -> None:
    for run in runs:
        state = status.describe_run_state(run)
        counts = {_("new"): run.new, _("changed"): run.updated, _("deleted"): run.deleted, _("rejected"): run.rejected}
        words = ", ".join([state.word, *(f"{number} {name}" for name, number in counts.items() if number)])
        address = f"{settings.GISC_BASE_URL}{reverse('harvester:link', args=[run.link.name])}"
        feed.add_item(
            title=f"{run.link.name}: {run.get_purpose_display()}: {words}",
            link=f"{address}?run={run.pk}#run-{run.pk}",
            unique_id=f"{address}#run-{run.pk}",
            description=f"{words}. {run.message}".strip(),
            pubdate=run.begun,
            updateddate=run.finished or seams.now(),
        )
