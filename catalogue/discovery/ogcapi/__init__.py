"""OGC API - Records (OGC 20-004r1): the catalogue for programs, at `/ogcapi/`. docs/ogcapi.md says what it conforms to."""
