"""Addresses of the page below a path, and of the browser."""

import pytest

from page_logic.node_process import PAGE, Node


@pytest.mark.parametrize(
    ("name", "given", "found"),
    [
        ("basePathOf", ["/tarsy/assets/0a1b/base_path.js"], "/tarsy"),
        ("basePathOf", ["/assets/0a1b/base_path.js"], ""),
        ("basePathOf", ["/somewhere/base_path.js"], ""),
        ("outward", ["/sessions/s1", "/tarsy"], "/tarsy/sessions/s1"),
        ("outward", ["/", "/tarsy"], "/tarsy/"),
        ("outward", ["/tarsy/usage", "/tarsy"], "/tarsy/usage"),
        ("outward", ["/tarsy?page=2", "/tarsy"], "/tarsy?page=2"),
        ("outward", ["/tarsyx", "/tarsy"], "/tarsy/tarsyx"),
        ("outward", ["#event-1", "/tarsy"], "#event-1"),
        ("outward", ["?page=2", "/tarsy"], "?page=2"),
        ("outward", ["https://example.com/", "/tarsy"], "https://example.com/"),
        ("outward", ["/usage", ""], "/usage"),
        ("inward", ["/tarsy", "/tarsy"], "/"),
        ("inward", ["/tarsy/", "/tarsy"], "/"),
        ("inward", ["/tarsy/usage", "/tarsy"], "/usage"),
        ("inward", ["/usage", "/tarsy"], "/usage"),
        ("inward", ["/usage", ""], "/usage"),
    ],
)
def test_addresses_of_the_page_and_of_the_browser(node: Node, name: str, given: list[str], found: str) -> None:
    script = "async ([path, name, given]) => (await import(path))[name](...given)"
    module = f"{PAGE}/base_path.js"
    assert node.evaluate(script, [module, name, given]) == found
