"""Configuration of the Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WisMonitoringConfig(AppConfig):
    name = "gisc.wis_monitoring"
    label = "wis_monitoring"
    verbose_name = _("WIS monitoring")
