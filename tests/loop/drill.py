"""The program of tests/loop/drills.py: `python -m tests.loop.drill [NAME...]`."""

import os
import sys
import tempfile

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"GISC_DATA_DIR": folder, "GISC_JOURNAL_DIR": f"{folder}/journal"}
        django.setup()
        from tests.loop import drills

        drills.main(sys.argv[1:])
