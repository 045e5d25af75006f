"""Routes of the public pages."""

from django.urls import path

from catalogue.pages import views

app_name = "catalogue"
urlpatterns = [
    path("", views.search_page, name="search"),
    path("record", views.record_page, name="record"),
    path("record.xml", views.record_xml, name="record_xml"),
    path("stats.json", views.stats_json, name="stats"),
]
