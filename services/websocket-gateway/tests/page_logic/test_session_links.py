"""Links of the configuration: what an alert says becomes a part of an address, and nothing more."""

from typing import Any

import pytest

from page_logic.node_process import PAGE, Node

SCRIPT = """async ([page, url, detail, labels]) => {
  const { sessionLinks } = await import(`${page}/state/session_links.js`);
  const template = { name: "Grafana", url, before_seconds: 60, after_seconds: 30 };
  return sessionLinks([template], detail, new Map(Object.entries(labels)), Date.parse("2026-11-30T03:20:00Z"));
}"""
DETAIL = {
    "id": "0e1d", "created_at": "2026-11-30T03:00:00Z", "completed_at": "2026-11-30T03:10:00Z", "cluster": "prod",
    "namespace": "shop", "workload": None, "alert_type": "crash", "severity": "critical",
}  # fmt: skip


def addresses(node: Node, url: str, labels: dict[str, str] | None = None, **detail: Any) -> list[str]:
    links = node.evaluate(SCRIPT, [PAGE, url, {**DETAIL, **detail}, labels or {}])
    return [link["address"] for link in links]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://g.test/d/x?ns={namespace}&c={cluster}", "https://g.test/d/x?ns=shop&c=prod"),
        ("https://g.test/?from={from_ms}&to={to_ms}", "https://g.test/?from=1796007540000&to=1796008230000"),
        ("https://g.test/?from={from}", "https://g.test/?from=2026-11-30T02%3A59%3A00.000Z"),
        ("https://g.test/{to_s}/{session_id}", "https://g.test/1796008230/0e1d"),
        ("http://g.test/{label.pod}", "http://g.test/checkout-7%2Fa%20b"),
    ],
)
def test_places_are_filled_with_what_is_known(node: Node, url: str, address: str) -> None:
    assert addresses(node, url, {"pod": "checkout-7/a b"}) == [address]


def test_a_session_that_runs_ends_now(node: Node) -> None:
    assert addresses(node, "https://g.test/{to_s}", completed_at=None) == ["https://g.test/1796008830"]


@pytest.mark.parametrize(
    "url", ["https://g.test/{workload}", "https://g.test/{label.pod}", "https://g.test/{__proto__}"]
)
def test_without_a_value_there_is_no_link(node: Node, url: str) -> None:
    assert addresses(node, url) == []


@pytest.mark.parametrize(
    "value", ["..", ".", "", 'a"} or {b', "a'b", "${jndi}", "<script>", "a\nb", "a\\b", "\ud800", "`x`", "x" * 501]
)
def test_what_is_no_name_makes_no_link(node: Node, value: str) -> None:
    assert addresses(node, "https://g.test/d/{namespace}", namespace=value) == []


@pytest.mark.parametrize(
    "value", ["@evil.test", "/../../admin", "javascript:alert(1)", "?x=1#y", "//evil.test", "%2e%2e"]
)
def test_a_value_neither_leaves_its_place_nor_chooses_the_host(node: Node, value: str) -> None:
    [address] = addresses(node, "https://g.test/d/{namespace}?a=b", namespace=value)

    assert address.startswith("https://g.test/d/")
    assert address.endswith("?a=b")
    assert address.count("/") == 4


@pytest.mark.parametrize(
    "url", ["javascript:{namespace}", "{namespace}", "data:text/html,{namespace}", "//g.test/{cluster}"]
)
def test_only_addresses_of_the_web_are_links(node: Node, url: str) -> None:
    assert addresses(node, url, namespace="alert(1)") == []
