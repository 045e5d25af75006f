"""The condition of columns that hold instants in whole seconds."""

from django.db.models import DateTimeField, F, Func, Q, Value


def is_in_whole_seconds(column: str) -> Q:
    """Return the condition, which is the same in every time zone that a session may have.

    `TruncSecond` compares in that of the session, so that pg_restore would refuse each row where the server's is not UTC.
    """
    return Q(**{column: Func(Value("second"), F(column), function="date_trunc", output_field=DateTimeField())})
