"""The form that submits an alert, in Chromium, by what the API answers."""

import asyncio
import re
from collections.abc import Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from pydantic import JsonValue

from tarsy_contracts.api.alerts import AlertAccepted
from tarsy_contracts.api.configuration import (
    AlertTypeList,
    DefaultNativeTools,
    DefaultTools,
    EffectiveConfiguration,
    OfferedAlertType,
)
from tarsy_contracts.api.me import Me
from tarsy_contracts.api.system import McpServer, McpServers, McpTool
from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.page_api import Asked, PageApi, Problem

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
SUBMIT = "POST /api/v1/alerts"
ACCEPTED = AlertAccepted(session_id="s1", status="queued", message="The alert is queued.")
TYPES = AlertTypeList(
    alert_types=(
        OfferedAlertType(type="KubernetesPod", chain_id="kubernetes", description=HOSTILE),
        OfferedAlertType(type="Disk", chain_id="disks", description=""),
    ),
    default_chain_id="kubernetes",
    default_alert_type="KubernetesPod",
)
CONFIGURATION = EffectiveConfiguration(
    version="1", defaults={}, limits={}, queue={}, system={}, agents={}, chains={}, skills={},
    mcp_servers={"k8s": {}, "disks": {}}, llm_providers={"fast": {}, "deep": {}},
)  # fmt: skip


def tools(alert_type: str, *servers: str) -> DefaultTools:
    native = DefaultNativeTools(google_search=True, code_execution=False, url_context=False)
    return DefaultTools(alert_type=alert_type, mcp_servers=servers, native_tools=native)


def server(name: str, *names: str) -> McpServer:
    found = tuple(
        McpTool(name=one, description="", repeatable=True, annotations=None, input_schema=None, allowed=one != "denied")
        for one in names
    )
    return McpServer(
        id=name, healthy=True, misconfigured=False, error=None, last_check=None, protocol_version="",
        server_version="", tool_count=len(found), tools=found, workers=(),
    )  # fmt: skip


SESSION: dict[str, JsonValue] = {
    "id": "s0", "alert_data": f"the pod {HOSTILE}", "alert_type": "Gone", "title": "Pod", "priority": "high",
    "runbook_url": "https://runbooks.example.com/pod", "llm_provider": "deep",
    "mcp_selection": {"servers": [{"name": "k8s", "tools": ["pods"]}], "native_tools": {"url_context": False}},
}  # fmt: skip


@pytest.fixture
def api() -> PageApi:
    def defaults(asked: Asked) -> DefaultTools:
        return tools("Disk", "disks") if asked.query.get("alert_type") == "Disk" else tools("KubernetesPod", "k8s")

    return PageApi(
        {
            "GET /api/v1/alert-types": TYPES,
            "GET /api/v1/runbooks": ["https://runbooks.example.com/pod"],
            "GET /api/v1/system/config": CONFIGURATION,
            "GET /api/v1/system/default-tools": defaults,
            "GET /api/v1/system/mcp-servers": McpServers(servers=(server("k8s"),)),
            "GET /api/v1/system/mcp-servers/k8s": server("k8s", "pods", "logs", "denied"),
            "GET /api/v1/sessions/s0": SESSION,
            SUBMIT: ACCEPTED,
        }
    )


@pytest_asyncio.fixture(loop_scope="session")
async def tab(api_tab: Tab) -> Tab:
    await api_tab.page.route_web_socket("**/api/v1/ws", lambda _: None)
    return api_tab


async def submit(page: Page) -> None:
    await page.get_by_role("button", name="Submit").click()


async def test_an_alert_with_all_that_can_be_chosen_leads_to_its_session(api: PageApi, tab: Tab) -> None:
    page = tab.page
    await page.goto("/submit")
    await expect(page.get_by_text(f"Chain kubernetes: {HOSTILE}")).to_be_visible()
    await expect(page.get_by_label("The chain's tools: k8s, web search")).to_be_checked()
    await page.get_by_label("Alert", exact=True).fill('{"pod": "a"}')
    await page.get_by_role("button", name="Indent the JSON").click()
    await page.get_by_label("Title").fill("A pod")
    await page.get_by_label("Alert type").select_option("Disk")
    await expect(page.get_by_text("Chain disks", exact=True)).to_be_visible()
    await expect(page.get_by_label("The chain's tools: disks, web search")).to_be_checked()
    await page.get_by_label("Priority").select_option("urgent")
    await page.get_by_label("Model", exact=True).select_option("fast")
    await page.get_by_label("Runbook").fill("https://runbooks.example.com/disk")
    await expect(page.locator("datalist option")).to_have_attribute("value", "https://runbooks.example.com/pod")

    await page.get_by_label("Only these").check()
    await expect(page.get_by_label("disks", exact=True)).to_be_checked()
    await page.get_by_label("disks", exact=True).uncheck()
    await page.get_by_label("k8s", exact=True).check()
    await page.get_by_text("All tools").click()
    await expect(page.locator(".tool-choices code")).to_have_text(["pods", "logs"])
    await page.get_by_label("logs", exact=True).uncheck()
    await page.get_by_label("Web search", exact=True).select_option("Off")
    await submit(page)

    await expect(page).to_have_url(re.compile("/sessions/s1$"))
    (asked,) = api.requests(SUBMIT)
    assert asked.body == {
        "data": '{\n  "pod": "a"\n}', "title": "A pod", "alert_type": "Disk", "priority": "urgent",
        "llm_provider": "fast", "runbook": "https://runbooks.example.com/disk",
        "mcp": {"servers": [{"name": "k8s", "tools": ["pods"]}], "native_tools": {"google_search": False}},
    }  # fmt: skip
    assert asked.key
    assert await page.evaluate("sessionStorage.length") == 0


async def test_what_is_not_filled_in_is_left_out(api: PageApi, tab: Tab) -> None:
    page = tab.page
    await page.goto("/submit")
    await submit(page)
    assert api.requests(SUBMIT) == []
    await page.get_by_label("Alert", exact=True).fill("{ it is no JSON")
    await expect(page.get_by_text("It looks like JSON, but is not valid")).to_be_visible()
    await submit(page)
    await expect(page).to_have_url(re.compile("/sessions/s1$"))
    assert api.requests(SUBMIT)[0].body == {"data": "{ it is no JSON"}


async def test_each_mistake_stands_at_its_field_and_nothing_typed_is_lost(api: PageApi, tab: Tab) -> None:
    mistakes = {"/runbook": "the domain is not allowed", "/mcp/servers/0/name": "no MCP server has this name"}
    api.answers[SUBMIT] = Problem(400, "runbook: the domain is not allowed", mistakes)
    page = tab.page
    await page.goto("/submit")
    await page.get_by_label("Alert", exact=True).fill("a pod")
    await page.get_by_label("Runbook").fill("https://elsewhere.example.com/")
    await submit(page)
    runbook = page.get_by_label("Runbook")
    await expect(runbook).to_be_focused()
    await expect(runbook).to_have_attribute("aria-invalid", "true")
    await expect(page.locator("#about-runbook .failure")).to_have_text("the domain is not allowed")
    await expect(page.locator("#about-mcp .failure")).to_have_text("no MCP server has this name")
    await expect(page.locator(".answer")).to_have_text("Not submitted: correct what is marked above.")

    await page.get_by_role("link", name="System", exact=True).click()
    await page.get_by_role("link", name="Submit", exact=True).click()
    await expect(page.get_by_label("Alert", exact=True)).to_have_value("a pod")
    await page.reload()
    await expect(page.get_by_label("Runbook")).to_have_value("https://elsewhere.example.com/")


async def test_the_same_alert_again_has_the_same_key_until_it_is_known_what_came_of_it(api: PageApi, tab: Tab) -> None:
    refused, forbidden = Problem(503, "Kafka does not answer."), Problem(403, "This needs the role responder.")
    answers: Iterator[Problem | AlertAccepted] = iter([refused, forbidden, ACCEPTED])
    api.answers[SUBMIT] = lambda _: next(answers)
    page = tab.page
    await page.goto("/submit")
    await page.get_by_label("Alert", exact=True).fill("a pod")
    for said in ("Not submitted: Kafka does not answer.", "Not submitted: This needs the role responder."):
        await submit(page)
        await expect(page.locator(".answer")).to_have_text(said)
        await expect(page.get_by_label("Alert", exact=True)).to_have_value("a pod")
    await submit(page)
    await expect(page).to_have_url(re.compile("/sessions/s1$"))
    first, second, third = (one.key for one in api.requests(SUBMIT))
    assert first == second != third


async def test_a_session_fills_the_form(api: PageApi, tab: Tab) -> None:
    page = tab.page
    await page.goto("/submit?from=s0")
    await expect(page.get_by_label("Alert", exact=True)).to_have_value(f"the pod {HOSTILE}")
    await expect(page.get_by_text("No chain investigates this type.")).to_be_visible()
    await expect(page.get_by_label("k8s", exact=True)).to_be_checked()
    await submit(page)
    await expect(page).to_have_url(re.compile("/sessions/s1$"))
    assert api.requests(SUBMIT)[0].body == {
        "data": f"the pod {HOSTILE}", "title": "Pod", "alert_type": "Gone", "priority": "high",
        "llm_provider": "deep", "runbook": "https://runbooks.example.com/pod",
        "mcp": {"servers": [{"name": "k8s", "tools": ["pods"]}], "native_tools": {"url_context": False}},
    }  # fmt: skip


async def test_what_is_typed_before_the_session_is_there_stays(api: PageApi, tab: Tab) -> None:
    release = api.held["GET /api/v1/sessions/s0"] = asyncio.Event()
    page = tab.page
    await page.goto("/submit?from=s0")
    await page.get_by_label("Alert", exact=True).fill("another pod")
    await page.get_by_label("Priority").select_option("urgent")
    release.set()
    await expect(page.get_by_label("Title")).to_have_value("Pod")
    await expect(page.get_by_label("Alert", exact=True)).to_have_value("another pod")
    await expect(page.get_by_label("Priority")).to_have_value("urgent")


async def test_a_session_that_is_not_known_is_said(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/sessions/s9"] = Problem(404, "There is no such session.")
    await tab.page.goto("/submit?from=s9")
    await expect(tab.page.locator(".answer")).to_have_text("Not filled in: there is no session s9 here.")


async def test_a_viewer_is_told_what_it_needs(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/me"] = Me(name="ada", role="viewer", door="token", expires_at=None)
    await tab.page.goto("/submit")
    await expect(tab.page.locator(".notice")).to_have_text(
        "Submitting an alert needs the role responder. Yours is viewer."
    )
    await expect(tab.page.locator("main form")).to_have_count(0)


async def test_who_has_left_the_form_is_not_led_away_by_its_answer(api: PageApi, tab: Tab) -> None:
    release = api.held[SUBMIT] = asyncio.Event()
    page = tab.page
    await page.goto("/submit")
    await page.get_by_label("Alert", exact=True).fill("a pod")
    await submit(page)
    await expect(page.locator(".answer")).to_have_text("Submitting …")
    await page.get_by_role("link", name="Usage").click()
    await expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    async with page.expect_response("**/api/v1/alerts") as answered:
        release.set()
    await (await answered.value).finished()
    # The draft goes with the answer.
    await page.wait_for_function("sessionStorage.length === 0")
    await page.evaluate("() => new Promise(requestAnimationFrame)")
    await expect(page).to_have_url(re.compile("/usage$"))


async def test_a_list_that_does_not_come_is_said_and_the_form_works_without(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/runbooks"] = Problem(503, "The database cannot be reached.")
    page = tab.page
    await page.goto("/submit")
    await expect(page.locator(".notice")).to_contain_text("The database cannot be reached.")
    await page.get_by_label("Alert", exact=True).fill("a pod")
    await page.keyboard.press("Tab")
    await submit(page)
    await expect(page).to_have_url(re.compile("/sessions/s1$"))


async def test_a_list_that_did_not_come_is_asked_for_again(api: PageApi, tab: Tab) -> None:
    for path in ("alert-types", "system/default-tools"):
        api.answers[f"GET /api/v1/{path}"] = Problem(503, "The database cannot be reached.")
    page = tab.page
    await page.goto("/submit")
    await expect(page.locator(".notice")).to_contain_text("The database cannot be reached.")
    api.answers["GET /api/v1/alert-types"] = TYPES
    api.answers["GET /api/v1/system/default-tools"] = tools("KubernetesPod", "k8s")
    await expect(page.get_by_label("Alert type").locator("option")).to_have_count(3)
    await expect(page.get_by_label("The chain's tools: k8s, web search")).to_be_checked()
    await expect(page.locator(".notice")).to_have_count(0)
