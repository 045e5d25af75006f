"""What is administered of the provider; a file for each noun."""

from oaiprovider import admin_crosswalks, admin_profiles  # noqa: F401  (register their pages)
