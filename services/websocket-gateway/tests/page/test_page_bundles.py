"""Each view in Chromium, from bundles and from the modules that they are made of."""

import re

import pytest
from playwright.async_api import Route, expect

from tarsy_testing.browser.browser import Tab
from tarsy_testing.browser.page_api import PageApi, Problem

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def api() -> PageApi:
    return PageApi({"GET /api/v1/memories": Problem(503, "not now")})


@pytest.mark.parametrize("form", ["bundles", "modules"])
async def test_each_view_is_drawn_by_either_form(api_tab: Tab, form: str) -> None:
    page = api_tab.page
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))

    async def without_bundles(route: Route) -> None:
        answer = await route.fetch()
        text = re.sub(r"<link rel=\"modulepreload\"[^>]*>", "", await answer.text())
        await route.fulfill(response=answer, body=text.replace("/bundles/main.js", "/main.js"))

    if form == "modules":
        await page.route(re.compile(r"^[^?]*//[^/]+/[a-z]*$"), without_bundles)
    await page.goto("/system")
    names = page.locator(".places a")
    await expect(names.first).to_be_visible()
    for number in range(1, await names.count()):  # the list wants a socket
        await names.nth(number).click()
        await expect(names.nth(number)).to_have_attribute("aria-current", "page")
        await expect(page.locator("main h1, main h2").first).to_be_attached()
    scripts = [url.partition("/assets/")[2].partition("/")[2] for url in fetched if url.endswith((".js", ".mjs"))]

    assert all(path.startswith("bundles/") or path == "theme.js" for path in scripts) == (form == "bundles")
    assert any("views/usage/view.js" in path for path in scripts)
