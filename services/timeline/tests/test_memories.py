"""Memories of investigations are found by words and scope, by nobody who must not see it, and gone when erased."""

from collections.abc import Mapping
from typing import Any

import pytest
from projected_world import Json, NewSession, World, records

from tarsy_auth.session_groups import SessionGroup
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.memory import GivenMemory, Memory, MemoryScope
from tarsy_contracts.wire.ids import execution_id, stage_id
from tarsy_testing.story.projection import once_projected
from tarsy_testing.story.whole_chain import begun

SHOP = SessionGroup("shop", {"namespace": ("shop",)})
SHOP_LABELS = {"namespace": ["shop"]}
ERASED = e.MemoryErased(memory_id="", request_id="r", author="ann")


def alert(**fields: str) -> Alert:
    return Alert.model_validate({"alert_type": "pod-crash", "data": "-", "source": "api", "author": "ann", **fields})


def taught(new_session: NewSession, memory_id: str, text: str, **fields: str) -> Any:
    """A session about such an alert that has taught this."""
    session = new_session().add(begun().model_copy(update={"alert": alert(**fields)}))
    return session.add(learned(memory_id, text, fields))


def learned(
    memory_id: str, text: str, fields: Mapping[str, str] | None = None, scope: MemoryScope | None = None
) -> e.MemoryLearned:
    known = {name: value for name, value in (fields or {}).items() if name in MemoryScope.model_fields}
    return e.MemoryLearned(
        memory_id=memory_id,
        phase_id="p",
        memory=Memory(text=text, scope=scope or MemoryScope()),
        origin=MemoryScope.model_validate({"alert_type": "pod-crash", **known}),
        call_ids=("c",),
    )


async def recalled(world: World, query: str, session_id: str = "asking", **fields: str) -> list[Json]:
    context = {"session_id": session_id, "alert_type": "pod-crash", **fields}
    answer = await world.ask("/internal/v1/recall", {"query": query, "limit": 5, "context": context})
    found: list[Json] = answer["memories"]
    return found


async def ids(world: World, query: str, **fields: str) -> list[str]:
    return [one["memory_id"] for one in await recalled(world, query, **fields)]


async def test_memories_are_found_by_words_and_those_that_few_have_count_more(
    world: World, new_session: NewSession
) -> None:
    for number in range(8):
        await world.project(*records(taught(new_session, f"m{number}", f"Pods crash, and case {number} was a limit.")))
    await world.project(*records(taught(new_session, "rare", "Pods crash when the zookeeper quorum is lost.")))
    assert (await ids(world, "Pods crash: zookeeper unreachable"))[0] == "rare"


async def test_two_names_that_some_have_count_more_than_five_words_that_most_have(
    world: World, new_session: NewSession
) -> None:
    """Each name stands in 61 memories, each common word in 300: a count that ends at 100 knows no difference."""
    session = new_session().add(begun().model_copy(update={"alert": alert(alert_type="disk")}))
    texts = [
        *(f"Latency errors follow each rollout on node {number}." for number in range(300)),
        *("Ask zookeeper." for _ in range(60)),
        *("Ask etcd." for _ in range(60)),
        "Ask zookeeper, then etcd.",
    ]
    session.add(*(learned(f"m{number:03}", text) for number, text in enumerate(texts)))
    await world.project(*records(session))
    question = "latency errors follow each rollout on a node: zookeeper, etcd"
    assert (await ids(world, question, alert_type="other"))[0] == "m420"


async def test_other_forms_of_a_word_are_the_same_word(world: World, new_session: NewSession) -> None:
    await world.project(*records(taught(new_session, "m", "Evictions follow full disks.", alert_type="disk")))
    assert await ids(world, "disk eviction") == ["m"]


async def test_what_was_learnt_from_the_same_workload_comes_first(world: World, new_session: NewSession) -> None:
    here = {"namespace": "shop", "workload": "api"}
    await world.project(*records(taught(new_session, "there", "Too low a limit.", workload="web", namespace="shop")))
    await world.project(*records(taught(new_session, "here", "Too low a limit.", **here)))
    assert await ids(world, "limit", **here) == ["here", "there"]
    assert (await ids(world, "words that nobody wrote", **here))[0] == "here"


async def test_a_memory_of_another_scope_stands_behind(world: World, new_session: NewSession) -> None:
    session = taught(new_session, "any", "The cache is cold after a restart.")
    session.add(learned("other", "The cache is cold after a restart.", scope=MemoryScope(cluster="us-1")))
    await world.project(*records(session))
    assert await ids(world, "cold cache", cluster="eu-1") == ["any", "other"]


async def test_what_other_sessions_found_counts_in_whatever_order_it_comes(
    world: World, new_session: NewSession
) -> None:
    judged = {"memory_id": "m", "learned_in": "x", "phase_id": "p"}
    session = new_session().add(begun(), e.MemoryReinforced(**judged))
    await world.project(*records(session))  # before the memory itself: it is on another partition
    await world.project(*records(taught(new_session, "m", "The cache is cold.")))
    assert (await world.get("/api/v1/memories/m"))["confidence"] == 0.76
    for _ in range(3):
        against = new_session().add(begun(), e.MemoryDeprecated(**judged))
        await world.project(*records(against))
    shown = await world.get("/api/v1/memories/m")
    assert (shown["seen_count"], shown["contradicted_count"]) == (2, 3)
    assert shown["confidence"] < 0.2
    assert await ids(world, "cold cache") == []


async def test_a_locked_memory_is_as_sure_as_it_was(world: World, new_session: NewSession) -> None:
    session = taught(new_session, "m", "The cache is cold.")
    locked = Memory(text="The cache is cold.", locked=True)
    session.add(e.MemoryEdited(memory_id="m", request_id="r", author="ann", memory=locked))
    await world.project(*records(session))
    against = new_session().add(begun(), e.MemoryDeprecated(memory_id="m", learned_in=session.id, phase_id="p"))
    await world.project(*records(against))
    assert (await world.get("/api/v1/memories/m"))["confidence"] == 0.7


async def test_what_a_person_wrote_is_found_and_what_stood_there_is_not(world: World, new_session: NewSession) -> None:
    session = taught(new_session, "m", "The zookeeper is lost.", alert_type="other")
    session.add(e.MemoryEdited(memory_id="m", request_id="r", author="ann", memory=Memory(text="The kafka is lost.")))
    await world.project(*records(session))
    assert await ids(world, "kafka") == ["m"]
    assert await ids(world, "zookeeper") == []


async def test_a_deprecated_memory_is_given_to_nobody_and_still_listed(world: World, new_session: NewSession) -> None:
    session = taught(new_session, "m", "The cache is cold.")
    old = Memory(text="The cache is cold.", deprecated=True)
    session.add(e.MemoryEdited(memory_id="m", request_id="r", author="ann", memory=old))
    await world.project(*records(session))
    assert await ids(world, "cold cache") == []
    assert (await world.get("/api/v1/memories?deprecated=true"))["total"] == 1


async def test_an_answer_is_never_so_long_that_the_log_would_cut_it(world: World, new_session: NewSession) -> None:
    for number in range(20):
        await world.project(*records(taught(new_session, f"m{number}", f"Cold cache {number}. " + "\U0001f525" * 980)))
    context = {"session_id": "asking", "alert_type": "pod-crash"}
    asked = {"query": "cold cache", "limit": 20, "context": context}
    answer = await world.client.post("/internal/v1/recall", json=asked)
    assert 5 < len(answer.json()["memories"]) < 20
    assert len(answer.content) < 64 * 1024


async def test_a_session_is_not_given_what_it_taught_itself(world: World, new_session: NewSession) -> None:
    session = taught(new_session, "m", "The cache is cold.")
    await world.project(*records(session))
    assert await recalled(world, "cold cache", session_id=session.id) == []


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ([], ["shop", "bank"]),
        ([SHOP_LABELS], ["shop"]),
        ([SHOP_LABELS, {"alert_type": ["pod-crash"]}], ["shop"]),
        ([SHOP_LABELS, {"namespace": ["shop"], "cluster": ["eu-1"]}], ["shop"]),
        ([{"namespace": ["bank"]}], ["shop", "bank"]),
    ],
)
async def test_a_session_is_given_only_what_all_of_its_readers_may_see(
    groups: list[dict[str, list[str]]], found: list[str], world: World, new_session: NewSession
) -> None:
    """Somebody who sees the shop alone reads the prompt of its session."""
    await world.project(*records(taught(new_session, "bank", "The ledger is locked.", namespace="bank")))
    await world.project(
        *records(taught(new_session, "shop", "The ledger is locked.", namespace="shop", cluster="eu-1"))
    )
    world.configured_groups = groups
    asked = {"namespace": "shop", "cluster": "eu-1"}
    assert await ids(world, "ledger locked", **asked) == found


async def test_callers_see_memories_of_the_sessions_that_they_see(world: World, new_session: NewSession) -> None:
    bank = taught(new_session, "bank", "The ledger is locked.", namespace="bank")
    shop = taught(new_session, "shop", "The ledger is locked.", namespace="shop")
    await world.project(*records(bank), *records(shop))
    world.session_groups = (SHOP,)
    assert [one["id"] for one in (await world.get("/api/v1/memories"))["memories"]] == ["shop"]
    for path in (
        "/api/v1/memories/bank",
        f"/api/v1/sessions/{bank.id}/memories",
        f"/api/v1/sessions/{bank.id}/similar",
    ):
        assert (await once_projected(world.client, path)).status_code == 404


async def test_what_a_session_began_with_keeps_its_number_when_another_is_forgotten(
    world: World, new_session: NewSession
) -> None:
    teacher = taught(new_session, "gone", "Look at the disk.").add(learned("kept", "Look at the rollout."))
    asking = new_session()
    stage, execution = stage_id(asking.id, 1), execution_id(stage_id(asking.id, 1), 1)
    memories = tuple(
        GivenMemory(number=number, memory_id=one, digest="d", score=1.0)
        for number, one in enumerate(("gone", "kept"), 1)
    )
    asking.add(
        begun(),
        e.StageStarted(
            stage_id=stage, index=1, name="Look", stage_type="investigation", chain_stage=0, expected_agent_count=1,
        ),
        e.ExecutionStarted(
            execution_id=execution, stage_id=stage, agent="A", index=1, system="-", prompt="-", tools=(),
            memories=memories,
        ),
        e.ExecutionCompleted(
            execution_id=execution, stage_id=stage, agent="A", index=1, status="completed",
            final_analysis="It was the rollout, as I was told [memory 2].",
        ),
    )  # fmt: skip
    await world.project(*records(teacher), *records(asking))
    path = f"/api/v1/sessions/{asking.id}/injected-memories"

    async def shown() -> list[Json]:
        found: list[Json] = (await once_projected(world.client, path)).json()
        return found

    assert [(one["id"], one["number"], one["cited"]) for one in await shown()] == [
        ("gone", 1, False),
        ("kept", 2, True),
    ]
    teacher.add(ERASED.model_copy(update={"memory_id": "gone"}))
    await world.project(teacher.recorded(len(teacher.records)))
    assert [(one["id"], one["number"]) for one in await shown()] == [("kept", 2)]


async def test_an_erased_memory_is_nowhere_also_not_in_the_words_of_its_reflection(
    world: World, new_session: NewSession
) -> None:
    session = taught(new_session, "m", "The zookeeper is lost.")
    stage, execution = stage_id(session.id, 9), execution_id(stage_id(session.id, 9), 1)
    session.add(
        e.StageStarted(
            stage_id=stage, index=9, name="Reflection", stage_type="reflection", chain_stage=None,
            expected_agent_count=1,
        ),
        e.ExecutionStarted(
            execution_id=execution, stage_id=stage, agent="R", index=1, system="-", prompt="-", tools=(),
        ),
        e.ExecutionCompleted(
            execution_id=execution, stage_id=stage, agent="R", index=1, status="completed",
            final_analysis="The zookeeper is lost.",
        ),
    )  # fmt: skip
    await world.project(*records(session))
    await world.index()
    session.add(ERASED.model_copy(update={"memory_id": "m"}))
    await world.project(session.recorded(len(session.records)))
    await world.index()
    assert await ids(world, "zookeeper") == []
    assert (await once_projected(world.client, "/api/v1/memories/m")).status_code == 404
    timeline = await world.client.get(f"/api/v1/sessions/{session.id}/timeline")
    assert "zookeeper" not in timeline.text
    assert (await world.get("/api/v1/sessions?search=zookeeper"))["sessions"] == []


async def test_a_memory_goes_with_its_session_and_with_it_what_that_said_of_others(
    world: World, new_session: NewSession
) -> None:
    await world.project(*records(taught(new_session, "other", "The disk is full.")))
    session = taught(new_session, "m", "The cache is cold.")
    session.add(e.MemoryReinforced(memory_id="other", learned_in="x", phase_id="p"))
    await world.project(*records(session))
    session.add(e.SessionDeleted(request_id="r", author="ann"))
    await world.project(session.recorded(len(session.records)))
    assert await ids(world, "cold cache full disk") == ["other"]
    assert (await world.get("/api/v1/memories/other"))["seen_count"] == 1


async def test_past_sessions_are_searched_for_an_agent(world: World, new_session: NewSession) -> None:
    session = new_session().add(begun().model_copy(update={"alert": alert(title="The zookeeper burns")}))
    await world.project(*records(session))
    await world.index()
    asked = {"query": "zookeeper", "days_back": 365, "context": {"session_id": "asking", "alert_type": "x"}}
    (found,) = (await world.ask("/internal/v1/past-sessions", asked))["sessions"]
    assert (found["session_id"], found["title"]) == (session.id, "The zookeeper burns")
    world.configured_groups = [{"alert_type": ["x"]}]
    assert (await world.ask("/internal/v1/past-sessions", asked))["sessions"] == []


async def test_similar_sessions_say_why_they_are(world: World, new_session: NewSession) -> None:
    this = {"title": "Ledger locked on api", "workload": "api", "namespace": "shop"}
    others = {
        "again": this,
        "beside": {"title": "Disk full", "workload": "api", "namespace": "shop"},
        "words": {"title": "Ledger locked on web", "alert_type": "other"},
        "nothing": {"title": "Certificate expires", "alert_type": "cert"},
    }
    session = new_session().add(begun().model_copy(update={"alert": alert(**this)}))
    made = {name: new_session().add(begun().model_copy(update={"alert": alert(**one)})) for name, one in others.items()}
    for one in (*made.values(), session):
        await world.project(*records(one))
    await world.index()
    found = (await world.get(f"/api/v1/sessions/{session.id}/similar"))["sessions"]
    assert {one["session_id"]: one["reasons"] for one in found} == {
        made["again"].id: ["same_alert", "same_workload", "close_words"],
        made["beside"].id: ["same_workload"],
        made["words"].id: ["close_words"],
    }
