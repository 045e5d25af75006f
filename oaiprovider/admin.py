"""What is administered of the provider; a file for each noun."""

from oaiprovider import admin_profiles  # noqa: F401  (registers its pages)
