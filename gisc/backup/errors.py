"""What goes wrong in a backup or a restore: the message is what the operator reads, and says what to do.

BackupFailed     no archive was made
NotVerified      the archive is there, but could not be restored into a scratch database
RestoreRefused   nothing was restored, or not everything
"""


class BackupError(Exception):
    """A backup or a restore did not end well."""


class BackupFailed(BackupError):
    """No archive was made; earlier ones are untouched."""


class NotVerified(BackupError):
    """The archive could not be restored into a scratch database, or the copy differs."""


class RestoreRefused(BackupError):
    """The restore did not begin, or did not end; the message says which."""
