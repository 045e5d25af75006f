"""No process of the node outlives its parent: the kernel is asked for a signal at the parent's death.

Linux only; elsewhere a node that is killed leaves its children to the operator. Imports neither Django nor an app.
"""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


def die_with_parent(parent: int, number: int) -> None:
    """Have this process get signal `number` when `parent` dies; it survives exec. Exits if that has happened already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)
