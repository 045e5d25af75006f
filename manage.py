#!/usr/bin/env python
"""The node's command line. `manage.py help` lists the commands; docs: README.md."""

import sys

from gisc.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv))
