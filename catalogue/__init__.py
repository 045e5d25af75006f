"""What the node holds: records, sets, datestamps, journal. Used by every other app; imports none of them."""
