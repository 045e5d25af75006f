"""A full disk is told from a lost connection, whatever says that there is no room."""

import errno
import os

import psycopg2
import pytest
from django.db import DatabaseError, OperationalError, connection

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


@pytest.mark.django_db
def test_an_answer_that_breaks_off_as_the_server_crashes_is_an_outage() -> None:
    """The driver's error has no class and no SQLSTATE, and the connection seems to be there."""
    connection.ensure_connection()
    told = psycopg2.DatabaseError("server closed the connection unexpectedly")
    assert outage.is_outage(told) and outage.is_unanswered(told)
    error = DatabaseError(str(told))
    assert not outage.is_outage(error), "one of Django's own"
    error.__cause__ = told
    assert outage.is_outage(error) and outage.is_unanswered(error)
