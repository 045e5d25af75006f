"""Addresses that Identify may announce: a remote centre must be able to write to them (P54)."""

import re

# P54: globally deliverable, local@domain.tld. Stricter than OAI-PMH.xsd, which wants \S+@(\S+\.)+\S+.
_ADDRESS = re.compile(r"[^@\s:<>,;\"\\]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]+")
_NOT_DELIVERABLE = ("localhost", "localdomain", "local", "invalid")


def is_deliverable(address: str) -> bool:
    """Whether other centres can reach this address, as far as can be told without writing to it."""
    return bool(_ADDRESS.fullmatch(address)) and address.rsplit(".", 1)[-1].lower() not in _NOT_DELIVERABLE
