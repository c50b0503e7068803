"""A budget that waits for a person as the page shows it, in Chromium: the card says what the log says."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

from tarsy_contracts import events as e
from tarsy_contracts.budgets import Amounts, Budget
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.chat_page import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = "<img src=x onerror=alert(1)>"

type Story = Callable[[], Any]


@pytest.fixture
def scene(tab: Tab, story: Story) -> Scene:
    """An investigation that has not ended."""
    session = story()
    del session.records[-3:]
    return Scene(tab, session)


def used_up(limit: float = 1000, at_end: Any = "ask") -> e.BudgetReached:
    return e.BudgetReached(
        budget_id="session", budget=Budget(tokens=1000, at_end=at_end), execution_id="", resource="tokens",
        spent=1200, limit=limit, at_end=at_end, role="responder", timeout_seconds=600,
    )  # fmt: skip


def extended() -> e.BudgetDecided:
    return e.BudgetDecided(
        budget_id="session", outcome="extended", extension=Amounts(tokens=500), author="ann", comment=HOSTILE
    )


async def answering(scene: Scene, status: int, **body: str) -> list[dict[str, Any]]:
    """What the page sends when somebody decides."""
    sent: list[dict[str, Any]] = []

    async def take(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or "{}"))
        await route.fulfill(status=status, json=body)

    await scene.tab.page.route("**/api/v1/sessions/*/budget", take)
    return sent


def cards(scene: Scene) -> Locator:
    return scene.tab.page.locator(".item[data-type=budget]")


async def test_a_budget_that_waits_can_be_extended_and_the_card_changes_when_the_log_says_so(scene: Scene) -> None:
    sent = await answering(scene, 200, message="The budget is extended.")
    await scene.show()
    await scene.add(used_up())
    card = cards(scene).first
    await expect(card.locator(".label")).to_have_text("Budget used up")
    await expect(card).to_contain_text("1,200 tokens of the session were used")
    await card.get_by_label("More tokens").fill("500")
    await card.get_by_label("Comment").fill("go on")
    await card.get_by_role("button", name="Extend").click()
    await expect(card.get_by_role("status")).to_have_text("The budget is extended.")
    assert sent == [{"decision": "extend", "budget_id": "session", "comment": "go on", "tokens": 500}]
    await expect(card.get_by_role("button", name="Extend")).to_be_disabled()

    await scene.add(extended())
    await expect(card.get_by_role("button")).to_have_count(0)
    await expect(cards(scene).last).to_contain_text(f"ann extended the budget by 500 tokens. {HOSTILE}")
    assert await cards(scene).locator("img").count() == 0
    await scene.add(used_up(limit=1500))
    await expect(cards(scene).last.get_by_role("button")).to_have_text(["Extend", "Conclude"])
    await expect(card.get_by_role("button")).to_have_count(0)


async def test_nobody_who_decided_second_is_left_without_a_word(scene: Scene) -> None:
    sent = await answering(scene, 409, detail="the budget does not wait")
    await scene.show()
    await scene.add(used_up())
    await cards(scene).get_by_role("button", name="Conclude").click()
    await expect(cards(scene).get_by_role("status")).to_have_text("Not decided: the budget does not wait")
    assert sent == [{"decision": "conclude", "budget_id": "session", "comment": ""}]
    assert [one for one in scene.tab.complaints if "409" not in one] == []
    scene.tab.complaints.clear()


async def test_a_budget_that_asks_nobody_has_no_buttons(scene: Scene) -> None:
    await scene.show()
    await scene.add(used_up(at_end="conclude"))
    await expect(cards(scene)).to_contain_text("Agents conclude with what they have")
    await expect(cards(scene).get_by_role("button")).to_have_count(0)


async def test_the_head_tells_of_a_budget_that_is_nearly_used_up_until_somebody_extends_it(scene: Scene) -> None:
    reached = used_up()
    nearly = e.BudgetWarned.model_validate(
        reached.model_dump(include=set(e.BudgetWarned.model_fields)) | {"spent": 810}
    )
    head = scene.tab.page.locator(".head-budget")
    await scene.show()
    await expect(head).to_have_count(0)
    await scene.add(nearly)
    await expect(head).to_have_text("Budget: over 81% used")
    await scene.add(reached)
    await expect(head).to_have_text("Budget used up")
    await scene.add(extended())
    await expect(head).to_have_count(0)
