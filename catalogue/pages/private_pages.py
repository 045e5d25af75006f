"""Which pages are not for everybody on this node: operators may choose so (`GISC_PRIVATE_PAGES`). `gisc.private_pages` says who reads them."""

from django.conf import settings

METRICS, HARVEST, HEALTH = "metrics", "harvest", "health"
# Where they begin, and what stays open below: a probe learns nothing from `ok`, and who has the address of a report was given it.
PLACES = {METRICS: "/metrics", HARVEST: "/harvest/", HEALTH: "/health/"}
_OPEN = ("/health/live", "/harvest/report/")


def is_private(name: str) -> bool:
    """Whether these pages are not for everybody."""
    return name in settings.GISC_PRIVATE_PAGES


def is_private_path(path: str) -> bool:
    """Whether the page at this path is not for everybody."""
    return any(path.startswith(PLACES[name]) for name in settings.GISC_PRIVATE_PAGES) and not path.startswith(_OPEN)
