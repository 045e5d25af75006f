"""Read queries: lists in key order, scopes, search, statistics. Writes nothing; used by oaiprovider, pages, admin and commands."""
