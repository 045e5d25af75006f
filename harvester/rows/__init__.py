"""The only writers of Run, RemoteHeader, Conflict and of the harvesting state of Link. Used by guards and everything above."""
