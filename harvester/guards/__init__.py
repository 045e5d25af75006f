"""Checks that stop a provider's mistake from becoming ours: refusals, mass deletions, contradictions, backups. Used by runs and admin."""
