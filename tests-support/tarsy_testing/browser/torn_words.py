"""Words of a page that a line break tears: `KubernetesAg|ent`."""

from playwright.async_api import Page

LONGEST_WORD = 24
"""Longer ones are identifiers and addresses, which may be broken."""

FIND = """(longest) => {
    const torn = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode()) {
        const node = texts.currentNode, element = node.parentElement;
        if (element.closest("pre, code, textarea, script, style, .unseen") || !element.checkVisibility()) continue;
        for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}_]{2,}/gu)) {
            if (word.length > longest || word.includes("_")) continue;
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
            if (lines.size > 1) torn.push(`${word} in ${element.tagName.toLowerCase()}.${element.className}`);
        }
    }
    return torn;
}"""


async def torn_words(page: Page) -> list[str]:
    """Each with the element that it stands in."""
    found: list[str] = await page.evaluate(FIND, LONGEST_WORD)
    return found
