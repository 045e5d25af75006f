"""The program of tests/loop/alarm_drills.py: `python -m tests.loop.drill_alarms [NAME...]`."""

import sys

if __name__ == "__main__":
    from tests.loop.drill import set_up

    with set_up():
        from tests.loop import alarm_drills

        sys.exit(alarm_drills.main(sys.argv[1:]))
