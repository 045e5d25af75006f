"""The page "Add a link", which grows with its answers. Used by the pages of links alone."""
