"""One process sends the digest of a week to a receiver; another one does so where the first has died."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest
from projected_world import Json, NewSession, World, told
from used_sessions import PRICES, project

from tarsy_timeline.database.pool import Database

type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

LAST = "2026-11-22"


@pytest.fixture
async def claims(open_database: OpenDatabase, new_session: NewSession) -> AsyncIterator["Claims"]:
    async with open_database() as database:
        world = World(database, prices=PRICES)
        await project(world, told(new_session))
        yield Claims(world, database)
        await world.client.aclose()


class Claims:
    def __init__(self, world: World, database: Database) -> None:
        self.world = world
        self._database = database

    async def claim(self, holder: str, receiver: str = "ops", last: str = LAST) -> Json:
        body = {"last": last, "receiver": receiver, "holder": holder, "seconds": 60}
        return await self.world.ask("/internal/v1/digests/claim", body)

    async def note_sent(self) -> None:
        await self.world.ask("/internal/v1/digests/sent", {"last": LAST, "receiver": "ops"})

    async def let_time_pass(self) -> None:
        async with self._database.connection() as connection:
            await connection.execute("update digests set held_until = now() - interval '1 second'")


async def test_of_many_processes_one_sends_the_digest(claims: Claims) -> None:
    answers = await asyncio.gather(*(claims.claim(f"p{number}") for number in range(8)))
    assert sorted(one["state"] for one in answers) == ["claimed", *["taken"] * 7]
    (claimed,) = [one for one in answers if one["state"] == "claimed"]
    assert (claimed["digest"]["last"], claimed["digest"]["sessions"]["sessions"]) == (LAST, 1)


async def test_each_receiver_and_each_week_is_a_claim_of_its_own(claims: Claims) -> None:
    found = [await claims.claim("p1"), await claims.claim("p2", "chat"), await claims.claim("p2", last="2026-11-29")]
    assert [one["state"] for one in found] == ["claimed"] * 3
    assert found[0]["id"] == found[1]["id"] != found[2]["id"]


async def test_what_a_dead_process_did_not_send_another_does_under_the_same_id(claims: Claims) -> None:
    first = await claims.claim("dead")
    assert (await claims.claim("other"))["state"] == "taken"
    await claims.let_time_pass()
    later = await claims.claim("other")
    assert (later["state"], later["id"]) == ("claimed", first["id"])
    assert (await claims.claim("dead"))["state"] == "taken"


async def test_its_holder_keeps_a_claim_as_long_as_it_tries(claims: Claims) -> None:
    assert [(await claims.claim("p1"))["state"] for _ in range(2)] == ["claimed", "claimed"]


async def test_what_was_sent_is_claimed_by_nobody_again(claims: Claims) -> None:
    await claims.claim("p1")
    await claims.note_sent()
    await claims.let_time_pass()
    assert [(await claims.claim(holder))["state"] for holder in ("p1", "p2")] == ["sent", "sent"]


async def test_nothing_is_claimed_before_the_prices_are_known(claims: Claims) -> None:
    claims.world.known_prices = None
    body = {"last": LAST, "receiver": "ops", "holder": "p1", "seconds": 60}
    assert (await claims.world.client.post("/internal/v1/digests/claim", json=body)).status_code == 503
    claims.world.known_prices = PRICES
    assert (await claims.claim("p2"))["state"] == "claimed"
