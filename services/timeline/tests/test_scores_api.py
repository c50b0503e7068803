"""Scores over HTTP: the latest and those before it, in lists, filtered and sorted, from a real PostgreSQL."""

from typing import Any

from projected_world import NewSession, World, records

from tarsy_contracts import events as e
from tarsy_contracts.events.execution import EndStatus
from tarsy_contracts.scores import SCORING, Deduction, Score, ToolRemark, ToolReport
from tarsy_testing.story.whole_chain import begun

ENDED = e.SessionCompleted(final_analysis="A leak.")


def requested(session: Any, number: int, author: str = "") -> e.PhaseRequested:
    return e.PhaseRequested(phase=SCORING, phase_id=f"{session.id}/{number}", number=number, author=author)


def judged(session: Any, number: int, score: int | None, status: EndStatus = "completed") -> list[e.Event]:
    result = Score(
        score=score or 0,
        tags=("incomplete_evidence",),
        summary="Thin.",
        deductions=(Deduction(dimension="evidence", points=5, reason="no limits", calls=(2,)),),
        tools=ToolReport(missing=(ToolRemark(tool="memory", why="no trend"),), never_used=("k8s.logs",)),
        prompt_digest="d",
    )
    return [
        requested(session, number),
        e.PhaseCompleted(
            phase=SCORING, phase_id=f"{session.id}/{number}", stage_id="s", status=status,
            error="" if score is not None else "no number",
            result=None if score is None else result.model_dump(mode="json"),
        ),
    ]  # fmt: skip


async def test_lists_have_the_latest_score_and_are_filtered_and_sorted_by_it(
    world: World, new_session: NewSession
) -> None:
    good, bad, failed, waits, plain = (new_session() for _ in range(5))
    good.add(begun(), ENDED, *judged(good, 1, 20), *judged(good, 2, 90))
    bad.add(begun(), ENDED, *judged(bad, 1, 30), *judged(bad, 2, None, "failed"))
    failed.add(begun(), ENDED, *judged(failed, 1, None, "failed"))
    waits.add(begun(), ENDED, requested(waits, 1))
    plain.add(begun(), ENDED)
    await world.project(*(record for one in (good, bad, failed, waits, plain) for record in records(one)))

    listed = (await world.get("/api/v1/sessions?sort_by=score"))["sessions"]
    assert [row["latest_score"] for row in listed] == [90, 30, None, None, None]
    statuses = {row["id"]: row["scoring_status"] for row in listed}
    assert statuses == {
        good.id: "scored", bad.id: "scoring_failed", failed.id: "scoring_failed",
        waits.id: "scoring_in_progress", plain.id: "not_scored",
    }  # fmt: skip
    for status, found in (("scored", {good.id}), ("not_scored", {plain.id})):
        rows = (await world.get(f"/api/v1/sessions?scoring_status={status}"))["sessions"]
        assert {row["id"] for row in rows} == found


async def test_a_session_tells_its_latest_score_and_all_before_it(world: World, new_session: NewSession) -> None:
    session = new_session()
    session.add(begun(), ENDED, requested(session, 1), *judged(session, 2, 40), *judged(session, 3, 72))
    await world.project(*records(session))
    score = await world.get(f"/api/v1/sessions/{session.id}/score")
    assert (score["total_score"], score["failure_tags"], score["score_triggered_by"]) == (
        72, ["incomplete_evidence"], "auto"
    )  # fmt: skip
    assert score["score_analysis"] == "Thin.\n-5 evidence: no limits [call 2]"
    assert score["tool_improvement_report"] == "Missing: memory: no trend\nNever used: k8s.logs"
    assert [(one["total_score"], one["status"]) for one in score["history"]] == [
        (72, "completed"), (40, "completed"), (None, "interrupted")
    ]  # fmt: skip
    assert (await world.detail(session))["latest_score"] == 72


async def test_a_session_without_a_score_and_one_that_is_deleted_have_none(
    world: World, new_session: NewSession
) -> None:
    plain, deleted = new_session(), new_session()
    plain.add(begun(), ENDED)
    deleted.add(begun(), ENDED, *judged(deleted, 1, 40), e.SessionDeleted(request_id="d", author="ann"))
    await world.project(*records(plain), *records(deleted))
    for session in (plain, deleted):
        assert (await world.client.get(f"/api/v1/sessions/{session.id}/score")).status_code == 404
