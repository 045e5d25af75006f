"""Store many documents at once: ingest, and the pool of processes that parses. Used by commands, uploads and the harvester."""
