"""Several gateways on one Kafka: calls spread, and whoever is killed, stopped or added, none is lost or run twice.

The gateways are started once, and each test takes them over from the one before it.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from gateway_owner import Owner, call, hold_again, let_go, noted, owning

from chaos.gateways import Gateways, over_http, over_stdio, prepared, source
from chaos.hostile import HostileServer
from chaos.playing import Played, playing
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts.messages.inputs import CallNotStarted
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_testing.real_servers import bus_of_tests, delete_topics, eventually
from tarsy_testing.system.service_forks import ServiceForks

THREE = 3
CONCURRENT = 3
HELD, MOST_HELD = 200.0, 24
"""Seconds of a call that ends when it is let go, and how many such calls are made at most."""
STUCK_CONCURRENT, STUCK_QUEUE, STUCK_CALLS = 2, 3, 60
END_SECONDS = 120.0


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, kafka_bootstrap: str, forks: ServiceForks) -> Iterator[Gateways]:
    folder = tmp_path_factory.mktemp("instances")
    bus = bus_of_tests(kafka_bootstrap, folder.name)
    asyncio.run(apply_topics(bus))
    server = HostileServer(folder / "calls")
    asyncio.run(server.start())
    servers = {
        "work": over_http(server.url, concurrent=CONCURRENT),
        "stuck": over_stdio(folder / "calls", concurrent=STUCK_CONCURRENT, queue=STUCK_QUEUE),
    }
    with prepared(bus, folder, servers, forks) as gateways:
        yield gateways
    server.kill()
    asyncio.run(delete_topics(bus))


@pytest.fixture
async def owner(scene: Gateways) -> AsyncIterator[Owner]:
    async with owning(scene.bus) as owner:
        yield owner


@pytest.fixture
def calls_file(scene: Gateways) -> Iterator[Path]:
    path = scene.folder / "calls"
    yield path
    hold_again(path)


def safe(name: str, seconds: float = 0.3) -> ToolCallRequest:
    return call("slow", server="work", repeatable=True, timeout=200, name=name, seconds=seconds)


def unsafe(name: str, seconds: float = 0.3) -> ToolCallRequest:
    return call("destroy", server="work", timeout=200, name=name, seconds=seconds)


def mixed(prefix: str, count: int, seconds: float) -> list[ToolCallRequest]:
    """Every second one must not run twice."""
    return [(unsafe if n % 2 else safe)(f"{prefix}{n}", seconds) for n in range(count)]


def sources(calls: list[Played]) -> set[str]:
    """Who has ended them."""
    return {told[0] for one in calls for told in one.told}


def runs(calls_file: Path, calls: list[Played]) -> list[int]:
    """Of those that must not run twice."""
    return [
        noted(calls_file, f"destroy {one.request.arguments['name']}") for one in calls if not one.request.repeatable
    ]


async def test_calls_spread_over_three_and_none_is_lost_with_one_that_is_killed(
    scene: Gateways, owner: Owner, calls_file: Path
) -> None:
    names = await scene.at_least(THREE)
    async with playing(owner) as owning:
        dead = source(names[1])
        calls = await owning.ask(mixed("killed", 90, 0.3))

        async def all_have_ended_some() -> bool:
            if sum(not one.ended for one in calls) < 30:
                calls.extend(await owning.ask(mixed(f"killed-{len(calls)}-", 60, 0.3)))
            return sources(calls) == {source(name) for name in names}

        async def victim_holds_one() -> bool:
            # One that ends by itself may end before the victim dies.
            held = [one for one in calls if one.request.arguments["seconds"] == HELD]
            if len(held) < MOST_HELD:
                calls.extend(await owning.ask([unsafe(f"held{len(held)}", HELD)]))
            return any(one.by == dead and one.granted for one in held)

        await eventually(all_have_ended_some, "all have ended some")
        await eventually(victim_holds_one, "the victim is at a call that must not run twice, and will not end")
        scene.kill(names[1])
        await owning.died(dead)
        let_go(calls_file)
        await owning.until_ended(calls, seconds=END_SECONDS)
    unknown = [one for one in calls if one.outcome == "unknown"]
    assert {one.outcome for one in calls} == {"ok", "unknown"}
    assert 1 <= len(unknown) <= CONCURRENT
    assert not [one for one in unknown if one.request.repeatable]
    assert set(runs(calls_file, unknown)) <= {0, 1}
    assert set(runs(calls_file, [one for one in calls if one.outcome == "ok"])) == {1}


async def test_one_that_is_added_gets_its_part(scene: Gateways, owner: Owner) -> None:
    before = set(await scene.at_least(THREE - 1))
    (added,) = set(await scene.at_least(len(before) + 1)) - before
    calls: list[Played] = []
    async with playing(owner) as owning:

        async def takes_part() -> bool:
            calls.extend(await owning.ask([safe(f"added{n}", 0.1) for n in range(12)]))
            await owning.until_ended(calls, seconds=END_SECONDS)
            return source(added) in sources(calls)

        await eventually(takes_part, "the new gateway has ended calls")
    assert {one.outcome for one in calls} == {"ok"}


async def test_the_full_queues_of_one_server_stop_no_calls_to_another(scene: Gateways, owner: Owner) -> None:
    names = await scene.at_least(THREE)
    async with playing(owner) as owning:
        hopeless = call("slow", server="stuck", repeatable=True, name="s", seconds=600, timeout=600)
        stuck = await owning.ask([hopeless.model_copy(update={"call_id": f"stuck{n}"}) for n in range(STUCK_CALLS)])

        async def full() -> bool:
            given_back = sum(bool(one.given_back) for one in stuck)
            return given_back >= STUCK_CALLS - len(names) * (STUCK_CONCURRENT + STUCK_QUEUE)

        await eventually(full, "what is too much was given back")
        quick: list[Played] = []

        async def all_have_ended_some() -> bool:
            # One that is ready may have no partitions of the queue yet.
            quick.extend(await owning.ask([safe(f"quick{len(quick)}-{n}", 0.1) for n in range(60)]))
            await owning.until_ended(quick, seconds=END_SECONDS)
            return len(sources(quick)) == len(names)

        await eventually(all_have_ended_some, "each of them has ended calls to the other server")
        assert {one.outcome for one in quick} == {"ok"}
        assert not [one for one in stuck if one.ended]
        for one in stuck:
            await owner.cancel(one.request)


async def test_one_that_is_told_to_stop_gives_back_at_once_what_it_has_not_begun(
    scene: Gateways, owner: Owner, calls_file: Path
) -> None:
    names = await scene.at_least(THREE)
    leaving = source(names[0])
    async with playing(owner) as owning:
        calls = await owning.ask(mixed("stopped", 45, HELD))

        async def all_at_work() -> bool:
            return {one.by for one in calls} >= {source(name) for name in names}

        async def given_back() -> bool:
            return any(isinstance(it, CallNotStarted) and of.envelope.source == leaving for of, it in owner.heard)

        await eventually(all_at_work, "all work")
        scene.terminate(names[0])
        await eventually(given_back, "it gives back what it has not begun, while other calls still run")
        assert not [one for one in calls if one.ended]
        let_go(calls_file)
        await owning.until_ended(calls, seconds=END_SECONDS)
        assert await scene.exit_code(names[0]) == 0
    assert {one.outcome for one in calls} == {"ok"}
    assert set(runs(calls_file, calls)) == {1}
