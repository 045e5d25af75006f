"""Store and read records, sets, datestamps and the journal. Used by every other app; imports none of them."""
