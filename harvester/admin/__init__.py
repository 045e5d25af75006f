"""The harvester's pages in the admin: links, runs, conflicts, centres. Django loads this package to register them."""

from harvester.admin import centres, conflicts, links, runs

__all__ = ["centres", "conflicts", "links", "runs"]
