"""Markdown from models, in Chromium, under the page's own policy: the module is loaded from its address and called."""

import pytest
from playwright.async_api import Browser

from tarsy_testing.browser.browser import Tab, new_tab
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"


async def rendered(tab: Tab, text: str) -> str:
    """The HTML of what `text` becomes, in the document."""
    html: str = await tab.page.evaluate(
        """async ([assets, text]) => {
            const { html, render } = await import(`${assets}/ui.js`);
            const { Markdown } = await import(`${assets}/views/markdown.js`);
            const place = document.createElement("main");
            document.body.replaceChildren(place);
            render(html`<${Markdown} text=${text} />`, place);
            return place.firstChild.innerHTML;
        }""",
        [ASSETS, text],
    )
    return html


CODE = (
    '<div class="code"><pre tabindex="0"><code>a: &lt;b&gt;\n</code></pre>'
    '<button type="button" class="copy" aria-label="Copy the code">Copy</button>'
    '<span class="unseen" role="status"></span></div>'
)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# Cause\n\nIt *was* **DNS**.", "<h3>Cause</h3><p>It <em>was</em> <strong>DNS</strong>.</p>"),
        ("- a\n- b\n  1. c", "<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>"),
        ("3. c\n4. d", '<ol start="3"><li>c</li><li>d</li></ol>'),
        ("`a<b`", "<p><code>a&lt;b</code></p>"),
        ("```yaml\na: <b>\n```", CODE),
        ("> quoted", "<blockquote><p>quoted</p></blockquote>"),
        ("a\n\n---\n\nb", "<p>a</p><hr><p>b</p>"),
        ("one  \ntwo\nthree", "<p>one<br>two\nthree</p>"),
        ("~~no~~ &amp; 1 &lt; 2", "<p><s>no</s> &amp; 1 &lt; 2</p>"),
        (
            "|a|b|\n|-|-:|\n|1|2|",
            '<table tabindex="0"><thead><tr><th>a</th><th class="right">b</th></tr></thead>'
            '<tbody><tr><td>1</td><td class="right">2</td></tr></tbody></table>',
        ),
        (
            "[docs](https://example.com/a?b=c)",
            '<p><a href="https://example.com/a?b=c" title="https://example.com/a?b=c" '
            'rel="noopener noreferrer nofollow" target="_blank">docs</a></p>',
        ),
    ],
)  # fmt: skip
async def test_markdown_becomes_elements(tab: Tab, text: str, html: str) -> None:
    assert await rendered(tab, text) == html


HARMLESS = {"div", "button", "p", "code", "pre", "a", "span", "h3", "table", "thead", "tbody", "tr", "th", "td"}
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg><style><img src=x onerror=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "a <b onmouseover=alert(1)>b</b>",
    "<!-- --><a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](&#1;javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](/api/v1/sessions/a/cancel)",
    "[x](//evil.example/)",
    "[x](mailto:a@b.example)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    '[x](https://a.example "onclick=alert(1) x=\\"")',
    '[x](https://a.example/"onclick="alert(1))',
    "![x](https://evil.example/pixel.png)",
    "![x](javascript:alert(1))",
    "```html\n<script>alert(1)</script>\n```",
    "`<script>alert(1)</script>`",
    "|<img src=x onerror=alert(1)>|\n|-|\n|<script>alert(1)</script>|",
    "# <script>alert(1)</script>",
    "<style>*{display:none}</style>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    '<a id="content" name="connection">x</a>',
]


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_markdown_is_harmless(tab: Tab, text: str) -> None:
    await rendered(tab, text)
    found: list[str] = await tab.page.evaluate(
        """() => [...document.querySelector(".markdown").querySelectorAll("*")].flatMap((node) => [
            node.localName,
            ...node.getAttributeNames().map((name) => `${name}=${node.getAttribute(name)}`),
        ])"""
    )
    tags = {part for part in found if "=" not in part}
    attributes = [part.split("=", 1) for part in found if "=" in part]

    assert tags <= HARMLESS
    assert {name for name, _ in attributes} <= {
        "href",
        "title",
        "rel",
        "target",
        "tabindex",
        "class",
        "type",
        "role",
        "aria-label",
    }
    assert all(value.startswith("https://") for name, value in attributes if name == "href")


async def test_html_is_shown_as_text(tab: Tab) -> None:
    text = "Look: <img src=x onerror=alert(1)> and <script>alert(2)</script>"
    await rendered(tab, text)

    assert await tab.page.locator(".markdown").inner_text() == text


@pytest.mark.parametrize(
    "text",
    [
        ">" * 30_000,
        "[" * 30_000,
        "![[" * 10_000,
        "*a " * 10_000,
        "a_" * 15_000,
        "**a*b" * 6_000,
        "".join("`" * n + "a" for n in range(250)),
        "\n".join(" " * (2 * n) + "- a" for n in range(170)),
        "a|" * 600 + "\n" + "-|" * 600 + "\n" + "x\n" * 10_000,
        "x" * 1_000_000,
    ],
    ids=["quotes", "brackets", "pictures", "stars", "bars", "strong", "ticks", "lists", "a wide table", "a long word"],
)
async def test_markdown_that_is_made_to_be_slow_is_not(tab: Tab, text: str) -> None:
    took: float = await tab.page.evaluate(
        """async ([assets, text]) => {
            const { html, render } = await import(`${assets}/ui.js`);
            const { Markdown } = await import(`${assets}/views/markdown.js`);
            const began = performance.now();
            render(html`<${Markdown} text=${text} />`, document.createElement("main"));
            return performance.now() - began;
        }""",
        [ASSETS, text],
    )
    # Those that are not bounded take minutes; a busy machine takes some seconds for a harmless one.
    assert took < 20_000


@pytest.mark.parametrize("text", ["a|" * 600 + "\n" + "-|" * 600 + "\n" + "x\n" * 1_000, "*a* " * 60_000])
async def test_what_is_too_much_is_shown_as_it_is(tab: Tab, text: str) -> None:
    await rendered(tab, text)

    assert await tab.page.locator(".markdown > pre.text").text_content() == text
    assert await tab.page.locator(".markdown *").count() == 1


async def test_the_policy_stops_what_would_make_html_of_text(browser: Browser, address: str) -> None:
    """That is the browser's part: it shows that the headers mean what we think."""
    async with new_tab(browser, address) as tab:
        await tab.page.goto("/blank")
        problem = await tab.page.evaluate(
            """() => { try { document.body.innerHTML = "<p>x</p>"; } catch (problem) { return problem.name; } }"""
        )
        assert problem == "TypeError"
        assert any("TrustedHTML" in complaint for complaint in tab.complaints)
