"""The state of links for people, monitors and Prometheus. Reads only; used by views, admin and commands."""
