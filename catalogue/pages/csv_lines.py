"""Write lines of CSV for a download that is sent while it is made."""


class Echo:
    """A file that returns each line instead of storing it."""

    def write(self, line: str) -> str:
        return line


def escape_formula(value: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula: the text comes from strangers."""
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
