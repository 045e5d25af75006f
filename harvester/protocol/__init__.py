"""Requests to providers, and the parsing of their answers. Writes nothing; used by guards, runs, links and admin."""
