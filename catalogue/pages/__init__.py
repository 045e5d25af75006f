"""The public HTML pages of the catalogue, and what shows values to people there and in the admin. Reads only."""
