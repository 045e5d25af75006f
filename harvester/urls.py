"""Routes of the harvester's pages for everybody."""

from django.urls import path

from harvester import views

app_name = "harvester"
urlpatterns = [
    path("", views.status_page, name="status"),
    path("status.json", views.status_json, name="status_json"),
    path("runs.atom", views.feed, name="feed"),
    path("run/<int:run>/", views.run_page, name="run"),
    path("report/<uuid:key>/", views.report_page, name="report"),
    path("report/<uuid:key>/report.json", views.report_json, name="report_json"),
    path("report/<uuid:key>/rejects.csv", views.report_csv, name="report_csv"),
    path("<slug:name>/", views.link_page, name="link"),
    path("<slug:name>/link.json", views.link_json, name="link_json"),
    path("<slug:name>/runs.atom", views.feed, name="link_feed"),
]
