"""The readers of the environment: a checked value, or a sentence that says what to write."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from gisc import env


@pytest.fixture
def write(monkeypatch: pytest.MonkeyPatch):
    """Set the variable SETTING."""
    monkeypatch.delenv("SETTING", raising=False)
    monkeypatch.delenv("SETTING_FILE", raising=False)
    return lambda value, name="SETTING": monkeypatch.setenv(name, value)


def test_text_is_trimmed_and_an_empty_one_is_not_set(write) -> None:
    assert env.text("SETTING", "default") == "default"
    write("  a b ")
    assert env.text("SETTING", "default") == "a b"
    write("  ")
    assert env.text("SETTING", "default") == "default"


@pytest.mark.parametrize(("written", "read"), [("True", True), ("False", False), ("", True)])
def test_a_flag_is_true_or_false(write, written: str, read: bool) -> None:
    write(written)
    assert env.flag("SETTING", True) is read


@pytest.mark.parametrize("written", ["true", "1", "yes", "TRUE", "None"])
def test_a_flag_spelled_otherwise_is_refused(write, written: str) -> None:
    write(written)
    with pytest.raises(ImproperlyConfigured, match=f"SETTING is '{written}'; write True or False"):
        env.flag("SETTING", False)


@pytest.mark.parametrize(("written", "read"), [("1", 1), ("64", 64), (" 7 ", 7), ("", 2)])
def test_a_number_within_its_limits(write, written: str, read: int) -> None:
    write(written)
    assert env.number("SETTING", 2, low=1, high=64) == read


@pytest.mark.parametrize("written", ["0", "65", "-1", "1.5", "two", "1e3", "٣", "0x10"])
def test_a_number_that_is_none_or_out_of_its_limits_is_refused(write, written: str) -> None:
    write(written)
    with pytest.raises(ImproperlyConfigured, match="SETTING is .*; write a whole number from 1 to 64"):
        env.number("SETTING", 2, low=1, high=64)


def test_a_number_that_may_be_without_limit(write) -> None:
    assert env.number_or_none("SETTING", 92, low=92, high=36500) == 92
    write("")
    assert env.number_or_none("SETTING", 92, low=92, high=36500) is None
    write("91")
    with pytest.raises(ImproperlyConfigured, match="SETTING is '91'; write a whole number from 92 to 36500"):
        env.number_or_none("SETTING", 92, low=92, high=36500)


def test_a_secret_comes_from_its_variable_or_from_a_file(write, tmp_path: Path) -> None:
    assert env.secret("SETTING") == ""
    file = tmp_path / "key"
    file.write_text("from the file\n", encoding="utf-8")
    write(str(file), "SETTING_FILE")
    assert env.secret("SETTING") == "from the file"
    write("from the variable")
    assert env.secret("SETTING") == "from the variable"


def test_a_secret_file_that_cannot_be_read_is_refused(write, tmp_path: Path) -> None:
    write(str(tmp_path / "none"), "SETTING_FILE")
    with pytest.raises(
        ImproperlyConfigured, match=r"SETTING_FILE names '.*/none', which cannot be read \(No such file"
    ):
        env.secret("SETTING")


@pytest.mark.parametrize(("url", "whole"), [
    ("postgresql://gisc@db:5432/gisc", "postgresql://gisc:p%3A%2F%40%20w@db:5432/gisc"),
    ("postgresql://gisc@/gisc?host=/run/pg", "postgresql://gisc:p%3A%2F%40%20w@/gisc?host=/run/pg"),
    ("redis://mq:6379/0", "redis://:p%3A%2F%40%20w@mq:6379/0"),
    ("", ""),
])  # fmt: skip
def test_a_password_of_any_characters_is_put_into_a_url(url: str, whole: str) -> None:
    assert env.with_password(url, "p:/@ w", "DATABASE_URL") == whole
    assert env.with_password(url, "", "DATABASE_URL") == url


def test_two_passwords_for_one_url_are_refused_and_none_is_repeated() -> None:
    with pytest.raises(
        ImproperlyConfigured, match="REDIS_URL has a password, and REDIS_PASSWORD is set too"
    ) as refused:
        env.with_password("redis://:first@mq:6379/0", "second", "REDIS_URL")
    assert "first" not in str(refused.value) and "second" not in str(refused.value)


def test_a_url_has_one_of_the_schemes_and_is_never_repeated(write) -> None:
    schemes = ("redis", "rediss")
    assert env.url("SETTING", schemes) == ""
    write("redis://host:6379/0")
    assert env.url("SETTING", schemes) == "redis://host:6379/0"
    write("http://user:hidden@host/0")
    with pytest.raises(
        ImproperlyConfigured, match="SETTING has the scheme 'http'; write a URL such as redis://h"
    ) as why:
        env.url("SETTING", schemes, "", "redis://h")
    assert "hidden" not in str(why.value)


@pytest.mark.parametrize(("written", "found"), [
    ("", ""),
    ("postgresql://gisc:a,b@db:5432/gisc", "postgresql://gisc:a,b@db:5432/gisc"),
    ("postgresql://gisc@/gisc?host=/run/pg", "postgresql://gisc@/gisc?host=/run/pg"),
    ("postgresql://gisc:p%40@a:5432,b/gisc", "postgresql://gisc:p%40@/gisc?host=a%2Cb&port=5432%2C5432&target_session_attrs=read-write"),
    ("postgresql://[::1]:1,%2Frun%2Fpg:2/x?target_session_attrs=any", "postgresql:///x?host=%3A%3A1%2C%2Frun%2Fpg&port=1%2C2&target_session_attrs=any"),
])  # fmt: skip
def test_several_hosts_of_a_database_are_named_as_every_library_reads_them(write, written: str, found: str) -> None:
    write(written)
    assert env.database_url("SETTING", "host", "read-write") == found


@pytest.mark.parametrize(("url", "said"), [
    ("postgresql://u:hidden@h:5432/", "SETTING names no database; write a URL such as postgresql://gisc:password@db:5432"),
    ("postgresql://u:hidden@a:1,b:2", "SETTING names no database"),
    ("postgresql://u:hidden@a:one,b:2/x", "SETTING is no URL: its port is no number"),
    ("postgresql://u:hidden@[::1/x", "SETTING is no URL"),
    ("mysql://u:hidden@h/x", "SETTING has the scheme 'mysql'"),
])  # fmt: skip
def test_what_is_no_address_of_a_database_is_refused_and_never_repeated(write, url: str, said: str) -> None:
    write(url)
    with pytest.raises(ImproperlyConfigured, match=said) as why:
        env.database_url("SETTING", "db", "read-write")
    assert "hidden" not in str(why.value)


def test_words_are_separated_by_commas(write) -> None:
    assert env.comma_separated("SETTING") == []
    write(" a , b,,c ")
    assert env.comma_separated("SETTING") == ["a", "b", "c"]


def test_networks_and_addresses_are_read_and_anything_else_is_refused(write) -> None:
    assert env.networks("SETTING") == []
    write("192.0.2.7, 10.0.0.0/8,2001:db8::/32")
    assert [str(network) for network in env.networks("SETTING")] == ["192.0.2.7/32", "10.0.0.0/8", "2001:db8::/32"]
    for wrong in ("10.0.0.1/8", "proxy", "10.0.0.0/33"):
        write(f"192.0.2.7, {wrong}")
        with pytest.raises(ImproperlyConfigured, match=f"SETTING has '{wrong}' .*; write addresses or networks"):
            env.networks("SETTING")
