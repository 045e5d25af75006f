"""Which accounts of the host may read what the processes of the node write: their own, and for some files their group."""

import os

# The group may read: a backup program of the host takes the journal so. What only the node may read has a mode of its own (0600, 0700).
_UMASK = 0o027


def keep_from_strangers() -> None:
    """Give no right to other accounts in what this process and its children create from now on."""
    os.umask(os.umask(_UMASK) | _UMASK)
