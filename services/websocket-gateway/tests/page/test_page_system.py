"""The system view in Chromium: held sessions, dead letters, configuration and versions, by what the API answers."""

import base64
import re

import pytest
from playwright.async_api import Browser, Page, expect

from tarsy_contracts.api.configuration import EffectiveConfiguration
from tarsy_contracts.api.dead_letters import (
    DeadLetterDetail,
    DeadLetterList,
    DeadLetterRaw,
    DeadLetterRow,
    MaskedHeader,
    RawHeader,
    RedriveAnswer,
    Redriven,
)
from tarsy_contracts.api.me import Me
from tarsy_contracts.api.requests import SessionRequestGranted
from tarsy_contracts.api.system import (
    HeldSession,
    HeldSessionList,
    McpServers,
    ProjectionState,
    QueueState,
    SystemOverview,
    SystemWarning,
    SystemWarnings,
    SystemWorker,
)
from tarsy_testing.browser.axe import violations_in_both_schemes
from tarsy_testing.browser.browser import Tab, new_tab
from tarsy_testing.browser.page_api import Asked, PageApi, Problem
from tarsy_testing.browser.torn_words import torn_words

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
TIME = "2026-11-22T10:00:00Z"
LETTER = "0e1d0e1d-0000-4000-8000-00000000000a"
OTHER = "0e1d0e1d-0000-4000-8000-00000000000b"


def row(letter_id: str = LETTER, **changes: object) -> dict[str, object]:
    return {
        "id": letter_id, "status": "waiting", "service": "ingest", "topic": "tarsy.alerts", "partition": 0,
        "offset": 7, "appended_at": TIME, "buried_at": TIME, "reason": "no JSON", "attempts": 1, "cut": False,
        "size_bytes": 20, "redriven_at": None, "redriven_by": None, "refusal": None, **changes,
    }  # fmt: skip


def letters(*rows: dict[str, object]) -> DeadLetterList:
    return DeadLetterList(
        letters=tuple(DeadLetterRow.model_validate(one) for one in rows), total_items=len(rows), next=None
    )


def detail(**changes: object) -> DeadLetterDetail:
    whole = {
        **row(), "stored_partition": 0, "stored_offset": 1, "key": "k", "value": "masked", "shortened": False,
        "headers": (MaskedHeader(name="content-type", value="text/plain"),), **changes,
    }  # fmt: skip
    return DeadLetterDetail.model_validate(whole)


def redriven(letter_id: str, outcome: str = "redriven", message: str = "It was written back.") -> Redriven:
    return Redriven.model_validate({"id": letter_id, "outcome": outcome, "message": message, "topic": "tarsy.alerts"})


def held(*sessions: HeldSession) -> HeldSessionList:
    return HeldSessionList(sessions=sessions, total_items=len(sessions))


def session(session_id: str, reason: str = "decision") -> HeldSession:
    return HeldSession(session_id=session_id, reason=reason, why=f"Set aside: {HOSTILE}", inputs=2, created_at=TIME)


def role(name: str) -> Me:
    return Me(name="ada", role=name, door="token", expires_at=None)


def overview(**projection: float) -> SystemOverview:
    behind = {"partitions": 2, "lag_records": 0, "lag_seconds": 0.0, "unprojected": 0, **projection}
    return SystemOverview(
        version="1.2.3",
        queue=QueueState(running=3, waiting=8, waiting_since=TIME),
        projection=ProjectionState.model_validate(behind),
        workers=(SystemWorker(worker_id="w", service="orchestrator", name=HOSTILE, waiting=8, last_heard=TIME),),
    )


@pytest.fixture
def api() -> PageApi:
    return PageApi({"GET /api/v1/system/overview": overview()})


@pytest.fixture
def tab(api_tab: Tab) -> Tab:
    return api_tab


async def open_part(page: Page, part: str) -> None:
    await page.goto(f"/system?part={part}")
    await expect(page.locator(".parts [aria-current]")).to_be_visible()


async def test_the_parts_have_addresses_and_the_current_one_is_marked(api: PageApi, tab: Tab) -> None:
    warning = SystemWarning(
        id="w", category="queue", message=HOSTILE, details="Many wait.", server_id=None, created_at=TIME
    )
    api.answers["GET /api/v1/system/warnings"] = SystemWarnings(warnings=(warning,), server_count=1)
    api.answers["GET /api/v1/system/mcp-servers"] = McpServers(servers=())
    page = tab.page
    await page.goto("/system")
    await expect(page.locator(".warnings strong")).to_have_text(HOSTILE)
    await expect(page.locator(".parts [aria-current]")).to_have_text("Overview 1")
    await expect(page.locator(".places [aria-current]")).to_have_text("System")

    await page.get_by_role("link", name="MCP servers", exact=True).click()
    await expect(page).to_have_url(re.compile(r"/system\?part=servers$"))
    await expect(page).to_have_title("MCP servers · TARSy")
    await expect(page.locator(".part > .notice")).to_have_text("No tool gateway has reported an MCP server yet.")
    await expect(page.locator(".warnings li")).to_have_count(0)
    await page.go_back()
    await expect(page.locator(".warnings strong")).to_have_text(HOSTILE)


async def test_the_overview_has_the_queue_the_lag_and_the_processes(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/system/overview"] = overview(lag_records=12, lag_seconds=4.0, unprojected=1)
    page = tab.page
    await open_part(page, "overview")
    await expect(page.locator(".part > .notice")).to_have_text("All systems normal.")
    await expect(page.locator(".pipeline strong")).to_have_text(["8", "1", "Answer", "0", "0", "4 s", "Live"])
    await expect(page.locator("[data-step=orchestrator]")).to_contain_text("3 sessions run")
    await expect(page.locator("[data-step=timeline]")).to_contain_text("12 records · 1 unprojected event")
    lamps = await page.locator(".lamp").evaluate_all("(lamps) => lamps.map((one) => one.dataset.tone)")
    assert lamps == ["good", "good", "good", "bad", "bad", "warning", "good"]
    await expect(page.locator("tbody code")).to_have_text(HOSTILE)
    await expect(page.get_by_text("The first in the queue has been waiting since")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 820, 390])
async def test_the_way_of_an_alert_fits_at_each_width(api: PageApi, tab: Tab, width: int) -> None:
    workers = tuple(
        SystemWorker(worker_id=name, service=name, name=f"{name}-7d9f-0", waiting=None, last_heard=TIME)
        for name in ("orchestrator", "tool-gateway", "summarizer")
    )
    api.answers["GET /api/v1/system/overview"] = overview(lag_records=40, lag_seconds=2.4).model_copy(
        update={"workers": workers}
    )
    page = tab.page
    await page.set_viewport_size({"width": width, "height": 900})
    await open_part(page, "overview")
    await expect(page.locator(".pipeline li")).to_have_count(7)
    names = page.locator(".pipeline .step")
    assert await names.evaluate_all("(all) => all.every((one) => one.scrollWidth <= one.clientWidth)")
    assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert await torn_words(page) == []
    assert await violations_in_both_schemes(page) == []


async def test_an_operator_brings_a_held_session_back_after_a_second_question(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/system/held-sessions"] = held(session("s1"), session("s2", "newer_event"))

    def retry(asked: Asked) -> SessionRequestGranted | Problem:
        if len(api.requests(asked.act)) == 1:
            return Problem(503, "Kafka does not answer.")
        api.answers["GET /api/v1/system/held-sessions"] = held(session("s2", "newer_event"))
        return SessionRequestGranted(session_id="s1", request_id="r", message="It is brought back.")

    api.answers["POST /api/v1/sessions/s1/retry"] = retry
    page = tab.page
    await open_part(page, "held")
    first = page.locator(".records > li").first
    await expect(first).to_contain_text("2 inputs wait for it")
    await expect(first.locator(".text")).to_have_text(f"Set aside: {HOSTILE}")
    await first.get_by_role("button", name="Retry").click()
    await expect(first.get_by_role("button", name="No")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(first.get_by_role("button", name="Retry")).to_be_focused()
    assert api.requests("POST /api/v1/sessions/s1/retry") == []

    await page.keyboard.press("Enter")
    await first.get_by_role("button", name="Yes, retry it").click()
    await expect(first.locator(".answer")).to_have_text(["Not done: Kafka does not answer.", ""])
    await first.get_by_role("button", name="Retry").click()
    await first.get_by_role("button", name="Yes, retry it").click()
    await expect(page.locator(".part > .answer")).to_have_text("It is brought back.")
    await expect(page.locator(".records code")).to_have_text(["s2"])
    await expect(page.get_by_role("button", name="Release")).to_be_visible()
    first_key, second_key = (one.key for one in api.requests("POST /api/v1/sessions/s1/retry"))
    assert first_key == second_key is not None


async def test_a_session_is_failed_with_a_reason_only(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/system/held-sessions"] = held(session("s1"))
    done = SessionRequestGranted(session_id="s1", request_id="r", message="It has ended.")
    api.answers["POST /api/v1/sessions/s1/fail"] = done
    page = tab.page
    await open_part(page, "held")
    await page.get_by_role("button", name="Fail").click()
    await expect(page.get_by_label("Why it fails")).to_be_focused()
    await page.get_by_role("button", name="Yes, fail it").click()
    assert api.requests("POST /api/v1/sessions/s1/fail") == []
    await page.get_by_label("Why it fails").fill("Its alert was a drill.")
    await page.keyboard.press("Enter")
    await expect(page.locator(".part > .answer")).to_have_text("It has ended.")
    (asked,) = api.requests("POST /api/v1/sessions/s1/fail")
    assert asked.body == {"reason": "Its alert was a drill."}


async def test_what_a_viewer_may_not_do_is_not_offered(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/me"] = role("viewer")
    api.answers["GET /api/v1/system/held-sessions"] = held(session("s1"))
    page = tab.page
    await open_part(page, "held")
    await expect(page.locator("#account")).to_contain_text("ada")
    await expect(page.locator(".records code")).to_have_text("s1")
    await expect(page.locator(".records button")).to_have_count(0)
    await expect(page.get_by_role("link", name="Dead letters")).to_have_count(0)
    await expect(page.get_by_role("link", name="Submit")).to_have_count(0)
    await open_part(page, "dead-letters")
    await expect(page.locator(".part > .notice")).to_contain_text("only operators may see them")
    assert api.requests("GET /api/v1/dead-letters") == []


async def test_who_one_is_is_asked_again_while_the_api_is_away(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/me"] = Problem(503, "The database cannot be reached.")
    api.answers["GET /api/v1/dead-letters"] = letters(row())
    await open_part(tab.page, "dead-letters")
    await expect(tab.page.locator(".part > .notice")).to_contain_text("only operators may see them")
    api.answers["GET /api/v1/me"] = role("operator")
    await expect(tab.page.locator(".records")).to_be_visible()


async def test_a_403_is_said_in_words_and_not_asked_for_again(browser: Browser, address: str, api: PageApi) -> None:
    api.answers["GET /api/v1/dead-letters"] = Problem(403, "This needs the role operator.")
    async with new_tab(browser, address) as tab:
        await api.install(tab.page)
        await tab.page.clock.install()
        await open_part(tab.page, "dead-letters")
        await expect(tab.page.locator(".part > .notice")).to_have_text("This needs the role operator.")
        await tab.page.clock.run_for(60_000)
    assert len(api.requests("GET /api/v1/dead-letters")) == 1


async def test_dead_letters_are_filtered_by_the_address_and_shown_as_text(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/dead-letters"] = letters(row(reason=HOSTILE, attempts=2), row(OTHER, refusal="It is cut."))
    page = tab.page
    await page.goto("/system?part=dead-letters&service=ingest")
    await expect(page.locator(".records .status")).to_have_text(["Waiting", "Cannot be re-driven"])
    first, second = page.locator(".records > li").first, page.locator(".records > li").last
    await expect(first.locator(".text")).to_have_text(HOSTILE)
    await expect(first).to_contain_text(
        "buried by ingest · tarsy.alerts, partition 0, offset 7 · 20 B · buried 2 times"
    )
    await expect(second.get_by_role("button", name="Re-drive")).to_have_count(0)
    assert api.requests("GET /api/v1/dead-letters")[0].query == {
        "status": "waiting", "service": "ingest", "limit": "100",
    }  # fmt: skip

    await page.get_by_label("Reason contains").fill("json")
    await page.get_by_label("State").focus()
    await page.get_by_label("State").select_option("All")
    await expect(page).to_have_url(re.compile("status=&service=ingest&reason=json"))
    await expect(page.get_by_label("State")).to_be_focused()
    assert api.asked[-1].query == {"service": "ingest", "reason": "json", "limit": "100"}


async def test_a_letter_shows_its_masked_beginning_and_its_bytes_on_request(api: PageApi, tab: Tab) -> None:
    encoded = base64.b64encode(HOSTILE.encode()).decode()
    api.answers["GET /api/v1/dead-letters"] = letters(row())
    api.answers[f"GET /api/v1/dead-letters/{LETTER}"] = detail(value="token: [MASKED]")
    raw = DeadLetterRaw(id=LETTER, key="/w==", value=encoded, headers=(RawHeader(name="h", value="aGk="),))
    api.answers[f"GET /api/v1/dead-letters/{LETTER}/raw"] = Problem(403, "This TARSy does not show raw bytes.")
    page = tab.page
    await open_part(page, "dead-letters")
    await page.get_by_text("Record", exact=True).click()
    await expect(page.locator(".letter pre")).to_have_text("token: [MASKED]")
    await page.get_by_role("button", name="Show exact bytes").click()
    await expect(page.locator(".letter .question")).to_contain_text("Nothing in them is masked")
    assert api.requests(f"GET /api/v1/dead-letters/{LETTER}/raw") == []
    await page.get_by_role("button", name="Yes, show them").click()
    await expect(page.locator(".letter .answer")).to_have_text("Not done: This TARSy does not show raw bytes.")

    api.answers[f"GET /api/v1/dead-letters/{LETTER}/raw"] = raw
    await page.get_by_role("button", name="Show exact bytes").click()
    await page.get_by_role("button", name="Yes, show them").click()
    await expect(page.locator(".letter pre")).to_have_text(HOSTILE)
    await expect(page.locator(".letter dd")).to_have_text(["base64: /w==", "hi"])


async def test_all_letters_are_redriven_some_at_a_time_once_it_is_known_how_many(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/dead-letters"] = letters(row(), row(OTHER))

    def redrive(asked: Asked) -> RedriveAnswer:
        assert isinstance(asked.body, dict)
        letter, next_one = (OTHER, None) if asked.body["after"] else (LETTER, LETTER)
        if asked.body["dry_run"]:
            return RedriveAnswer(letters=(redriven(letter, "would_redrive"),), next=next_one)
        refused = redriven(OTHER, "refused", "Its end is lost.")
        return RedriveAnswer(letters=(redriven(LETTER) if next_one else refused,), next=next_one)

    api.answers["POST /api/v1/dead-letters/redrive"] = redrive
    page = tab.page
    await page.goto("/system?part=dead-letters&topic=alerts")
    await page.get_by_role("button", name="Re-drive all that wait").click()
    await expect(page.locator(".question")).to_contain_text("Re-drive 2 letters?")
    orders = [one.body for one in api.requests("POST /api/v1/dead-letters/redrive")]
    assert orders == [
        {"topic": "alerts", "service": "", "reason": "", "dry_run": True, "after": after} for after in ("", LETTER)
    ]
    await page.get_by_role("button", name="Yes, re-drive them").click()
    await expect(page.locator(".part > .answer")).to_have_text("1 letter re-driven. 1 was not: Its end is lost.")


async def test_one_letter_is_redriven_and_the_list_is_read_again(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/dead-letters"] = letters(row())

    def redrive(_: Asked) -> Redriven:
        api.answers["GET /api/v1/dead-letters"] = letters()
        return redriven(LETTER)

    api.answers[f"POST /api/v1/dead-letters/{LETTER}/redrive"] = redrive
    page = tab.page
    await open_part(page, "dead-letters")
    await page.get_by_role("button", name="Re-drive", exact=True).click()
    await page.get_by_role("button", name="Yes, re-drive it").click()
    await expect(page.locator(".part > .answer")).to_have_text("It was written back.")
    await expect(page.locator(".part > .answer")).to_be_focused()
    await expect(page.locator(".part > .notice")).to_have_text("No dead letter matches.")


CONFIGURATION = EffectiveConfiguration(
    version="abc1", defaults={"alert_type": "crash"}, limits={}, queue={"max_pending": 10}, system={},
    agents={"looker": {"instructions": HOSTILE, "mcp_servers": ["k8s"]}},
    chains={"default": {"stages": [{"name": "look", "agents": [{"name": "looker"}]}]}},
    mcp_servers={}, llm_providers={}, skills={}, origins={"/agents/looker/mcp_servers": "tarsy.yaml:12"},
)  # fmt: skip


async def test_the_configuration_is_searched_by_the_address(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/system/config"] = CONFIGURATION
    page = tab.page
    await open_part(page, "configuration")
    await expect(page.locator(".section h2")).to_have_text(["agents", "chains", "defaults", "queue"])
    await expect(page.locator(".settings")).to_have_count(0)
    await page.locator(".setting > summary").first.click()
    await expect(page.locator(".settings dt")).to_have_text(["instructions", "mcp_servers"])
    await expect(page.locator(".settings dd").first).to_have_text(HOSTILE)
    await expect(page.locator(".settings .origin")).to_have_text(["default", "tarsy.yaml:12"])

    await page.get_by_role("searchbox").fill("stages[0].name")
    await expect(page.locator(".settings dd.text")).to_have_text("look")
    await expect(page).to_have_url(re.compile("find=stages"))
    await page.get_by_role("searchbox").fill("nowhere")
    await expect(page.locator(".part > .notice")).to_have_text("No setting matches.")


async def test_versions_are_those_of_the_page_tarsy_the_configuration_and_the_servers(api: PageApi, tab: Tab) -> None:
    api.answers["GET /api/v1/system/config"] = CONFIGURATION
    api.answers["GET /api/v1/system/mcp-servers"] = McpServers(servers=())
    await open_part(tab.page, "versions")
    await expect(tab.page.locator("tbody th")).to_have_text(["This page", "TARSy", "Configuration"])
    await expect(tab.page.locator("tbody code")).to_have_text([re.compile("^[0-9a-f]{16}$"), "1.2.3", "abc1"])


@pytest.mark.parametrize("chosen", ["light", "dark"])
async def test_a_theme_is_kept_and_holds_before_the_first_paint(api: PageApi, tab: Tab, chosen: str) -> None:
    page = tab.page
    await page.goto("/system")
    await page.get_by_label("Theme").select_option(chosen)
    await expect(page.locator("html")).to_have_css("color-scheme", chosen)
    await page.route("**/main.js", lambda route: route.abort())
    await page.reload()
    await expect(page.locator("html")).to_have_css("color-scheme", chosen)
    await page.unroute("**/main.js")
    tab.complaints.clear()
    await page.reload()
    await page.get_by_label("Theme").select_option("system")
    await expect(page.locator("html")).to_have_css("color-scheme", "light dark")
    assert await page.evaluate("localStorage.length") == 0
