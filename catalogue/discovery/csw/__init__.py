"""CSW 2.0.2 at `/csw`: requests are read here, over the query layer; pycsw writes the answers. Only `catalogue.urls` and `gisc` use it."""
