"""Chromium as tests of the page start it."""

import re
from pathlib import Path

import playwright

from tarsy_testing.browser.browser import OFF_FOR_PLAYWRIGHT, chromium

DRIVER = Path(str(playwright.__file__)).parent / "driver" / "package" / "lib" / "coreBundle.js"


def test_features_that_playwright_switches_off_stay_off() -> None:
    """Our list takes the place of its own: what its next version adds has to be added here."""
    found = re.search(r"disabledFeatures = \[(.*?)\]", DRIVER.read_text("utf-8"), re.DOTALL)
    assert found is not None
    assert tuple(re.findall(r'^ *"(\w+)"', found[1], re.MULTILINE)) == OFF_FOR_PLAYWRIGHT


async def test_a_window_has_no_page_but_that_of_the_test() -> None:
    """Chromium has renamed such features before: then their processes would be back."""
    async with chromium() as browser:
        page = await (await browser.new_context()).new_page()
        await page.goto("data:text/html,hello")
        session = await browser.new_browser_cdp_session()
        targets = (await session.send("Target.getTargets", {"filter": [{}]}))["targetInfos"]
        assert [one["url"] for one in targets if one["type"] not in ("page", "tab", "browser")] == []
