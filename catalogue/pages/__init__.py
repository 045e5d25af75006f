"""Public HTML pages of the catalogue, and the formatting of values for these pages and the admin. Reads only."""
