"""How root elements are stored: zstd frames, trained dictionaries. Used by catalogue, and by oaiprovider to send them."""
