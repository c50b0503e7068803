"""HTTP with servers that listen on the loopback address of a network namespace."""

from dataclasses import dataclass
from typing import Any

import httpx2

from tarsy_ground.network import NetworkNamespace

SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class InsideClient:
    network: NetworkNamespace

    def get(self, url: str) -> httpx2.Response:
        with self.network.entered():
            return httpx2.get(url, timeout=SECONDS)

    def post(self, url: str, body: Any) -> httpx2.Response:
        with self.network.entered():
            return httpx2.post(url, json=body, timeout=SECONDS)
