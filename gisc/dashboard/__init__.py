"""The start page of the administration: what needs a person, the mesh on a map, charts, links and the machine."""
