"""Configuration of the Django app."""

from django.apps import AppConfig


class DiscoveryConfig(AppConfig):
    name = "catalogue.discovery"
    label = "discovery"
