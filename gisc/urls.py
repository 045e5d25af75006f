"""All routes. No view bodies here."""

from django.contrib import admin
from django.urls import include, path

from gisc.accounts import pages
from gisc.glossary import glossary_page
from gisc.metrics import metrics
from oaiprovider.views import browse, oai, robots

admin.autodiscover()
handler500 = "gisc.error_pages.server_error"
urlpatterns = [
    path("oai", include("oaiprovider.urls")),
    path("oai/", oai),  # not redirected (P1, S30)
    path("oai/browse", browse, name="browse"),
    path("robots.txt", robots),
    path("admin/dashboard/", include("gisc.dashboard.page")),
    path("admin/second-factor/", admin.site.admin_view(pages.settings_page), name="second-factor"),
    path("admin/second-factor/sign-in/", admin.site.admin_view(pages.sign_in), name="second-factor-sign-in"),
    path("admin/", admin.site.urls),
    path("health/", include("gisc.health")),
    path("metrics", metrics),
    path("glossary", glossary_page, name="glossary"),
    path("monitoring/", include("gisc.wis_monitoring.page")),
    path("harvest/badge/", include("gisc.badges")),
    path("harvest/", include("harvester.urls")),
    path("", include("catalogue.urls")),
]
