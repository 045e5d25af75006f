"""Answers of providers turned into entries, and questions put to them. Writes nothing; used by guards, runs, links and admin."""
