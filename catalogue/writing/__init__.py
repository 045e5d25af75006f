"""The only writers of records, memberships, claims and datestamps. Used by bulk loads, replay, the harvester, commands and the admin."""
