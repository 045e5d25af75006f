"""The demonstration: it removes no data of another one, and its centres give a record one datestamp."""

import socket
from pathlib import Path

import pytest

from gisc.demo import mesh, troubles
from gisc.demo.troubled_centres import centres


def test_a_port_that_is_in_use_is_named_before_anything_is_removed(tmp_path: Path) -> None:
    kept = tmp_path / "troubles" / "record.xml"
    kept.parent.mkdir()
    kept.touch()
    with socket.socket() as another:
        another.bind(("127.0.0.1", 0))
        another.listen()
        port = another.getsockname()[1]
        with pytest.raises(mesh.MeshFailed, match=r"port \d+, which the demo needs for .*, is in use"):
            troubles.show(tmp_path, centres_port=port)
    assert kept.exists()


@pytest.mark.parametrize("name", centres())
def test_a_record_of_a_centre_keeps_its_datestamp_from_one_request_to_the_next(name: str) -> None:
    centre = centres()[name]
    for centre.lists in (1, 2):
        assert centre.entries(centre) == centre.entries(centre)
