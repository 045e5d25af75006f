"""The processes of an embedded node and of a container: start, watch, stop. Used by the command line only."""
