"""Rate limit of alerts over HTTP: a token bucket for each sender, so that one who floods costs itself."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from starlette.types import Scope

from tarsy_ingest.errors import IngestError

MOST_SENDERS = 10_000
"""The one that was met longest ago is forgotten, and begins with a full bucket again."""
NETWORK_BITS = 64
"""One sender has at least so large a network of IPv6."""
UNKNOWN = "unknown"


class TooManyAlertsError(IngestError):
    """A sender is above its rate. The caller sends the alert again after `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"this sender sends more alerts a second than it may; try again in {seconds} s")
        self.seconds = seconds


@dataclass(slots=True)
class _Bucket:
    """`tokens` at the time `at`. It may be in debt: a webhook with many alerts is taken whole."""

    tokens: float
    at: float


class SenderRates:
    """`per_second`: alerts of one sender, 0 for no limit; `burst` more at once."""

    def __init__(self, per_second: float, burst: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._monotonic = monotonic
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, sender: str) -> None:
        """One alert. Raises TooManyAlertsError."""
        if not self._per_second:
            return
        bucket = self._refill_bucket(sender)
        if bucket.tokens < 1:
            raise TooManyAlertsError(math.ceil((1 - bucket.tokens) / self._per_second))
        bucket.tokens -= 1

    def charge(self, sender: str, alerts: int) -> None:
        """Alerts that came in the same request as the first one."""
        if self._per_second and alerts > 0:
            self._refill_bucket(sender).tokens -= alerts

    def _refill_bucket(self, sender: str) -> _Bucket:
        now, bucket = self._monotonic(), self._buckets.get(sender)
        if bucket is None:
            bucket = self._buckets[sender] = _Bucket(self._burst, now)
            if len(self._buckets) > MOST_SENDERS:
                self._buckets.popitem(last=False)
            return bucket
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.at) * self._per_second)
        bucket.at = now
        self._buckets.move_to_end(sender)
        return bucket


def sender_of(scope: Scope) -> str:
    """The address that the request comes from, as a proxy that uvicorn trusts says it."""
    client = scope.get("client")
    if not client:
        return UNKNOWN
    host: str = client[0]
    return _ipv6_network_or_host(host) if ":" in host else host


def _ipv6_network_or_host(host: str) -> str:
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(int(address) >> (128 - NETWORK_BITS))
