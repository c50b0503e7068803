"""A running ingest, and what the tests read of its Kafka."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import httpx2
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import delivery
from tarsy_contracts.alert import Alert
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived


@dataclass(frozen=True)
class Ingest:
    client: httpx2.AsyncClient
    registry: CollectorRegistry
    app: FastAPI

    def counted(self, source: str, outcome: str) -> float | None:
        return self.registry.get_sample_value("tarsy_ingest_alerts_total", {"source": source, "outcome": outcome})

    def value(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)


type Records = Callable[[str], Awaitable[list[Record]]]
type StartIngest = Callable[[], AbstractAsyncContextManager[Ingest]]
type Writable = Callable[[bool], Awaitable[bool]]


def alert_in(record: Record) -> Alert:
    """The alert of a record of the inbox."""
    received = delivery(record).decode(INPUTS)
    assert isinstance(received, AlertReceived)
    return received.alert


def session_of(record: Record) -> str:
    """Key and subject are the session."""
    subject = delivery(record).envelope.subject
    assert record.key == subject.encode()
    return subject
