"""The harvester's pages in the admin: links, runs, conflicts. Django loads this package to register them."""

from harvester.admin import conflicts, links, runs

__all__ = ["conflicts", "links", "runs"]
