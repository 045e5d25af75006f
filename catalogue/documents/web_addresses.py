"""Tell which addresses of a record may become links."""

import re


def may_be_followed(url: str) -> bool:
    """Whether an address from a record may become a link: no script, no file, no data."""
    return re.match(r"(?:https?|ftp)://[^\s/]", url, re.IGNORECASE) is not None
