"""Configuration of the Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AlertsConfig(AppConfig):
    name = "gisc.alerts"
    label = "alerts"
    verbose_name = _("Alerts")
