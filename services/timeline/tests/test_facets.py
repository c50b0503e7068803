"""Sessions are listed by where their alerts come from; those that do not say it are listed as ever."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from projected_world import NewSession, World, records

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_timeline.database import Database
from tarsy_whole_chain import begun

type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

FACETS: dict[str, Any] = {"severity": "Warning", "cluster": "lab", "namespace": "shop", "workload": "checkout"}
BARE = Alert(alert_type="a", data="d", source="api", author="ann")


async def test_the_facets_of_an_alert_are_answered_and_filter_the_list(
    open_database: OpenDatabase, new_session: NewSession
) -> None:
    bare, full = new_session(), new_session()
    bare.add(begun().model_copy(update={"alert": BARE}))
    full.add(begun().model_copy(update={"alert": BARE.model_copy(update=FACETS)}))
    async with open_database() as database:
        world = World(database)
        await world.project(*records(bare), *records(full))

        async def found(query: str) -> list[str]:
            answer = await world.get(f"/api/v1/sessions?{query}")
            assert answer["pagination"]["total_items"] == len(answer["sessions"])
            return sorted(one["id"] for one in answer["sessions"])

        listed = await world.get(f"/api/v1/sessions?id_prefix={full.id}")
        for shown in (await world.detail(full), listed["sessions"][0]):
            assert {name: shown[name] for name in FACETS} == FACETS
        assert {name: (await world.detail(bare))[name] for name in FACETS} == dict.fromkeys(FACETS)
        assert await found("") == sorted([bare.id, full.id])
        for name, value in FACETS.items():
            assert await found(f"{name}={value}") == [full.id]
            assert await found(f"{name}=other") == []
        assert await found("severity=WARNING&namespace=shop&workload=checkout&cluster=lab") == [full.id]
        assert await found("namespace=shop&workload=other") == []
        assert (await world.client.get("/api/v1/sessions?namespace=%00")).status_code == 400

        full.add(e.SessionDeleted(request_id="r", author="ann"))
        await world.project(full.recorded(2))
        async with database.connection() as connection:
            [kept] = await connection.fetch("select * from sessions where session_id = $1", full.id)
        assert {name: kept[name] for name in FACETS} == dict.fromkeys(FACETS)
        await world.client.aclose()
