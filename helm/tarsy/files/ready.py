"""Asks each address until it says that it is ready, for two minutes at most."""

import sys
import time
import urllib.error
import urllib.request

LIMIT_SECONDS = 120
PAUSE_SECONDS = 2


def trouble(address: str) -> str | None:
    try:
        urllib.request.urlopen(address, timeout=5).close()
    except urllib.error.HTTPError as refusal:
        return refusal.read(2_000).decode(errors="replace")
    except OSError as problem:
        return str(problem)
    return None


def main(addresses: list[str]) -> int:
    until = time.monotonic() + LIMIT_SECONDS
    while True:
        found = {address: trouble(address) for address in addresses}
        waiting = {address: reason for address, reason in found.items() if reason is not None}
        if not waiting or time.monotonic() > until:
            break
        time.sleep(PAUSE_SECONDS)
    for address in addresses:
        sys.stdout.write(f"{address}: {waiting.get(address) or 'ready'}\n")
    return 1 if waiting else 0


sys.exit(main(sys.argv[1:]))
