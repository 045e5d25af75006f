"""The catalogue as GeoDCAT-AP at `/dcat/`, for portals of open data. Only `catalogue.urls` uses it."""
