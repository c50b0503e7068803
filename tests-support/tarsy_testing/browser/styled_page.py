"""The blank page of a test, with the styles of the real one: for what is seen of a view."""

from playwright.async_api import Page

from tarsy_websocket_gateway.page_files.assets import load_page

STYLES = ("tokens.css", "style.css", "styles/session.css")

ADD = """async (addresses) => {
    document.documentElement.lang = "en";
    await Promise.all(addresses.map((href) => new Promise((done, failed) => {
        const link = document.createElement("link");
        Object.assign(link, { rel: "stylesheet", href, onload: done, onerror: failed });
        document.head.append(link);
    })));
}"""


async def add_styles(page: Page) -> None:
    """Once, however often it is asked for."""
    if await page.locator("head link[rel=stylesheet]").count() > 0:
        return
    await page.evaluate(ADD, [f"/assets/{load_page().version}/{name}" for name in STYLES])
