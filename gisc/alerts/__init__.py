"""Alerts: who is told what, once when a problem begins and once when it is over, by an outbox in the database."""
