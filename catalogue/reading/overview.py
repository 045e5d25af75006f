"""Read what the whole catalogue was distributed over when it was counted last (`writing.overview`)."""

from catalogue.models import Overview, Withdrawal

COLUMNS, ROWS = 72, 36  # cells of the map, of 5 degrees


def latest() -> Overview | None:
    """Return the last count; None if there is none, or if it has what was hidden from everybody since."""
    found = Overview.objects.filter(pk=1).first()
    return found if found is not None and found.hidden_mark == hidden_mark() else None


def hidden_mark() -> str:
    """Return what changes whenever a record is hidden that everybody saw."""
    withdrawals = Withdrawal.objects.filter(set_id=0, audience=0)
    newest = withdrawals.order_by("-datestamp").values_list("datestamp", flat=True).first()
    return f"{newest.isoformat()} {withdrawals.filter(datestamp=newest).count()}" if newest else ""
