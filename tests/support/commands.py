"""Call a management command as an operator does, and keep what it says."""

from io import StringIO

from django.core.management import call_command


def command(*arguments: object) -> tuple[str | int | None, str, str]:
    """Exit status, standard output and standard error of a command. A CommandError is raised as it is."""
    out, err = StringIO(), StringIO()
    status: str | int | None = 0
    try:
        call_command(*map(str, arguments), stdout=out, stderr=err)
    except SystemExit as exc:
        status = exc.code
    return status, out.getvalue(), err.getvalue()


def printed(*arguments: object) -> str:
    """What a command prints on standard output."""
    out = StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()
