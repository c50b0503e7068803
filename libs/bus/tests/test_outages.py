"""An outage of Kafka is waited out; a mistake is not."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import repeat

import pytest
from aiokafka import errors

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.outages import passes, wait_out


def failing(*problems: Exception) -> Callable[[], Awaitable[str]]:
    left = list(problems)

    async def ask() -> str:
        if left:
            raise left.pop(0)
        return "the answer"

    return ask


async def test_what_passes_is_waited_out() -> None:
    problems = [
        errors.KafkaTimeoutError(),
        errors.KafkaConnectionError(),
        errors.NodeNotReadyError(),
        errors.UnknownError(),
        errors.GroupCoordinatorNotAvailableError(),
        errors.TopicAuthorizationFailedError("tarsy.sessions"),
        TimeoutError(),
        ConnectionRefusedError(),
    ]
    async with asyncio.timeout(30):
        assert await wait_out("the end of the log", failing(*problems), repeat(0.0)) == "the answer"


@pytest.mark.parametrize(
    "problem",
    [
        errors.UnsupportedCodecError(),
        errors.GroupAuthorizationFailedError(),
        LogMismatchError("another log"),
        ValueError(),
    ],
)
async def test_a_mistake_comes_out_at_once(problem: Exception) -> None:
    with pytest.raises(type(problem)):
        await wait_out("the end of the log", failing(problem))
    assert not passes(problem)
