"""A harvest run from its start to its end: pages drawn, prepared and stored, records asked for, comparisons. Used by links, tasks and commands."""
