"""Texts of a page that an edge cuts off, with neither an ellipsis nor the whole in a title."""

from playwright.async_api import Page

FIND = """() => {
    const cut = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const cutting = (element, rects) => {
        for (let box = element; box !== null && box !== document.body; box = box.parentElement) {
            const { overflowX, textOverflow } = getComputedStyle(box);
            if (overflowX === "auto" || overflowX === "scroll") return null;
            if (overflowX === "visible") continue;
            const { left, right } = box.getBoundingClientRect();
            if (rects.every((one) => one.left >= left - 1 && one.right <= right + 1)) continue;
            return textOverflow === "ellipsis" && element.closest("[title]") !== null ? null : box;
        }
        return null;
    };
    while (texts.nextNode()) {
        const node = texts.currentNode, element = node.parentElement;
        if (node.data.trim() === "" || element.closest("script, style, textarea, option, .unseen")) continue;
        if (!element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })) continue;
        range.selectNodeContents(node);
        const box = cutting(element, [...range.getClientRects()].filter((one) => one.width > 0));
        if (box !== null) cut.add(`${node.data.trim()} by ${box.tagName.toLowerCase()}.${box.className}`);
    }
    return [...cut];
}"""
WIDER = "() => document.documentElement.scrollWidth - innerWidth"


async def cut_texts(page: Page) -> list[str]:
    """Each with the element that cuts it. Texts that can be scrolled inside the page do not count."""
    found: list[str] = await page.evaluate(FIND)
    return found


async def pixels_too_wide(page: Page) -> int:
    """How far the page can be scrolled to the side."""
    wider: int = await page.evaluate(WIDER)
    return max(0, wider)
