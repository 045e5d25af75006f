"""Alerts: once when a problem begins and once when it is over, whatever happens in between."""

import logging
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction

from gisc.alerts import channels, outbox, watch, weekly
from gisc.alerts import tick as chores
from gisc.alerts.models import Condition, Message, Recipient
from gisc.alerts.outbox import OutboxLimits
from gisc.problem_reasons import ProblemCode
from gisc.problems import Problem, Severity, State, find_problems
from harvester.models import Link
from tests.gisc.alerts.conftest import MINUTE, NOON, SECRET, WebService
from tests.support.commands import printed
from tests.support.mail import MailServer

pytestmark = pytest.mark.django_db
Make = Callable[..., Problem]


def go_on(*problems: Problem, minutes: float) -> None:
    """Compare, so many minutes after noon."""
    watch.compare(problems, NOON + minutes * MINUTE)


def test_each_problem_is_told_once_when_it_begins_and_once_when_it_is_over(
    make: Make, anna: Recipient, pager: Recipient, mails: MailServer, service: WebService
) -> None:
    for minute in range(6):
        go_on(make(), minutes=minute)
        outbox.send_due()
    assert mails.titles == service.titles == ["[WIS-GISC-TOKYO] failing: toulouse"]
    body = mails.mails[0].get_content()
    assert "toulouse: failing since 2026-03-02 12:00 UTC." in body and "The provider does not answer." in body
    assert "What to do: Call them." in body
    assert "https://gisc.example.org/admin/harvester/link/12/change/" in body
    assert mails.mails[0]["Auto-Submitted"] == "auto-generated" and mails.mails[0]["To"] == "anna@example.org"
    for minute in range(6, 30):
        go_on(minutes=minute)
        outbox.send_due()
    assert mails.titles[1:] == service.titles[1:] == ["[WIS-GISC-TOKYO] over: toulouse (failing)"]
    assert "over since 2026-03-02 12:06 UTC" in mails.mails[1].get_content()
    assert not Message.objects.filter(sent=None).exists()


def test_what_follows_from_another_problem_is_told_when_that_is_over_and_it_is_not(make: Make, anna: Recipient) -> None:
    cause = make(ProblemCode.PART_WORKERS, link=1)
    for minute in range(10):
        go_on(cause, make(link=2, follows=True), minutes=minute)
    assert [message.condition.code for message in Message.objects.all()] == ["part-workers"]
    go_on(make(link=2), minutes=10)
    go_on(make(link=2), minutes=11)
    assert Message.objects.count() == 1, "it may go with its cause"
    go_on(make(link=2), minutes=12)
    assert Message.objects.filter(condition__subject="link:2", kind="begin").count() == 1


def test_what_was_told_before_another_problem_became_its_cause_is_not_over_by_that(make: Make, anna: Recipient) -> None:
    for minute in range(3):
        go_on(make(link=2), minutes=minute)
    for minute in range(3, 60):
        go_on(make(link=2, follows=True), minutes=minute)
    assert [message.kind for message in Message.objects.all()] == ["begin"]


def test_what_comes_and_goes_is_one_problem_and_what_lasts_a_moment_is_none(make: Make, anna: Recipient) -> None:
    go_on(make(link=1), minutes=0)
    go_on(minutes=1)
    for minute in range(0, 60, 6):  # away for six minutes, there for six
        go_on(make(), minutes=minute)
        go_on(make(), minutes=minute + 3)
        go_on(minutes=minute + 5)
    assert [message.kind for message in Message.objects.all()] == ["begin"]
    assert Condition.objects.filter(subject="link:1").get().ended is not None


def test_a_problem_that_comes_back_all_day_must_be_away_for_longer_each_time(make: Make, anna: Recipient) -> None:
    minute, lasted = 0.0, []
    for _ in range(4):
        go_on(make(), minutes=minute)
        go_on(make(), minutes=minute + 3)
        gone = minute = minute + 4
        while Condition.objects.filter(ended=None).exists():
            go_on(minutes=minute)
            minute += 1
        lasted.append(round(minute - gone))
    assert lasted == [16, 31, 61, 121]


def test_nothing_is_sent_before_the_commit_and_nothing_of_what_was_rolled_back(
    make: Make, anna: Recipient, mails: MailServer
) -> None:
    go_on(make(), minutes=0)
    with transaction.atomic():
        go_on(make(), minutes=3)
        assert Message.objects.count() == 1
        transaction.set_rollback(True)
    assert Message.objects.count() == 0
    assert outbox.send_due() == 0 and mails.asked == 0


def test_two_watchers_tell_it_once(make: Make, anna: Recipient) -> None:
    go_on(make(), minutes=0)
    for _ in range(2):
        go_on(make(), minutes=3)
    assert Message.objects.count() == 1
    row = Message.objects.get()
    row.pk = None
    with pytest.raises(Exception, match="one_alert_of_a_kind"), transaction.atomic():
        row.save()


# --- Who is told what ------------------------------------------------------------------------------------


def told(name: str) -> list[str]:
    rows = Message.objects.filter(recipient__name=name, kind=Message.Kind.BEGIN).order_by("pk")
    return [f"{row.condition.code} {row.condition.subject}" for row in rows]


def test_each_recipient_is_told_what_was_chosen(make: Make, link: Link, db: None) -> None:
    Recipient.objects.create(name="all", email="a@example.org", least_severity=Severity.NOTICE)
    Recipient.objects.create(name="urgent", email="b@example.org", least_severity=Severity.URGENT)
    Recipient.objects.create(name="codes", email="c@example.org", codes=["drift"])
    Recipient.objects.create(name="links", email="d@example.org", node=False).links.add(link)
    Recipient.objects.create(name="off", email="e@example.org", enabled=False)
    disk = make(ProblemCode.PART_DISK, severity=Severity.URGENT)
    rest = [
        make(link=link.pk),
        make(ProblemCode.DRIFT, link=link.pk + 1),
        make(ProblemCode.REJECTS, link=link.pk, severity=Severity.NOTICE),
        make(ProblemCode.DOUBT, link=link.pk, is_muted=True),
    ]
    go_on(disk, *rest, minutes=0)
    go_on(disk, *rest, minutes=3)
    ours, other = f"link:{link.pk}", f"link:{link.pk + 1}"
    assert told("all") == ["part-disk part:disk", f"link-failed {ours}", f"drift {other}", f"rejects {ours}"]
    assert told("urgent") == ["part-disk part:disk"]
    assert told("codes") == [f"drift {other}"]
    assert told("links") == [f"link-failed {ours}"]
    assert told("off") == []
    go_on(disk, make(link=link.pk, severity=Severity.URGENT), minutes=4)
    assert told("urgent") == ["part-disk part:disk", f"link-failed {ours}"]
    assert told("links") == [f"link-failed {ours}"]
    go_on(disk, make(ProblemCode.DOUBT, link=link.pk), minutes=5)
    assert told("links") == [f"link-failed {ours}", f"doubt {ours}"]


def test_many_problems_at_once_are_one_mail(make: Make, anna: Recipient, mails: MailServer) -> None:
    many = [make(link=number, name=f"link-{number}") for number in range(40)]
    go_on(*many, minutes=0)
    go_on(*many, minutes=3)
    assert outbox.send_due() == 40
    assert mails.titles == [f"[WIS-GISC-TOKYO] problems that begin: {number}, over: 0" for number in (30, 10)]
    assert sum(mail.get_content().count("The provider does not answer.") for mail in mails.mails) == 40


# --- What fails is tried again ---------------------------------------------------------------------------


def make_due() -> None:
    Message.objects.update(not_before=NOON, leased_until=None)


def test_what_cannot_be_sent_is_tried_again_with_growing_waits_and_becomes_a_problem(
    make: Make, anna: Recipient, mails: MailServer
) -> None:
    mails.refuses = "451 try later"
    go_on(make(), minutes=0)
    go_on(make(), minutes=3)
    waits = []
    for _ in range(5):
        assert outbox.send_due() == 0
        message = Message.objects.get()
        waits.append(message.not_before)
        assert "451" in message.fault
        assert outbox.send_due() == 0  # not yet again
        make_due()
    assert mails.asked == 5
    found = [each for each in find_problems() if each.code == ProblemCode.ALERT_NOT_SENT]
    assert [(each.name, each.state) for each in found] == [("Anna", State.FAILING)] and "451" in found[0].text
    assert found[0].url.startswith("/admin/alerts/message/?state=failed")
    go_on(make(), *found, minutes=5)
    go_on(make(), *found, minutes=9)
    assert Message.objects.count() == 1  # Anna is not told by what does not reach her
    mails.refuses = ""
    assert outbox.send_due() == 1 and len(mails.mails) == 1
    assert not [each for each in find_problems() if each.code == ProblemCode.ALERT_NOT_SENT]


def test_the_end_of_a_problem_does_not_overtake_its_begin(make: Make, anna: Recipient, mails: MailServer) -> None:
    mails.refuses = "451 try later"
    go_on(make(), minutes=0)
    go_on(make(), minutes=3)
    outbox.send_due()
    go_on(minutes=4)
    go_on(minutes=30)
    mails.refuses = ""
    assert outbox.send_due() == 0
    make_due()
    assert outbox.send_due() == 2
    assert ["over" in title for title in mails.titles] == [False, True]


def test_a_recipient_who_cannot_be_reached_keeps_nobody_else_from_being_told(
    make: Make, anna: Recipient, pager: Recipient, mails: MailServer, service: WebService
) -> None:
    mails.refuses = "550 no"
    go_on(make(), minutes=0)
    go_on(make(), minutes=3)
    assert outbox.send_due() == 1 and len(service.got) == 1


def test_a_process_that_died_while_it_sent_leaves_one_double_at_most_with_the_same_message_id(
    make: Make, anna: Recipient, mails: MailServer
) -> None:
    go_on(make(link=1), make(link=2), minutes=0)
    go_on(make(link=1), make(link=2), minutes=3)
    (taken,) = {message.batch for message in outbox._take(NOON + 4 * MINUTE, OutboxLimits())}
    channels.send(anna, channels.Text("sent, and then killed", "x"), batch=taken)
    go_on(make(link=1), make(link=2), make(link=3), minutes=5)
    go_on(make(link=1), make(link=2), make(link=3), minutes=9)
    assert outbox._take(NOON + 5 * MINUTE, OutboxLimits()) == []  # the lease holds, and what is new waits behind it
    Message.objects.update(leased_until=NOON)
    assert outbox.send_due() == 3
    ids = [mail["Message-ID"] for mail in mails.mails]
    assert ids[:2] == [f"<{taken}@gisc.example.org>"] * 2 and ids[2] != ids[0]
    assert len(mails.mails) == 3


# --- Secrets ------------------------------------------------------------------------------------------------


def test_the_address_of_a_service_is_in_no_log_no_error_and_no_row(
    make: Make, pager: Recipient, service: WebService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    service.status = 403
    fault = outbox.send_test(pager)
    assert "403" in fault and "JSON" in fault
    go_on(make(), minutes=0)
    go_on(make(), minutes=3)
    outbox.send_due()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(r::text, ' ') || (SELECT string_agg(m::text, ' ') FROM alerts_message m) FROM alerts_recipient r"
        )
        rows = cursor.fetchone()[0]
    ours = [record.getMessage() + str(record.__dict__) for record in caplog.records if record.name.startswith("gisc")]
    for text in (fault, rows, *ours):
        assert SECRET not in text and "hook" not in text
    apprise = logging.getLogger("apprise")
    assert not apprise.propagate


@pytest.mark.parametrize(
    "url",
    [
        "syslog://",
        "dbus://",
        "macosx://",
        "file:///etc/passwd",
        "mailto://user:password@example.org",
        "fcm://project/device?keyfile=/etc/passwd",
        "discord://1234567890/abcdefghijk?template=/etc/passwd",
        "workflows://a.example.org:443/" + "w" * 32 + "/" + "s" * 40 + "?template=/etc/passwd",
        "json://",
        "nonsense",
        "json://host/\nx",
    ],
)
def test_a_service_that_reads_files_or_works_on_this_host_is_refused(url: str) -> None:
    with pytest.raises(channels.AddressRefused) as refused:
        channels.service_name(url)
    assert "passw" not in str(refused.value)


def test_an_address_of_another_secret_key_says_so(pager: Recipient, settings: object) -> None:
    settings.SECRET_KEY = "another"
    assert "SECRET_KEY" in outbox.send_test(pager)


def test_without_a_mail_server_a_test_says_what_to_set(anna: Recipient, settings: object) -> None:
    settings.EMAIL_HOST = ""
    assert "GISC_SMTP_HOST" in outbox.send_test(anna)


# --- Weekly summary, test, command ------------------------------------------------------------------------


def test_the_summary_is_sent_once_a_week_also_where_the_node_was_down(anna: Recipient, link: Link) -> None:
    Recipient.objects.update(weekly=True, weekly_day=2, weekly_hour=7)  # NOON is a Monday

    def sent(days: float) -> int:
        weekly.queue_summaries(NOON + timedelta(days=days))
        return Message.objects.filter(kind=Message.Kind.WEEKLY).count()

    assert [sent(0), sent(1.5), sent(1.8), sent(1.9), sent(8.7)] == [0, 0, 1, 1, 1]
    assert sent(12) == 2
    text = Message.objects.first().body
    assert "- toulouse: not harvested yet" in text and "Records in the catalogue: 0." in text


def test_a_test_is_sent_at_once_and_stands_in_the_log(anna: Recipient, mails: MailServer) -> None:
    assert printed("alerts", "test", "Anna") == "A test was sent to Anna.\n"
    assert mails.titles == ["[WIS-GISC-TOKYO] test of alerts"]
    assert Message.objects.get().sent is not None
    assert printed("alerts", "list") == "Anna: anna@example.org, 0 alerts wait\n"
    mails.refuses = "550 no"
    assert "550" in outbox.send_test(anna)
    assert outbox.send_due() == 0  # a test is not tried again


def test_a_node_that_alerts_nobody_says_so(db: None) -> None:
    assert printed("alerts", "list").startswith("There is no recipient: nobody is alerted.")


def test_the_tick_watches_writes_and_says_whether_there_is_something_to_send(
    anna: Recipient, mails: MailServer
) -> None:
    assert not chores.run_chores()
    Condition.objects.update(first_seen=NOON)
    assert chores.run_chores()
    assert "Alerts sent: " in printed("alerts", "tick") and mails.mails


def test_what_is_old_is_removed(make: Make, anna: Recipient) -> None:
    go_on(make(), minutes=0)
    go_on(make(), minutes=3)
    go_on(minutes=4)
    go_on(minutes=30)
    outbox.prune(NOON + timedelta(days=89))
    assert (Condition.objects.count(), Message.objects.count()) == (1, 2)
    outbox.prune(NOON + timedelta(days=92))
    assert (Condition.objects.count(), Message.objects.count()) == (0, 0)
