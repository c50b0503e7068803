"""HTTP with servers that listen on the loopback address of a network namespace."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tarsy_ground.network import NetworkNamespace

SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class InsideClient:
    """Its one thread is in the namespace; the test's own is not."""

    _thread: ThreadPoolExecutor

    def get(self, url: str) -> httpx2.Response:
        return self._thread.submit(httpx2.get, url, timeout=SECONDS).result()

    def post(self, url: str, body: Any) -> httpx2.Response:
        return self._thread.submit(httpx2.post, url, json=body, timeout=SECONDS).result()


@contextmanager
def inside_client(network: NetworkNamespace) -> Iterator[InsideClient]:
    with ThreadPoolExecutor(1, initializer=_enter, initargs=(Path("/run/netns", network.name),)) as thread:
        yield InsideClient(thread)


def _enter(namespace: Path) -> None:
    descriptor = os.open(namespace, os.O_RDONLY)
    try:
        os.setns(descriptor, os.CLONE_NEWNET)
    finally:
        os.close(descriptor)
