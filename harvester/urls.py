"""Routes of the harvester's pages for people."""

from django.urls import path

from harvester import views

app_name = "harvester"
urlpatterns = [
    path("", views.status_page, name="status"),
    path("status.json", views.status_json, name="status_json"),
]
