"""SRU 1.1 and 1.2 (TechSpec-8) at `/sru`, over the query layer. Only `catalogue.urls` and `gisc` use it."""
