"""The command line of an installed node: `gisc`, `python -m gisc`, `pipx run`; the same as manage.py of a checkout."""

import sys

from gisc.cli import main


def run() -> int:
    """Run the command of this process and return the exit status."""
    sys.argv[0] = "gisc"  # else Django would call itself by the name of this file
    return main(sys.argv)


if __name__ == "__main__":
    sys.exit(run())
