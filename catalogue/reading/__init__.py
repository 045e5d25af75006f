"""Read queries: lists in key order, scopes, search, figures. Writes nothing; used by oaiprovider, pages, admin and commands."""
