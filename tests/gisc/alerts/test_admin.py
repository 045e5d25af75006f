"""Recipients and the log in the administration: who may do what, and that no page has a secret."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from gisc.alerts import outbox, watch
from gisc.alerts.models import Message, Recipient
from gisc.problems import Problem
from tests.gisc.alerts.conftest import MINUTE, NOON, SECRET, WebService
from tests.support.mail import MailServer

pytestmark = pytest.mark.django_db
TEST = "alerts_recipient_save_and_test"
RECIPIENTS, LOG = "/admin/alerts/recipient/", "/admin/alerts/message/"
FORM = {"name": "Anna", "least_severity": "soon", "enabled": "on", "weekly_day": "0", "weekly_hour": "6", "node": "on"}


def signed_in(name: str, *permissions: str) -> Client:
    user = User.objects.create_user(name, password="x", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def test_a_recipient_is_added_and_a_test_is_sent(
    admin_client: Client, mails: MailServer, django_capture_on_commit_callbacks: Any
) -> None:
    given = FORM | {"email": "anna@example.org", "codes": ["drift"]}
    assert "Save and send a test" in admin_client.get(f"{RECIPIENTS}add/").content.decode()
    admin_client.post(f"{RECIPIENTS}add/", given)
    change = f"{RECIPIENTS}{Recipient.objects.get().pk}/change/"
    assert "Save and send a test" in admin_client.get(change).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        admin_client.post(change, given | {TEST: "1"})
        assert mails.asked == 0  # what is not committed is not tested
    assert mails.titles == ["[WIS-GISC-TOKYO] test of alerts"]
    assert Recipient.objects.get().codes == ["drift"]
    mails.refuses = "550 no"
    chosen = {"action": "send_test", "_selected_action": [Recipient.objects.get().pk]}
    page = admin_client.post(RECIPIENTS, chosen, follow=True).content.decode()
    assert "Nothing was sent to Anna." in page and "550" in page
    log = admin_client.get(f"{LOG}?state=failed").content.decode()
    assert "test of alerts" in log and "550" in log
    assert "550" not in admin_client.get(f"{LOG}?state=sent").content.decode()


def test_the_address_of_a_service_goes_in_and_never_comes_out(admin_client: Client, service: WebService) -> None:
    page = admin_client.post(f"{RECIPIENTS}add/", FORM | {"name": "", "service_url": service.url}).content.decode()
    assert "This field is required" in page and SECRET not in page
    page = admin_client.post(f"{RECIPIENTS}add/", FORM | {"service_url": service.url}, follow=True).content.decode()
    recipient = Recipient.objects.get()
    assert recipient.read_url() == service.url and recipient.service == "JSON"
    change = f"{RECIPIENTS}{recipient.pk}/change/"
    pages = [
        page,
        *(admin_client.get(path).content.decode() for path in (change, RECIPIENTS, f"{change[:-7]}history/")),
    ]
    assert all(SECRET not in each and recipient.sealed_url not in each for each in pages)
    assert "One of JSON is stored, and not shown" in pages[1]
    admin_client.post(change, FORM | {"name": "pager"})
    recipient.refresh_from_db()
    assert (recipient.name, recipient.read_url()) == ("pager", service.url)
    admin_client.post(change, FORM | {"email": "anna@example.org"})
    recipient.refresh_from_db()
    assert (recipient.email, recipient.sealed_url, recipient.service) == ("anna@example.org", "", "")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "Give an e-mail address, or the address of a service."),
        ({"email": "a@example.org", "service_url": "json://example.org"}, "not both"),
        ({"service_url": "syslog://"}, "which is not allowed"),
        ({"service_url": "nonsense"}, "no address of a service"),
        ({"email": "a@example.org", "weekly_hour": "24"}, "less than or equal to 23"),
    ],
)
def test_a_form_says_what_is_wrong(admin_client: Client, given: dict[str, str], sentence: str) -> None:
    assert sentence in admin_client.post(f"{RECIPIENTS}add/", FORM | given).content.decode()
    assert not Recipient.objects.exists()


def test_each_page_is_for_those_who_may_see_it(pager: Recipient, make: Callable[..., Problem]) -> None:
    watch.compare([make()], NOON)
    watch.compare([make()], NOON + 3 * MINUTE)
    outbox.send_due()
    one, alert = f"{RECIPIENTS}{pager.pk}/change/", f"{LOG}{Message.objects.get().pk}/change/"
    nobody, viewer = signed_in("nobody"), signed_in("viewer", "view_recipient", "view_message")
    for path in (RECIPIENTS, f"{RECIPIENTS}add/", one, LOG, alert):
        assert nobody.get(path).status_code == 403
        assert viewer.get(path).status_code == (403 if "add" in path else 200)
    page = viewer.get(one).content.decode()
    assert pager.sealed_url not in page and "service_url" not in page
    text = viewer.get(alert).content.decode()
    assert "Call them." in text and "(&#x27;" not in text
    viewer.post(RECIPIENTS, {"action": "send_test", "_selected_action": [pager.pk]})
    assert viewer.post(one, FORM | {TEST: "1"}).status_code == 403
    assert viewer.post(f"{LOG}add/", {}).status_code == 403
    assert Message.objects.count() == 1  # no test was sent
