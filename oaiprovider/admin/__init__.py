"""What is administered of the provider; a file for each noun.

The provider's pages in the admin: profiles and crosswalks. Django loads this package to register them.
"""

from oaiprovider.admin import crosswalks, profiles

__all__ = ["crosswalks", "profiles"]
