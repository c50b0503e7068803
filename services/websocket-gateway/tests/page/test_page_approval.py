"""A call that waits for a person as the page shows it, in Chromium: the card says what the log says."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tarsy_contracts import events as e
from tarsy_contracts.actions import ActionCall, ActionOutcome
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.chat_page import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"

type Story = Callable[[], Any]


@pytest.fixture
def scene(tab: Tab, story: Story) -> Scene:
    return Scene(tab, story())


def waits(call_id: str = "call-9") -> e.ToolCallApprovalRequested:
    return e.ToolCallApprovalRequested(
        call_id=call_id, execution_id="", server="kubernetes", tool="pods_delete", arguments={"name": HOSTILE},
        reason=f"It hangs. {HOSTILE}", role="responder", timeout_seconds=600, on_timeout="fail",
    )  # fmt: skip


async def answering(scene: Scene, status: int, **body: str) -> list[tuple[str, dict[str, str]]]:
    """What the page sends when somebody decides."""
    sent: list[tuple[str, dict[str, str]]] = []

    async def take(route: Route) -> None:
        sent.append((route.request.url, json.loads(route.request.post_data or "{}")))
        await route.fulfill(status=status, json=body)

    await scene.tab.page.route("**/approvals/*", take)
    return sent


async def test_the_card_has_all_that_a_person_must_know_as_text(scene: Scene) -> None:
    await scene.show()
    await scene.add(waits())
    card = scene.tab.page.locator(".item[data-type=approval]")
    await expect(card.locator(".label")).to_have_text("Awaiting approval")
    await expect(card.locator(".tool")).to_have_text("kubernetes.pods_delete")
    await expect(card).to_contain_text(f"It hangs. {HOSTILE}")
    await expect(card).to_contain_text("Anyone with the role responder can decide until")
    await expect(card).to_contain_text("then the session fails")
    assert json.loads(await card.locator(".data").inner_text()) == {"name": HOSTILE}
    assert await card.locator("img, script").count() == 0
    await expect(card.get_by_role("button")).to_have_text(["Approve", "Deny"])


async def test_a_decision_is_sent_once_and_the_card_changes_when_the_log_says_so(scene: Scene) -> None:
    sent = await answering(scene, 200, message="The call is denied.")
    await scene.show()
    await scene.add(waits())
    card = scene.tab.page.locator(".item[data-type=approval]")
    await card.get_by_label("Comment").fill("scale it instead")
    await card.get_by_role("button", name="Deny").click()
    await expect(card.get_by_role("status")).to_have_text("The call is denied.")
    [(url, body)] = sent
    assert url.endswith(f"/api/v1/sessions/{scene.session.id}/approvals/call-9")
    assert body == {"decision": "deny", "comment": "scale it instead"}
    await expect(card.get_by_role("button", name="Deny")).to_be_disabled()
    await expect(card).to_have_attribute("data-status", "streaming")

    await scene.add(e.ToolCallApprovalDecided(call_id="call-9", outcome="denied", author="ann", comment="no"))
    await expect(card).to_have_attribute("data-status", "completed")
    await expect(card).to_contain_text("ann denied the call. no")
    await expect(card.get_by_role("button")).to_have_count(0)
    before = await card.inner_text()
    await scene.reload()
    assert await card.inner_text() == before


async def test_a_decision_that_came_second_is_told_and_can_be_repeated(scene: Scene) -> None:
    await answering(scene, 409, detail="the call was approved already, by ann")
    await scene.show()
    await scene.add(waits())
    card = scene.tab.page.locator(".item[data-type=approval]")
    await card.get_by_role("button", name="Approve").click()
    await expect(card.get_by_role("status")).to_have_text("Not decided: the call was approved already, by ann")
    await expect(card.get_by_role("button", name="Approve")).to_be_enabled()
    assert [one for one in scene.tab.complaints if "409" not in one] == []
    scene.tab.complaints.clear()


async def test_the_card_has_what_came_back_when_the_call_was_tried_out(scene: Scene) -> None:
    await scene.show()
    trial = e.ToolCallRequested(
        call_id="trial", execution_id="", llm_call_id="", server="kubernetes", tool="pods_delete", arguments={},
        repeatable=True, timeout_seconds=60, read_only=True, dry_run_of="call-9",
    )  # fmt: skip
    await scene.add(trial)
    await scene.add(waits().model_copy(update={"dry_run": "trial"}))
    card = scene.tab.page.locator(".item[data-type=approval]")
    await expect(card).to_contain_text("The dry run has not ended yet.")
    await scene.add(e.ToolCallCompleted(call_id="trial", outcome="ok", content=HOSTILE))
    await expect(card.locator(".dry-run")).to_have_text(HOSTILE)


async def test_a_stage_that_acted_has_its_verdict_its_numbers_and_its_calls(scene: Scene) -> None:
    await scene.show()
    call = ActionCall(call_id="c", server="k8s", tool="pods_delete", result="done", approved_by="ann")
    outcome = ActionOutcome(verdict="acted", done=1, calls=(call,), helped="no")
    await scene.add(e.StageStarted(stage_id="acts", index=90, name="act", stage_type="action"))
    await scene.add(e.StageCompleted(stage_id="acts", index=90, name="act", status="completed", action=outcome))
    group = scene.tab.page.locator(".group[data-type=action]")
    await expect(group.locator(".action-outcome")).to_have_text("acted 1 done · approved by ann · it did not help")
    await expect(group.locator(".action-calls li")).to_have_text("k8s.pods_delete done (ann)")
    before = await group.inner_text()
    await scene.reload()
    await expect(group).to_have_text(before, use_inner_text=True)
