"""Probe for containers: `python -m tarsy_service.probe` ends with 0 when the service beside it is ready, else with 1.

It imports nothing of ours and no library: a container engine starts it every few seconds.
"""

import http.client
import os
import sys
from collections.abc import Mapping

SECONDS = 4.0
LOOPBACK = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}


def probe(environ: Mapping[str, str]) -> str:
    """Why the service is not ready; empty when it is."""
    host = environ.get("TARSY_HTTP_HOST", "")
    connection = http.client.HTTPConnection(
        LOOPBACK.get(host, host), int(environ.get("TARSY_HTTP_PORT") or 8080), timeout=SECONDS
    )
    try:
        connection.request("GET", "/ready")
        answer = connection.getresponse()
        return "" if answer.status == 200 else answer.read(2_000).decode(errors="replace")
    except (OSError, http.client.HTTPException) as problem:
        return f"no answer: {problem}"
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(probe(os.environ) or None)
