"""A whole node tells that a part has failed, and that it is over, though what failed is what would send the alert."""

from pathlib import Path

import psutil

from tests.support.mail import mail_server
from tests.support.nodes import Node, free_port, manage
from tests.support.waiting import until

RECIPIENT = (
    "from gisc.alerts.models import Recipient;"
    "Recipient.objects.create(name='Anna', email='anna@example.org', least_severity='urgent')"
)


def test_a_redis_that_hangs_is_told_once_when_it_begins_and_once_when_it_is_over(tmp_path: Path) -> None:
    with mail_server() as mails:
        settings = {
            "GISC_NAME": "WIS-GISC-TOKYO",
            "GISC_BEAT_SECONDS": "2",
            "GISC_ALERT_SETTLE_SECONDS": "10",
            "GISC_ALERT_OVER_SECONDS": "10",
            "GISC_SMTP_HOST": "127.0.0.1",
            "GISC_SMTP_PORT": str(mails.port),
            "GISC_SMTP_SECURITY": "none",
            "GISC_JOURNAL_DIR": str(tmp_path / "journal"),
        }
        node = Node(tmp_path / "var", free_port(), **settings)
        try:
            node.ready()
            done = manage("shell", "-c", RECIPIENT, **settings, GISC_DATA_DIR=str(node.data_dir))
            assert done.returncode == 0, done.stderr
            server = psutil.Process(node.pid_of("redis"))
            server.suspend()
            begun = "[WIS-GISC-TOKYO] failing: Redis"
            until(lambda: begun in mails.titles, timeout_s=120, what=lambda: f"Redis is told of: {mails.titles}")
            server.resume()
            over = "[WIS-GISC-TOKYO] over: Redis (failing)"
            until(lambda: over in mails.titles, timeout_s=120, what=lambda: f"its end is told of: {mails.titles}")
            assert mails.titles == [begun, over]
        finally:
            node.close()
