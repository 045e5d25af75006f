"""Words that the harvester's files share: the kinds of link."""

from django.db.models import TextChoices


class Kind(TextChoices):
    """What a link's provider is to us."""

    PEER = "peer", "peer: another GISC's own set, from that GISC"
    RELAY = "relay", "relay: a GISC's set, from another GISC that holds it"
    CENTRE = "centre", "centre: an NC, a DCPC or another catalogue that harvests nobody"
    SHARED = "shared", "shared: a set of joint responsibility, from one of its owners"
    BACKUP = "backup", "backup: a set that we look after, too, from its other owner; by hand, each record confirmed"
    RECOVERY = "recovery", "recovery: our own set back from another GISC, by hand"
