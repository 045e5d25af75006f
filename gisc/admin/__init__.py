"""Admin pages of the wiring: accounts, roles and sign-ins, and the audit log. Django imports this package to register them."""

from gisc.admin import accounts, audit

__all__ = ["accounts", "audit"]
