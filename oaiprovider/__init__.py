"""OAI-PMH 2.0 as this node serves it. Imports catalogue; never harvester. Only gisc imports it."""
