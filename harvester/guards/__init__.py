"""Checks that stop a provider's mistake from becoming ours; used by runs and admin."""
