"""Back up a node into one archive file, and restore it from one: database, journal and settings together.

`backup` makes an archive, `restore` brings a node back; `schedule` says when the next backup is due and how old the last
one is. Used by two commands, the node's supervisor, health and metrics.
"""

from gisc.backup.errors import BackupFailed, RestoreRefused

__all__ = ["BackupFailed", "RestoreRefused"]
