"""Three nodes on this machine that harvest one another. May import everything; only `manage.py demo` imports it."""
