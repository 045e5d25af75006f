"""`/oai`, without a trailing slash: a redirect would lose the body of a POST (P1, S30)."""

from django.urls import path

from oaiprovider import views

urlpatterns = [path("", views.oai, name="oai")]
