"""Dead letters over the API, on a real Kafka on which no ingest runs: what is re-driven waits for one."""

import base64
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio
from aiokafka import AIOKafkaProducer

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.dead_letters.burial import dead_letter
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.topics.topics_admin import cluster_id
from tarsy_contracts.wire.ids import dead_letter_id
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.servers.bus_kafka import read, read_all

pytestmark = pytest.mark.asyncio(loop_scope="module")

LETTERS = "/api/v1/dead-letters"
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
BINARY = b"\x00\xff" + f" password=hunter22 {TOKEN}".encode()

type RunningApi = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]
type Body = dict[str, Any]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(system_bus: Bus, module_schema: str, running_api: RunningApi) -> AsyncIterator[httpx2.AsyncClient]:
    async with running_api(system_bus, module_schema, raw_dead_letters="on") as client:
        yield client


async def bury(
    bus: Bus,
    value: bytes | None,
    *,
    topic: str = "",
    key: bytes | None = b"k",
    headers: list[tuple[str, bytes]] | None = None,
    service: str = "ingest",
    reason: str = "it is no alert",
) -> str:
    """The id of the letter that a record becomes, as the service would bury it."""
    topic = topic or bus.topics.alerts
    producer = AIOKafkaProducer(bootstrap_servers=bus.bootstrap, max_request_size=2 * LIMIT_BYTES)
    await producer.start()
    lies = await producer.send_and_wait(topic, value, key=key, headers=headers, partition=1)
    await producer.stop()
    (record, *_) = await read(bus, topic, 1, lies.offset)
    async with Publisher(bus, source=service, now=lambda: datetime.now(UTC)).running() as publisher:
        await dead_letter(publisher, record, reason)
    return dead_letter_id(cluster=await cluster_id(bus), topic=topic, partition=1, offset=lies.offset)


async def last_of(bus: Bus, topic: str) -> Record:
    return (await read(bus, topic, 1))[-1]


async def post(client: httpx2.AsyncClient, path: str, body: Body | None = None) -> Body:
    answer = await client.post(f"{LETTERS}{path}", json=body or {})
    assert answer.status_code == 200, answer.text
    found: Body = answer.json()
    return found


async def shown(client: httpx2.AsyncClient, id: str) -> Body:
    answer = await client.get(f"{LETTERS}/{id}")
    assert answer.status_code == 200, answer.text
    found: Body = answer.json()
    return found


async def test_a_letter_says_who_buried_it_and_when_it_came_and_shows_no_secret(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    id = await bury(system_bus, BINARY, key=b"\xfe", headers=[("x-api-key", TOKEN.encode())], reason=f"no: {TOKEN}")
    original = await last_of(system_bus, system_bus.topics.alerts)
    text = (await client.get(f"{LETTERS}/{id}")).text
    letter = await shown(client, id)
    assert (letter["service"], letter["status"], letter["attempts"], letter["refusal"]) == (
        "ingest",
        "waiting",
        1,
        None,
    )
    came = datetime.fromtimestamp(original.timestamp / 1000, UTC)
    assert datetime.fromisoformat(letter["appended_at"]) == came
    assert (letter["key"], letter["value"][:8]) == ("\\xfe", "\x00\\xff pa")
    assert TOKEN not in text
    assert "hunter22" not in text
    assert "[MASKED" in letter["reason"]
    listed = (await client.get(LETTERS, params={"reason": "NO:"})).text
    assert id in listed
    assert TOKEN not in listed


async def test_raw_bytes_are_exact_and_only_where_they_are_allowed(
    client: httpx2.AsyncClient, system_bus: Bus, module_schema: str, running_api: RunningApi
) -> None:
    id = await bury(
        system_bus, BINARY, key=b"\xfe\x00", headers=[("a", b"\xff"), ("a", b""), ("dead-letter-topic", b"x")]
    )
    raw = (await client.get(f"{LETTERS}/{id}/raw")).json()
    assert (base64.b64decode(raw["value"]), base64.b64decode(raw["key"])) == (BINARY, b"\xfe\x00")
    headers = [(header["name"], base64.b64decode(header["value"])) for header in raw["headers"]]
    assert headers == [("a", b"\xff"), ("a", b""), ("dead-letter-topic", b"x")]


async def test_without_the_setting_nobody_reads_raw_bytes(
    system_bus: Bus, module_schema: str, running_api: RunningApi
) -> None:
    async with running_api(system_bus, module_schema) as closed:
        answer = await closed.get(f"{LETTERS}/{uuid4()}/raw")
    assert (answer.status_code, "TARSY_RAW_DEAD_LETTERS" in answer.json()["detail"]) == (403, True)


async def test_a_re_driven_alert_lies_in_its_topic_again_while_no_ingest_runs_and_is_marked(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    id = await bury(system_bus, BINARY)
    done = await post(client, f"/{id}/redrive")
    again = await last_of(system_bus, system_bus.topics.alerts)
    assert (done["outcome"], done["offset"]) == ("redriven", again.offset)
    assert again.value == BINARY
    letter = await shown(client, id)
    assert (letter["status"], letter["redriven_by"]) == ("redriven", "api-client")
    repeated = await post(client, f"/{id}/redrive")
    assert "re-driven before" in repeated["message"]
    async with Publisher(system_bus, source="ingest", now=lambda: datetime.now(UTC)).running() as publisher:
        await dead_letter(publisher, await last_of(system_bus, system_bus.topics.alerts), "still no alert")
    letter = await shown(client, id)
    assert (letter["status"], letter["attempts"], letter["reason"]) == ("waiting", 2, "still no alert")


async def test_an_input_goes_to_its_partition_of_the_inbox_with_its_key(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    id = await bury(system_bus, b"{}", topic=system_bus.topics.inbox, key=b"some-session", service="orchestrator")
    assert (await post(client, f"/{id}/redrive"))["outcome"] == "redriven"
    again = await last_of(system_bus, system_bus.topics.inbox)
    assert (again.key, again.value) == (b"some-session", b"{}")


async def test_a_letter_that_was_cut_shows_what_is_left_and_is_refused_with_a_sentence(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    id = await bury(system_bus, b"x" * (LIMIT_BYTES - 1000), key=None)
    letter = await shown(client, id)
    assert (letter["cut"], letter["shortened"], len(letter["value"])) == (True, True, 16_000)
    done = await post(client, f"/{id}/redrive")
    assert (done["outcome"], "cut" in done["message"]) == ("refused", True)


async def test_all_that_wait_are_re_driven_in_their_order_and_those_of_queues_are_refused(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    mine = {"reason": "flood"}
    ids = [await bury(system_bus, f"{number}".encode(), reason="a flood") for number in range(3)]
    ids.append(await bury(system_bus, b"?", topic=system_bus.topics.tool_calls, reason="a flood"))
    before = len(await read_all(system_bus, system_bus.topics.alerts))
    would = await post(client, "/redrive", {**mine, "dry_run": True})
    assert {one["id"]: one["outcome"] for one in would["letters"]}[ids[0]] == "would_redrive"
    assert len(await read_all(system_bus, system_bus.topics.alerts)) == before
    done = await post(client, "/redrive", mine)
    assert {one["id"] for one in done["letters"]} == set(ids)
    assert sorted(one["outcome"] for one in done["letters"]) == ["redriven"] * 3 + ["refused"]
    assert len(await read_all(system_bus, system_bus.topics.alerts)) == before + 3
    assert (await post(client, "/redrive", {**mine, "topic": "alerts"}))["letters"] == []
    metric = 'tarsy_timeline_dead_letters_redriven_total{outcome="refused"}'
    assert metric in (await client.get("/metrics")).text


async def test_the_list_is_paged_and_filtered(client: httpx2.AsyncClient, system_bus: Bus) -> None:
    ids = {await bury(system_bus, b"?", reason="one of a page", service=f"s{number % 2}") for number in range(5)}
    seen, after = [], ""
    for _ in range(3):
        query: dict[str, str | int] = {"reason": "one of a page", "limit": 2, "after": after}
        page = (await client.get(LETTERS, params=query)).json()
        seen += [letter["id"] for letter in page["letters"]]
        after = page["next"] or ""
    assert (set(seen), len(seen), after, page["total_items"]) == (ids, 5, "", 5)
    odd = (await client.get(LETTERS, params={"reason": "one of a page", "service": "s1"})).json()
    assert odd["total_items"] == 2
    assert (await client.get(LETTERS, params={"since": "2199-01-01T00:00:00Z"})).json()["total_items"] == 0
    assert (await client.get(LETTERS, params={"limit": 100_000})).status_code == 400
    assert (await client.get(f"{LETTERS}/{uuid4()}")).status_code == 404
