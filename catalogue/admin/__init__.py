"""The catalogue's pages in the admin. Django loads this package to register them; `base` is for the admin pages of every app."""

from catalogue.admin import accounts, claims, records, sets

__all__ = ["accounts", "claims", "records", "sets"]
