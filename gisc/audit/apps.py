"""Configuration of the Django app of the audit log."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "gisc.audit"
    label = "audit"
    verbose_name = "audit log"
