"""Parse and hash records with lxml and hashlib alone, for comparison in `gisc.bench.catalogue`. Without Django."""

import hashlib
import os
from collections.abc import Sequence

from lxml import etree


def digest_alone(chunk: tuple[str, Sequence[tuple[int, int]]]) -> int:
    """Parse, canonicalise and hash the records at these (offset, length) pairs of a file; return their number."""
    path, extents = chunk
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    with open(path, "rb") as file:
        for offset, length in extents:
            root = etree.fromstring(os.pread(file.fileno(), length, offset), parser)
            try:
                canonical = etree.tostring(root, method="c14n", exclusive=True)
            except etree.C14NError:  # a namespace that is a relative URI
                canonical = str(etree.canonicalize(root)).encode()
            hashlib.sha256(canonical).digest()
    return len(extents)
