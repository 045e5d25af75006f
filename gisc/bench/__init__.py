"""Benchmarks. May import everything; only `manage.py bench` imports it."""
