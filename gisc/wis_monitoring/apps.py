"""Configuration of the Django app."""

from django.apps import AppConfig


class WisMonitoringConfig(AppConfig):
    name = "gisc.wis_monitoring"
    label = "wis_monitoring"
    verbose_name = "WIS monitoring"
