"""Routes of the public pages."""

from django.urls import path

from catalogue.discovery import outputs, site_map, views
from catalogue.discovery.csw.views import csw
from catalogue.discovery.dcat import views as dcat
from catalogue.discovery.ogcapi import views as ogcapi
from catalogue.discovery.sru.views import sru

app_name = "catalogue"
urlpatterns = [
    path("", views.search_page, name="search"),
    path("record", views.record_page, name="record"),
    path("contacts", views.contacts_page, name="contacts"),
    path("record.xml", views.record_xml, name="record_xml"),
    path("stats.json", views.stats_json, name="stats"),
    path("feed.atom", outputs.feed, name="feed"),
    path("search.<slug:form>", outputs.export, name="export"),
    path("opensearch.xml", outputs.opensearch, name="opensearch"),
    path("sitemap.xml", site_map.index, name="site_map"),
    path("sitemap-<int:number>.xml", site_map.part, name="site_map_part"),
    path("sru", sru, name="sru"),
    path("csw", csw, name="csw"),
    path("dcat/", dcat.catalog_page, name="dcat"),
    path("dcat/catalog.<slug:form>", dcat.catalog_page, name="dcat_catalog"),
    path("dcat/dataset.<slug:form>", dcat.dataset_page, name="dcat_dataset"),
    path("ogcapi/", ogcapi.landing, name="ogcapi"),
    path("ogcapi/conformance", ogcapi.conformance, name="ogcapi_conformance"),
    path("ogcapi/openapi", ogcapi.openapi_document, name="ogcapi_openapi"),
    path("ogcapi/collections", ogcapi.collections, name="ogcapi_collections"),
    path("ogcapi/collections/<str:spec>", ogcapi.collection, name="ogcapi_collection"),
    path("ogcapi/collections/<str:spec>/queryables", ogcapi.queryables, name="ogcapi_queryables"),
    path("ogcapi/collections/<str:spec>/sortables", ogcapi.sortables, name="ogcapi_sortables"),
    path("ogcapi/collections/<str:spec>/facets", ogcapi.facets, name="ogcapi_facets"),
    path("ogcapi/collections/<str:spec>/items", ogcapi.items, name="ogcapi_items"),
    path("ogcapi/collections/<str:spec>/items/<path:identifier>", ogcapi.item, name="ogcapi_item"),
    path("ogcapi/<path:path>", ogcapi.nowhere, name="ogcapi_nowhere"),
]
