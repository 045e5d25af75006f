"""Metadata formats: those supported now, uploaded stylesheets and the sandbox that runs them. Used within oaiprovider only."""
