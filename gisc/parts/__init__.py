"""The parts of the node, each with its state: one list for health, metrics, administration and public pages."""
