"""Compress root elements for storage: zstd frames, trained dictionaries. Used by catalogue, and by oaiprovider to send them."""
