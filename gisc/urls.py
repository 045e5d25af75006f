"""All routes. No view bodies here."""

from django.contrib import admin
from django.urls import include, path

from gisc.metrics import metrics
from oaiprovider.views import browse, oai, robots

handler500 = "gisc.error_pages.server_error"
urlpatterns = [
    path("oai", include("oaiprovider.urls")),
    path("oai/", oai),  # not redirected (P1, S30)
    path("oai/browse", browse, name="browse"),
    path("robots.txt", robots),
    path("admin/", admin.site.urls),
    path("health/", include("gisc.health")),
    path("metrics", metrics),
    path("harvest/", include("harvester.urls")),
    path("", include("catalogue.urls")),
]
