"""A score and a review through every service: judged by a model, rated by a person, and both held together."""

from datetime import UTC, datetime

import httpx2
from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import ask_for, rows
from tarsy_testing.system.system import System


def act(system: System, session: str, author: str, body: dict[str, JsonValue]) -> httpx2.Response:
    url = f"{system.of('timeline').url}/api/v1/sessions/{session}/review"
    return httpx2.post(url, json=body, headers={"X-Forwarded-User": author}, timeout=90.0)


async def shown(system: System, session: str, status: str) -> dict[str, JsonValue]:
    """The session, once its review has this status."""

    async def look() -> dict[str, JsonValue] | None:
        found = system.get(f"/api/v1/sessions/{session}")
        assert isinstance(found, dict)
        return found if (found["scoring_status"], found["review_status"]) == ("scored", status) else None

    return await eventually(look, f"the session is scored, and {status}")


async def test_an_investigation_is_judged_and_reviewed_and_both_are_held_together(system: System, log: LiveLog) -> None:
    session = ask_for(system, "judged").session_id
    told = await log.until_event(session, e.PhaseCompleted)
    assert [one.status for one in told.events(e.PhaseCompleted)] == ["completed"]
    assert (await shown(system, session, "needs_review"))["latest_score"] == 72

    assert act(system, session, "ann", {"action": "claim"}).status_code == 200
    refused = act(system, session, "ben", {"action": "complete", "rating": "accurate"})
    assert (refused.status_code, refused.json()["detail"]) == (
        409, "ann has claimed the review: reassign it first"
    )  # fmt: skip
    wrong: dict[str, JsonValue] = {"action": "complete", "rating": "wrong", "cause": "the disk was full"}
    assert act(system, session, "ann", wrong).status_code == 200
    found = await shown(system, session, "reviewed")
    assert (found["quality_rating"], found["assignee"], found["review_cause"]) == ("wrong", "ann", "the disk was full")

    score = system.get(f"/api/v1/sessions/{session}/score")
    assert isinstance(score, dict)
    assert (score["total_score"], score["failure_tags"]) == (72, ["unsupported_confidence"])
    today = datetime.now(UTC).date()
    report = system.get(f"/api/v1/calibration?from={today.replace(day=1)}&to={today}")
    assert isinstance(report, dict)
    assert [(one["judge"], one["over_confidence"]) for one in rows(report["judges"])] == [("steady", 0.72)]
    assert [(one["confidence"], one["wrong"]) for one in rows(report["confidences"])] == [("high", 1)]

    again = system.post("timeline", f"/api/v1/sessions/{session}/score", None)
    assert again["accepted"] is True
    await log.until_event(session, e.PhaseCompleted, count=2)
