"""The search over sessions: what it finds, in which order, and what it shows of it."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest
from projected_world import Json, NewSession, World

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage
from tarsy_timeline.database import sql
from tarsy_timeline.database.pool import Database
from tarsy_timeline.projection.search_indexer import SearchIndexer
from tarsy_timeline.queries.search_words import PUNCTUATION

type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

CHAIN = ResolvedChain(
    chain_id="default",
    stages=(
        ResolvedStage(name="look", agents=(ResolvedAgent(name="looker", llm_provider="scripted", max_iterations=3),)),
    ),
    summary_llm_provider="scripted",
)


class SearchedWorld:
    def __init__(self, world: World, indexer: SearchIndexer, new_session: NewSession) -> None:
        self._world = world
        self._indexer = indexer
        self._new_session = new_session

    async def investigate(self, title: str, data: str, analysis: str = "") -> str:
        """A session that ended with this analysis, indexed."""
        session = self._new_session()
        alert = Alert(alert_type="pod-crash", data=data, source="api", author="ann", title=title)
        session.add(e.SessionStarted(input_id="i", alert=alert, chain=CHAIN))
        if analysis:
            place: Json = {"execution_id": f"{session.id}/e", "stage_id": f"{session.id}/s", "index": 1}
            session.add(
                e.StageStarted(stage_id=place["stage_id"], index=1, name="look"),
                e.ExecutionStarted(**place, agent="looker", system="", prompt="", tools=()),
                e.ExecutionCompleted(**place, agent="looker", status="completed", final_analysis=analysis),
                e.SessionCompleted(final_analysis=analysis),
            )
        await self._world.project(*(session.recorded(number) for number in range(1, len(session.records) + 1)))
        await self.index()
        found: str = session.id
        return found

    async def index(self) -> None:
        while await self._indexer.index_some():
            pass

    async def search(self, text: str, **query: str) -> Json:
        params = {"search": text, **query}
        answer = await self._world.client.get("/api/v1/sessions", params=params)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    async def found(self, text: str, **query: str) -> list[str]:
        answer = await self.search(text, **query)
        assert answer["pagination"]["total_items"] == len(answer["sessions"])
        return [item["id"] for item in answer["sessions"]]


@pytest.fixture
async def searched(open_database: OpenDatabase, new_session: NewSession) -> AsyncIterator[SearchedWorld]:
    async with open_database() as database:
        world = World(database)
        yield SearchedWorld(world, SearchIndexer(database), new_session)
        await world.client.aclose()


async def test_identifiers_are_found_whole_in_parts_and_as_they_are_typed(searched: SearchedWorld) -> None:
    pod = await searched.investigate("Crash", "pod checkout-7d9f4c-x2v on node-3.eu.example.com restarts 5e10abc")
    other = await searched.investigate("Crash", "pod payment-7d9a on node-4 restarts")

    for text in (
        "checkout-7d9f4c-x2v", "checkout-7d9f", "checkout", "checko", "7d9f4c", "x2v", "node-3.eu.example.com",
        "eu.example", "example.com", "5e10abc", "5e10a", "CHECKOUT", '"checkout-7d9f4c"', "restarts checkout", pod[:13],
    ):  # fmt: skip
        assert await searched.found(text) == [pod], text
    assert set(await searched.found("7d9")) == {pod, other}
    for text in ("heckout", '"checkout-7d9f"', "checkout-x2v", "checkout payment", "7d9f4c-checkout"):
        assert await searched.found(text) == [], text


async def test_each_word_may_be_elsewhere_in_the_session_but_a_phrase_is_in_one_text(searched: SearchedWorld) -> None:
    one = await searched.investigate("Crash", "pod api-7 crashes", "It was DNS: the resolver timed out.")
    await searched.investigate("Crash", "pod api-7 crashes", "It was memory.")

    assert await searched.found("api resolver") == [one]
    assert await searched.found('"the resolver timed out"') == [one]
    assert await searched.found('"api-7 resolver"') == []


async def test_what_fits_best_comes_first_unless_another_order_is_asked_for(searched: SearchedWorld) -> None:
    named = await searched.investigate("Resolver down", "no data")
    analysed = await searched.investigate("Crash", "no data", "The resolver was down.")
    told = await searched.investigate("Crash", "a very long text " * 50 + "with a resolver in it")

    assert await searched.found("resolver") == [named, analysed, told]
    assert await searched.found("resolver", sort_order="asc") == [told, analysed, named]
    by_id = sorted([named, analysed, told], reverse=True)  # all began at the same moment
    assert await searched.found("resolver", sort_by="created_at") == by_id
    assert await searched.found("resolver", status="completed") == [analysed]
    second = await searched.search("resolver", page="2", page_size="1")
    assert [item["id"] for item in second["sessions"]] == [analysed]
    assert second["pagination"] == {"page": 2, "page_size": 1, "total_pages": 3, "total_items": 3}
    beyond = await searched.search("resolver", page="9")
    assert (beyond["sessions"], beyond["pagination"]["total_items"]) == ([], 3)


async def test_an_item_shows_where_the_words_are(searched: SearchedWorld) -> None:
    await searched.investigate("Crash", "pod <b>api-7</b> crashes", "The pod api-7 lost its lease.")

    [item] = (await searched.search("api-7"))["sessions"]
    assert item["matched_in_content"] is True
    by_source = {one["source"]: one for one in item["highlights"]}
    assert by_source.keys() == {"alert", "final_analysis"}
    assert by_source["alert"]["event_id"] is None
    assert by_source["alert"]["segments"] == [
        {"text": "Crash\npod <b>", "match": False},
        {"text": "api-7", "match": True},
        {"text": "</b> crashes", "match": False},
    ]
    assert by_source["final_analysis"]["event_id"]

    [item] = (await searched.search("crashes"))["sessions"]
    assert item["matched_in_content"] is False
    [item] = (await searched.search("lease"))["sessions"]
    assert [one["source"] for one in item["highlights"]] == ["final_analysis"]


async def test_a_list_without_a_search_has_no_highlights(searched: SearchedWorld) -> None:
    await searched.investigate("Crash", "x")
    [item] = (await searched._world.get("/api/v1/sessions"))["sessions"]
    assert (item["matched_in_content"], item["highlights"]) == (False, [])


async def test_a_long_alert_is_found_to_its_end(searched: SearchedWorld) -> None:
    long = await searched.investigate("Long", "word " * 60_000 + "needle-42")
    [item] = (await searched.search("needle-42"))["sessions"]
    assert item["id"] == long
    assert {"text": "needle-42", "match": True} in item["highlights"][0]["segments"]


@pytest.mark.parametrize(
    "text", ["a" * 4_000, "\ufffd", "'); drop table sessions; --", "a & b | !c <-> d:*", "\\ : ' &"]
)
async def test_odd_words_are_words(searched: SearchedWorld, text: str) -> None:
    odd = await searched.investigate("Odd", f"before {text} after")
    assert await searched.found("before after") == [odd]
    if any(one.isalnum() for one in text) and len(text) < 500:
        assert await searched.found(text) == [odd]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("search=ab", "/search"),
        ("search=---", "/search"),
        ("search=a%00bc", "/search"),
        ("sort_by=relevance", "/sort_by"),
    ],
)
async def test_a_search_without_words_is_refused(searched: SearchedWorld, query: str, pointer: str) -> None:
    answer = await searched._world.client.get(f"/api/v1/sessions?{query}")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)


async def test_what_changed_is_indexed_again_and_once(
    searched: SearchedWorld, open_database: OpenDatabase, new_session: NewSession
) -> None:
    session = await searched.investigate("Crash", "x", "It was DNS.")
    async with open_database() as database, database.connection() as connection:
        await connection.execute(
            "update timeline_events set content = 'It was memory.', number = number + 1 where session_id = $1", session
        )
        await connection.execute("update sessions set last_number = last_number + 1 where session_id = $1", session)
        await connection.execute("update sessions set last_number = last_number + 1 where session_id = $1", session)
        assert await connection.fetchval("select count(*) from search_queue") == 2
        await searched.index()
        assert await connection.fetchval("select count(*) from search_queue") == 0

    assert await searched.found("memory") == [session]
    assert await searched.found("dns") == []


async def test_a_session_that_cannot_be_indexed_costs_no_other(
    searched: SearchedWorld, open_database: OpenDatabase
) -> None:
    async with open_database() as database, database.connection() as connection:
        await connection.execute("alter table search_texts add check (not words @@ 'cursed'::tsquery)")
        cursed = await searched.investigate("Crash", "cursed")
        fine = await searched.investigate("Crash", "fine")
        assert await connection.fetchval("select count(*) from search_queue") == 0

    assert await searched.found("fine") == [fine]
    assert await searched.found("cursed") == []
    assert cursed


async def test_two_indexers_share_the_queue(
    searched: SearchedWorld, open_database: OpenDatabase, new_session: NewSession
) -> None:
    session = await searched.investigate("Crash", "x")
    async with open_database() as database, database.connection() as connection:
        await connection.execute("insert into search_queue (session_id) values ($1), ($1), ($1)", session)
        async with connection.transaction():
            taken = await connection.fetch(sql.QUERIES["take_search_queue"], 2)
            assert len(taken) == 2
            assert await SearchIndexer(database).index_some() == 1
        assert await SearchIndexer(database).index_some() == 2


async def test_the_database_splits_words_as_we_do(open_database: OpenDatabase) -> None:
    every = "".join(chr(number) for number in range(1, 0x2200))
    async with open_database() as database, database.connection() as connection:
        plain = await connection.fetchval("select search_plain($1)", every)
    # Several in a row become one blank there.
    assert plain.split(" ") == re.split(f"[ {re.escape(PUNCTUATION)}]+", every)
