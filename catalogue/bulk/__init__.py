"""Many documents at once: ingest, and the processes that read documents. Used by commands, uploads and the harvester."""
