"""What people and programs find the catalogue by: public pages, feeds, site maps, OGC API - Records. Reads only; nothing below imports it."""
