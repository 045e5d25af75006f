"""A process that is killed while it sends, and between begin and end: one double at most, and nothing is lost."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from django.db import connection

from gisc.alerts import outbox, watch
from gisc.alerts.models import Message, Recipient
from gisc.problems import Problem
from tests.gisc.alerts.conftest import MINUTE, NOON
from tests.support.mail import MailServer
from tests.support.paths import ROOT

# Sends as the worker does, with the database and the mail server of the test.
SENDER = """
import sys, django
from django.conf import settings
django.setup()
settings.DATABASES["default"]["NAME"] = sys.argv[1]
settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", int(sys.argv[2]), False
from gisc.alerts import outbox
outbox.send_due()
"""


def send_in_a_process(mails: MailServer, *, killed: bool) -> None:
    database = connection.settings_dict["NAME"]
    process = subprocess.Popen(
        [sys.executable, "-c", SENDER, str(database), str(mails.port)],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "gisc.settings", "GISC_BASE_URL": "https://gisc.example.org"},
        stderr=subprocess.PIPE,
    )
    mails.after_taking = process.kill if killed else lambda: None
    _, said = process.communicate(timeout=120)
    assert process.returncode == (-9 if killed else 0), said.decode()


@pytest.mark.django_db(transaction=True)
def test_kill_9_while_it_sends_and_between_begin_and_end(
    mails: MailServer, anna: Recipient, make: Callable[..., Problem]
) -> None:
    watch.compare([make()], NOON)
    watch.compare([make()], NOON + 3 * MINUTE)
    send_in_a_process(mails, killed=True)
    message = Message.objects.get()
    assert len(mails.mails) == 1 and message.sent is None and message.leased_until is not None
    send_in_a_process(mails, killed=False)
    assert len(mails.mails) == 1  # nobody knows yet that the first one died
    Message.objects.update(leased_until=NOON)
    send_in_a_process(mails, killed=False)
    assert len(mails.mails) == 2 and mails.mails[0]["Message-ID"] == mails.mails[1]["Message-ID"]
    assert Message.objects.get().sent is not None
    for minute in (4, 30, 31):  # by other processes, which know of the begin by the database alone
        watch.compare([], NOON + minute * MINUTE)
        send_in_a_process(mails, killed=False)
    assert [("over" in title) for title in mails.titles] == [False, False, True]
    assert outbox.send_due() == 0
