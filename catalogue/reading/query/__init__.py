"""Find live records for people and programs: conditions, pages of hits, counts, facets. Pages and interfaces use `search`."""
