"""The digest of a week: what is in it, what is not, and how costs of the week before stand beside it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any

import pytest
from projected_world import Json, NewSession, World
from test_memories import learned
from used_sessions import PRICES, SPENT, answer, project, used

from tarsy_auth.session_groups import SessionGroup
from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import LOAD_SKILL, OWN_SERVER
from tarsy_contracts.skills import PlannedSkill
from tarsy_testing.story.whole_chain import begun
from tarsy_timeline.database.pool import Database

type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]

WEEK = "/api/v1/usage/digest?last=2026-11-22"
SECRET = "AKIAIOSFODNN7EXAMPLE"


@pytest.fixture
async def priced(open_database: OpenDatabase) -> AsyncIterator[World]:
    async with open_database() as database:
        world = World(database, prices=PRICES)
        yield world
        await world.client.aclose()


def called(
    number: int, server: str, tool: str, duration_ms: int, **arguments: str | list[str]
) -> tuple[e.ToolCallRequested, e.ToolCallCompleted]:
    call_id = f"{server}.{tool}.{number}"
    asked = e.ToolCallRequested(
        call_id=call_id, llm_call_id="l", execution_id="x", server=server, tool=tool, arguments=dict(arguments),
        repeatable=True, timeout_seconds=9,
    )  # fmt: skip
    return asked, e.ToolCallCompleted(call_id=call_id, outcome="ok", content="", duration_ms=duration_ms)


def began(*skills: PlannedSkill, execution: str = "x") -> tuple[e.StageStarted, e.ExecutionStarted]:
    stage = e.StageStarted(stage_id=f"{execution}/st", index=1, name="look")
    return stage, e.ExecutionStarted.model_validate(
        {
            "execution_id": execution, "stage_id": stage.stage_id, "agent": "looker", "index": 1, "system": "",
            "prompt": "", "tools": (), "skills": skills,
        }
    )  # fmt: skip


def rated(rating: str, cause: str) -> e.ReviewChanged:
    return e.ReviewChanged.model_validate(
        {
            "request_id": "r", "number": 1, "author": "ann", "action": "complete", "from_status": "needs_review",
            "to_status": "reviewed", "assignee": "ann", "rating": rating, "cause": cause,
        }
    )  # fmt: skip


def counts(found: list[Json]) -> list[tuple[str, int]]:
    return [(one["name"], one["count"]) for one in found]


async def test_a_week_is_counted_beside_the_one_before(world: World, new_session: NewSession) -> None:
    now, failed, before, earlier = (new_session() for _ in range(4))
    before.begin -= timedelta(days=7)
    earlier.begin -= timedelta(days=14)
    now.add(begun(), e.SessionCompleted(final_analysis="It leaks."))
    failed.add(begun(), e.SessionFailed(error="The key is refused.\nSee the log."))
    await project(world, now, failed, before.add(begun()), earlier.add(begun()))

    digest = await world.get(WEEK)

    assert (digest["first"], digest["last"]) == ("2026-11-16", "2026-11-22")
    assert (digest["sessions"]["sessions"], digest["sessions"]["completed"], digest["sessions"]["failed"]) == (2, 1, 1)
    assert digest["sessions_before"]["sessions"] == 1
    assert [(one["alert_type"], one["sessions"]) for one in digest["alert_types"]] == [("pod-crash", 2)]
    assert counts(digest["failures"]) == [("The key is refused.", 1)]


async def test_without_a_day_it_is_the_seven_days_until_yesterday(world: World) -> None:
    digest = await world.get("/api/v1/usage/digest")
    assert (digest["first"], digest["last"], digest["sessions"]["sessions"]) == ("2026-11-23", "2026-11-29", 0)
    assert (digest["cost"]["cost"], digest["causes"], digest["tools"], digest["teams"]) == (None, [], [], [])


@pytest.mark.parametrize("last", ["x", "2026-13-01", "0001-01-01", "9999-12-31"])
async def test_a_day_that_cannot_be_is_a_problem(world: World, last: str) -> None:
    assert (await world.client.get(f"/api/v1/usage/digest?last={last}")).status_code == 400


async def test_causes_are_labels_and_what_people_wrote(world: World, new_session: NewSession) -> None:
    ends = [e.SessionCompleted(final_analysis="", labels=labels) for labels in (("noise",), ("noise", "leak"))]
    first, second = (new_session().add(begun(), end) for end in ends)
    await project(world, first.add(rated("wrong", "A full disk.\nOn node 3.")), second.add(rated("accurate", "")))

    digest = await world.get(WEEK)

    assert counts(digest["session_labels"]) == [("noise", 2), ("leak", 1)]
    assert counts(digest["causes"]) == [("A full disk.", 1)]
    assert digest["ratings"] == {"accurate": 1, "partly": 0, "wrong": 1}


async def test_slow_tools_come_first_and_our_own_are_none(world: World, new_session: NewSession) -> None:
    calls = [
        *(called(number, "loki", "query", 1_000 * number) for number in range(1, 12)),
        called(1, "k8s", "pods", 20),
        called(1, OWN_SERVER, "read_result", 90_000),
    ]
    await project(world, new_session().add(begun(), *began(), *(event for call in calls for event in call)))

    tools = (await world.get(WEEK))["tools"]

    assert [(one["server"], one["tool"], one["calls"], one["p90_seconds"]) for one in tools] == [
        ("loki", "query", 11, 10.0), ("k8s", "pods", 1, 0.02),
    ]  # fmt: skip


async def test_skills_are_unread_where_nobody_loaded_them_nor_had_to(world: World, new_session: NewSession) -> None:
    skills = [PlannedSkill(name=name, digest="d") for name in ("read", "listed", "dead")]
    given = (*skills, PlannedSkill(name="always", digest="d", required=True))
    session = new_session().add(
        begun(),
        *began(*given),
        *called(1, OWN_SERVER, LOAD_SKILL, 1, names="read"),
        *called(2, OWN_SERVER, LOAD_SKILL, 1, names=["listed"]),
    )
    await project(world, session, new_session().add(begun(), *began(*given[2:], execution="y")))

    assert counts((await world.get(WEEK))["unread_skills"]) == [("dead", 2)]


async def test_money_is_that_of_both_weeks_with_the_dearest_chains(priced: World, new_session: NewSession) -> None:
    before = new_session()
    before.begin -= timedelta(days=7)
    before.add(begun(), answer("small", SPENT))
    disk = used(new_session, ("small", SPENT), ("unknown", SPENT), chain="disk")
    await project(priced, used(new_session, ("big", SPENT)), disk, before)

    digest = await priced.get(WEEK)

    cost = digest["cost"]
    assert (cost["cost"], cost["cost_completeness"], cost["cost_before"]) == (5.8, "partial", 1.8)
    assert [(one["key"], one["cost"], one["cost_before"]) for one in digest["chains"]] == [
        ("crash", 4.0, 1.8), ("disk", 1.8, None),
    ]  # fmt: skip
    assert (digest["unpriced_models"], digest["teams"]) == (["unknown"], [])


async def test_memories_that_were_learnt_are_counted(world: World, new_session: NewSession) -> None:
    await project(world, new_session().add(begun(), learned("m1", "Look at the quota."), learned("m2", "Roll back.")))
    assert (await world.get(WEEK))["memories_learned"] == 2


async def test_nobody_is_shown_the_week_of_other_groups(world: World, new_session: NewSession) -> None:
    first = begun()
    bank = first.alert.model_copy(update={"namespace": "bank", "alert_type": "secret"})
    labels = e.SessionCompleted(final_analysis="", labels=("theft",))
    theirs = new_session().add(
        first.model_copy(update={"alert": bank}), *began(PlannedSkill(name="vault", digest="d")),
        *called(1, "bank", "pay", 9), labels, rated("wrong", "Somebody stole it."), learned("m", "Look at the bank."),
    )  # fmt: skip
    await project(world, theirs)
    world.session_groups = (SessionGroup("shop", {"namespace": ("shop",)}),)

    digest: dict[str, Any] = await world.get(WEEK)

    lists = ("alert_types", "session_labels", "causes", "failures", "tools", "unread_skills", "chains")
    assert [digest[name] for name in lists] == [[]] * len(lists)
    assert (digest["sessions"]["sessions"], digest["memories_learned"], digest["ratings"]["wrong"]) == (0, 0, 0)


async def test_a_deleted_session_is_in_no_digest(world: World, new_session: NewSession) -> None:
    session = new_session().add(begun(), e.SessionFailed(error="401"), learned("m", "Roll back."))
    await project(world, session.add(e.SessionDeleted(author="ann", request_id="r")))
    digest = await world.get(WEEK)
    assert (digest["sessions"]["sessions"], digest["failures"], digest["memories_learned"]) == (0, [], 0)


async def test_what_it_says_is_masked_though_its_records_were_not(world: World, new_session: NewSession) -> None:
    failed = e.SessionFailed(error=f"{SECRET} is refused")
    await project(world, new_session().add(begun(), failed, rated("wrong", f"the key {SECRET}")))
    digest = await world.get(WEEK)
    assert len(digest["failures"]) == len(digest["causes"]) == 1
    assert SECRET not in str(digest)
