"""Admin pages of the catalogue. Django imports this package to register them; `base` is for the admin pages of every app."""

from catalogue.admin import claims, journal, quality, records, sets, uploads

__all__ = ["claims", "journal", "quality", "records", "sets", "uploads"]
