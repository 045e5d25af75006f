"""Admin pages of the catalogue. Django imports this package to register them; `base` is for the admin pages of every app."""

from catalogue.admin import accounts, claims, records, sets

__all__ = ["accounts", "claims", "records", "sets"]
