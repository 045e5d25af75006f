"""Configuration of the Django app of the audit log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AuditConfig(AppConfig):
    name = "gisc.audit"
    label = "audit"
    verbose_name = _("audit log")
