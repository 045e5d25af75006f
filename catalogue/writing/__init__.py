"""Write records, memberships, claims and datestamps; nothing else writes them. Used by bulk loads, replay, the harvester, commands and the admin."""
