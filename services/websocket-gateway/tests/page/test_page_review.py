"""Reviews and scores as the page shows them, in Chromium: the board, the form of a session, and its score."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Route, expect
from pydantic import JsonValue

from tarsy_contracts.api.me import Me
from tarsy_contracts.api.scores import SessionScore, SessionScores
from tarsy_contracts.scores import Deduction, Score, ToolReport
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.chat_page import Scene
from tarsy_testing.browser.page_api import Asked, PageApi

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = "<img src=x onerror=alert(1)>"
RESULT = Score(
    score=72, tags=("incomplete_evidence",), summary=HOSTILE, tools=ToolReport(never_used=("k8s.logs",)),
    deductions=(Deduction(dimension="evidence", points=5, reason="no limits", calls=(2,)),),
)  # fmt: skip
LATEST = SessionScore(
    score_id="1", number=1, status="completed", total_score=72, score_analysis="", tool_improvement_report="",
    failure_tags=RESULT.tags, prompt_hash="d", score_triggered_by="auto", stage_id="s",
    started_at="2026-11-22T10:00:00.000Z", completed_at=None, error_message=None, result=RESULT,
)  # fmt: skip

type Story = Callable[[], Any]


@pytest.fixture
def scene(tab: Tab, story: Story) -> Scene:
    return Scene(tab, story())


async def answering(scene: Scene, status: int, **body: str) -> list[dict[str, Any]]:
    """What the page sends when somebody acts."""
    sent: list[dict[str, Any]] = []

    async def take(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or "{}"))
        await route.fulfill(status=status, json=body)

    await scene.tab.page.route("**/api/v1/sessions/*/review", take)
    return sent


async def test_a_review_is_completed_with_a_rating_and_the_real_cause(scene: Scene) -> None:
    sent = await answering(scene, 200, message="It is on record.")
    await scene.show(review_status="needs_review")
    await scene.tab.page.locator(".head-review").click()
    section = scene.tab.page.locator("section.review")
    await expect(section).to_contain_text("Needs review")
    complete = section.get_by_role("button", name="Complete")
    await expect(complete).to_be_disabled()
    await section.get_by_label("Wrong").check()
    await section.get_by_label("The real cause").fill("a full disk")
    await complete.click()
    await expect(section.get_by_role("status")).to_have_text("It is on record.")
    assert sent == [
        {
            "action": "complete", "expected_status": "needs_review", "rating": "wrong", "cause": "a full disk",
            "note": "",
        }
    ]  # fmt: skip


async def test_whoever_comes_second_is_told_who_was_first(scene: Scene) -> None:
    await answering(scene, 409, detail="ann has claimed the review: reassign it first")
    await scene.show(review_status="needs_review")
    await scene.tab.page.locator(".head-review").click()
    section = scene.tab.page.locator("section.review")
    await section.get_by_role("button", name="Claim").click()
    await expect(section.get_by_role("status")).to_have_text("Not done: ann has claimed the review: reassign it first")
    assert [one for one in scene.tab.complaints if "409" not in one] == []
    scene.tab.complaints.clear()


async def test_a_review_shows_who_said_what_as_text(scene: Scene) -> None:
    await scene.show(
        review_status="reviewed", assignee="ann", quality_rating="wrong", review_cause=HOSTILE,
        investigation_feedback="It looked elsewhere.",
    )  # fmt: skip
    await scene.tab.page.locator(".head-review").click()
    section = scene.tab.page.locator("section.review")
    await expect(section).to_contain_text("Reviewed · by ann · Wrong")
    await expect(section).to_contain_text(f"The real cause: {HOSTILE}")
    await expect(section.locator("img")).to_have_count(0)
    await expect(section.get_by_role("button")).to_have_text(["Amend", "Reopen"])


async def test_a_session_that_runs_has_no_review(scene: Scene) -> None:
    await scene.show()
    await expect(scene.tab.page.locator("section.review")).to_have_count(0)


async def test_a_score_shows_what_was_taken_off_and_why(scene: Scene) -> None:
    async def scores(route: Route) -> None:
        await route.fulfill(json=SessionScores(**dict(LATEST), history=(LATEST,)).model_dump(mode="json"))

    await scene.tab.page.route("**/api/v1/sessions/*/score", scores)
    await scene.show(status="completed", scoring_status="scored", latest_score=72, last_number=9)
    section = scene.tab.page.locator("section.score")
    await expect(section).to_contain_text("72 of 100")
    await expect(section).to_contain_text(HOSTILE)
    await expect(section.locator("li").first).to_have_text("-5 evidence: no limits [call 2]")
    await expect(section.locator(".mark")).to_have_text(["incomplete evidence"])


ROW: dict[str, JsonValue] = {
    "id": "s1", "title": HOSTILE, "status": "completed", "last_number": 3, "alert_type": "a",
    "created_at": "2026-11-22T10:00:00.000Z", "review_status": "needs_review", "latest_score": 72,
}  # fmt: skip


def list_some(asked: Asked) -> dict[str, JsonValue]:
    rows: list[JsonValue] = [ROW] if asked.query.get("review_status") == "needs_review" else []
    pages: dict[str, JsonValue] = {"page": 1, "page_size": 50, "total_pages": 1, "total_items": len(rows)}
    return {"sessions": rows, "pagination": pages}


@pytest.fixture
def api() -> PageApi:
    me = Me(name="ann", role="responder", door="token", expires_at=None)
    return PageApi({"GET /api/v1/sessions": list_some, "GET /api/v1/me": me})


async def test_the_board_has_a_column_for_each_status_and_asks_for_mine(api: PageApi, api_tab: Tab) -> None:
    page = api_tab.page
    await page.goto("/review")
    await expect(page.locator(".board h2")).to_have_text(["Needs review (1)", "Claimed (0)", "Reviewed (0)"])
    await expect(page.locator(".card a")).to_have_text(HOSTILE)
    await expect(page.locator(".card .quiet")).to_contain_text("72/100")
    await page.get_by_label("Team").fill("shop")
    await page.get_by_label("Mine").check()
    await expect(page).to_have_url("/review?mine=1&team=shop")
    await expect(page.locator(".board h2")).to_have_text(["Needs review (1)", "Claimed (0)", "Reviewed (0)"])
    asked = api.requests("GET /api/v1/sessions")[-1].query
    assert (asked["team"], asked["assignee"]) == ("shop", "ann")
