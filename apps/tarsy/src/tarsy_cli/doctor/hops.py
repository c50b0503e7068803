"""Check of the times between the services: where an iteration waits, as the processes have measured it."""

import math
from collections.abc import AsyncIterator, Mapping

import httpx2

from tarsy_cli.credentials import key_headers
from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_service.telemetry.hop_reading import HOPS, quantile, sum_buckets

SECONDS = 8.0
LONG_SECONDS = 0.3
"""A hop of which one in a hundred takes longer is noticed by people."""
OWN_WORK = frozenset({"run", "claim"})
"""A tool may take long, and so may a person's yes."""


async def check_hops(setup: Setup) -> AsyncIterator[CheckResult]:
    """One sentence with all hops, and a warning for each in which something waits that should not."""
    if not setup.api:
        raise NotCheckedError(f"Processes measure the times, and {setup.why_not}.", "Start it with `tarsy up`.")
    try:
        pages = [page async for page in _read_metrics(setup.address)]
    except (httpx2.HTTPError, ValueError) as problem:
        raise NotCheckedError(f"No metrics can be read ({str(problem) or type(problem).__name__}).") from None
    found = sum_buckets(pages)
    if not found:
        raise NotCheckedError("No call has been made yet, so no time is known.")
    yield ok(f"Half and 99 of 100 hops took: {', '.join(_tell_hop(hop, found[hop]) for hop in HOPS if hop in found)}.")
    for hop in HOPS:
        if hop in found and hop not in OWN_WORK and quantile(found[hop], 0.99) > LONG_SECONDS:
            yield warning(f"{hop} takes long: {_tell_hop(hop, found[hop])}.", "docs/operations/which-metric.md")


def _tell_hop(hop: str, buckets: Mapping[float, float]) -> str:
    return f"{hop} {_tell_limit(buckets, 0.5)} and {_tell_limit(buckets, 0.99)}"


def _tell_limit(buckets: Mapping[float, float], part: float) -> str:
    limit = quantile(buckets, part)
    return "over 30 s" if math.isinf(limit) else f"<= {limit * 1000:g} ms"


async def _read_metrics(address: str) -> AsyncIterator[str]:
    """The pages of each process behind a front door, or of the one that there is."""
    async with httpx2.AsyncClient(headers=key_headers(), timeout=SECONDS) as client:
        targets = await client.get(f"{address}/metrics/targets")
        if targets.status_code == 404:
            urls = [f"{address}/metrics"]
        else:
            targets.raise_for_status()
            urls = [f"http://{target}/metrics" for group in targets.json() for target in group["targets"]]
        for url in urls:
            answer = await client.get(url)
            answer.raise_for_status()
            yield answer.text
