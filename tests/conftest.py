"""What all tests share. The servers come from tests/servers.py, the cast and its builders from tests/world.py."""
