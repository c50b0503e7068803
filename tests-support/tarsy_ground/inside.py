"""HTTP with servers that listen on the loopback address of a network namespace."""

import ssl
from dataclasses import dataclass
from typing import Any

import httpx2

from tarsy_ground.network import NetworkNamespace

SECONDS = 30.0
PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For `verify`: it trusts nobody. By itself each request would load the machine's authorities, which takes 30 ms."""


@dataclass(frozen=True, slots=True)
class InsideClient:
    network: NetworkNamespace

    def get(self, url: str) -> httpx2.Response:
        with self.network.entered():
            return httpx2.get(url, timeout=SECONDS, verify=PLAIN)

    def post(self, url: str, body: Any) -> httpx2.Response:
        with self.network.entered():
            return httpx2.post(url, json=body, timeout=SECONDS, verify=PLAIN)
