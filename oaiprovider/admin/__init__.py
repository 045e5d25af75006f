"""The provider's pages in the admin: profiles and crosswalks. Django imports this package to register them."""

from oaiprovider.admin import crosswalks, profiles

__all__ = ["crosswalks", "profiles"]
