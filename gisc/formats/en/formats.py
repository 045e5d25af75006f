"""Instants as operators of all countries read them, and logs write them. UTC everywhere."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i:s"
