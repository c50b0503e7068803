"""While Kafka takes nothing, who sends an alert is told at once, and somebody finds out when it is back."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from prometheus_client import CollectorRegistry

from tarsy_bus.client.publisher import NotWrittenError
from tarsy_bus.metrics import Wrote, ignore_write
from tarsy_ingest.doors import write_gate
from tarsy_ingest.doors.write_gate import PROBE_SECONDS, WriteGate
from tarsy_ingest.metrics import Metrics


class World:
    """A gate, its clock, and the writes that it observes."""

    def __init__(self) -> None:
        self.now = 100.0
        self.registry = CollectorRegistry()
        self.gate = WriteGate(Metrics(self.registry), lambda: self.now)
        self._wrote: Wrote = self.gate.wrap_observer(ignore_write)

    def writes(self, *, fails: bool) -> None:
        self._wrote("inbox", "not_written" if fails else "ok", 1, 0.1)

    def refuses_a_large_one(self) -> None:
        self._wrote("inbox", "too_large", 1, 0.0)

    async def admits(self) -> bool:
        try:
            async with self.gate.admitted("api"):
                return True
        except NotWrittenError:
            return False


@contextmanager
def turned_away(world: World, times: int) -> Iterator[None]:
    yield
    labels = {"source": "api", "outcome": "turned_away"}
    assert world.registry.get_sample_value("tarsy_ingest_alerts_total", labels) == times


async def test_all_are_admitted_while_writes_succeed() -> None:
    world = World()
    with turned_away(world, 0):
        assert await world.admits()
        world.writes(fails=False)
        world.refuses_a_large_one()
        assert await world.admits()


async def test_after_a_failed_write_one_a_second_is_admitted_until_one_succeeds() -> None:
    world = World()
    world.writes(fails=True)
    with turned_away(world, 4):
        assert [await world.admits() for _ in range(3)] == [False, False, False]
        world.now += PROBE_SECONDS
        assert [await world.admits() for _ in range(2)] == [True, False]
        world.now += PROBE_SECONDS
        assert await world.admits()
        world.writes(fails=False)
        assert [await world.admits() for _ in range(3)] == [True, True, True]


async def test_a_request_has_its_limit_and_a_slow_one_shuts_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_gate, "ANSWER_SECONDS", 0.0)
    world = World()
    with pytest.raises(NotWrittenError):
        async with world.gate.admitted("api"):
            await asyncio.Event().wait()
    assert not await world.admits()


async def test_a_request_with_too_many_alerts_for_its_limit_shuts_the_gate_for_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(write_gate, "ANSWER_SECONDS", 0.0)
    world = World()

    async def write_some_and_wait() -> None:
        world.writes(fails=False)
        await asyncio.Event().wait()

    with pytest.raises(NotWrittenError):
        async with world.gate.admitted("api"):
            await write_some_and_wait()
    assert await world.admits()


async def test_what_fails_for_another_reason_does_not_shut_it() -> None:
    world = World()
    with pytest.raises(ValueError, match="other"):
        async with world.gate.admitted("api"):
            raise ValueError("other")
    assert await world.admits()
