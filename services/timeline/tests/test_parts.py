"""The tasks of the service, each with its own fate."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from tarsy_bus.acceptance import LogMismatchError
from tarsy_testing.real_servers import eventually
from tarsy_timeline.parts import Parts


async def lasts() -> None:
    await asyncio.Event().wait()


async def raises() -> None:
    raise ValueError("secret")


async def returns() -> None:
    return


async def is_cancelled() -> None:
    """As aiokafka's clients are that lose their broker while they stop."""
    raise asyncio.CancelledError


@asynccontextmanager
async def running(parts: Parts, name: str, work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    task = asyncio.create_task(parts.run(name, work))
    yield
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize(
    ("work", "reason"),
    [(raises, "ValueError"), (returns, "it ended by itself"), (is_cancelled, "it was cancelled by itself")],
)
async def test_a_part_that_ends_is_told_and_run_again_beside_those_that_last(
    work: Callable[[], Awaitable[None]], reason: str
) -> None:
    parts, runs, told = Parts(final=(), settled_seconds=0.1), 0, list[list[str]]()

    async def counted() -> None:
        nonlocal runs
        runs += 1
        told.append(parts.troubles())
        await (work() if runs == 1 else lasts())

    async with running(parts, "other", lasts), running(parts, "odd", counted):
        await eventually(lambda: _is(runs == 2), "it is run again")
        assert told == [[], [f"odd: {reason}"]], "the reason is told until it has lasted"
        await eventually(lambda: _is(parts.troubles() == []), "it has lasted, and is no trouble any more")


async def test_what_no_repetition_mends_ends_the_service() -> None:
    async def mismatch() -> None:
        raise LogMismatchError("another log")

    with pytest.raises(LogMismatchError):
        await Parts(final=(LogMismatchError,)).run("projector", mismatch)


async def test_a_part_that_is_cancelled_with_the_service_has_ended_before_it() -> None:
    ended = asyncio.Event()

    async def cleans_up() -> None:
        try:
            await lasts()
        finally:
            await asyncio.sleep(0)
            ended.set()

    parts = Parts(final=())
    async with running(parts, "one", cleans_up):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert ended.is_set()


async def _is(true: bool) -> bool:
    return true
