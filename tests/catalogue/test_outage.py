"""A full disk is told from a lost connection, whatever says that there is no room."""

import errno
import os

import psycopg2
import pytest
from django.db import OperationalError

from catalogue import outage


def caused_by(error: Exception) -> OperationalError:
    """What Django makes of an error of the driver."""
    raised = OperationalError(str(error))
    raised.__cause__ = error
    return raised


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_server_that_has_no_room_for_a_connection_says_that_its_disk_is_full(number: int) -> None:
    refused = psycopg2.OperationalError(
        f"connection failed: FATAL:  could not write init file: {os.strerror(number)}\n"
    )
    assert refused.pgcode is None
    assert outage.is_disk_full(caused_by(refused))
    assert outage.is_disk_full(OSError(number, os.strerror(number)))


def test_a_lost_connection_is_no_full_disk() -> None:
    assert not outage.is_disk_full(caused_by(psycopg2.OperationalError("server closed the connection unexpectedly")))
