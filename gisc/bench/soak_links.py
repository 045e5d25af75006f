"""Make the links of `gisc.bench.soak`, in the environment of its node: `python -m gisc.bench.soak_links PORT KIND=NUMBER...`."""

import os
import sys


def make(port: int, numbers: dict[str, int]) -> None:
    """Make so many links of each kind, each with a local set of its own, due every five seconds."""
    from catalogue import bootstrap
    from catalogue.writing import set_inclusion
    from harvester.models import Link

    bootstrap.own_set()
    for kind, number in numbers.items():
        for each in range(number):
            name = f"{kind}{each}"
            local = set_inclusion.ensure_set(f"WIS-GISC-{name.upper()}", name=name)
            url = f"http://127.0.0.1:{port}/{name}"
            Link.objects.create(name=name, base_url=url, remote_set="", local_set=local, interval_s=5)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gisc.settings")
    import django

    django.setup()
    make(int(sys.argv[1]), {kind: int(number) for kind, _, number in (each.partition("=") for each in sys.argv[2:])})
