"""Read a list with Sickle, for `gisc.bench.harvest`: `python -m gisc.bench.sickle BASE_URL SET` prints JSON.

Records are read one after the other, as in Sickle's documentation; nothing is stored. Without Django.
"""

import json
import sys
import time

from sickle import Sickle

from gisc.bench.worker import peak_mib


def walk(base_url: str, spec: str) -> dict[str, float]:
    """Get every record of a set and measure time, CPU and memory."""
    started, cpu_started = time.perf_counter(), time.process_time()
    records = sum(1 for _ in Sickle(base_url).ListRecords(metadataPrefix="iso19139", set=spec))
    return {
        "records": records,
        "seconds": time.perf_counter() - started,
        "cpu_s": time.process_time() - cpu_started,
        "peak_mib": peak_mib(),
    }


if __name__ == "__main__":
    print(json.dumps(walk(*sys.argv[1:])))
