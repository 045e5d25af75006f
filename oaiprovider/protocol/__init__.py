"""The protocol without database or settings: arguments, errors, tokens, rendering, compression. Used within oaiprovider only."""
