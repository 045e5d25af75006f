"""What Sickle needs to walk a list, for `gisc.bench.harvest`: `python -m gisc.bench.sickle BASE_URL SET` prints JSON.

As Sickle's documentation has it: records, one after the other; nothing is stored. Without Django.
"""

import json
import sys
import time

from sickle import Sickle

from gisc.bench.worker import peak_mib


def walk(base_url: str, spec: str) -> dict[str, float]:
    """Ask for every record of a set and do nothing with it."""
    begun, own = time.perf_counter(), time.process_time()
    records = sum(1 for _ in Sickle(base_url).ListRecords(metadataPrefix="iso19139", set=spec))
    return {
        "records": records,
        "seconds": time.perf_counter() - begun,
        "cpu_s": time.process_time() - own,
        "peak_mib": peak_mib(),
    }


if __name__ == "__main__":
    print(json.dumps(walk(*sys.argv[1:])))
