"""Prices of models, as the table of the Usage view and its CSV have them."""

from pydantic import JsonValue

from page_logic.node_process import PAGE, Node

SCRIPT = """async ([words, csv, history]) => {
    const { priceNumbers } = await import(words);
    const { csvOf } = await import(csv);
    const { heads, rows, exact } = priceNumbers(history);
    return [rows, csvOf([heads, ...exact])];
}"""


def test_prices_have_their_days_and_all_their_digits(node: Node) -> None:
    older: dict[str, JsonValue] = {
        "model": "=m", "first": None, "until": "2026-11-23", "input": 2, "output": 10.5, "cached_input": 0.075,
        "cache_written": None, "web_search": 0.01,
    }  # fmt: skip
    newer = {**older, "first": "2026-11-23", "until": None, "input": 0}
    history: JsonValue = {"prices": [newer, older]}
    addresses: list[JsonValue] = [f"{PAGE}/words/price_words.js", f"{PAGE}/state/csv.js", history]
    rows, csv = node.evaluate(SCRIPT, addresses)
    assert rows == [
        ["=m", "2026-11-23", "", "$0.00", "$10.50", "$0.075", "", "$0.01"],
        ["=m", "", "2026-11-23", "$2.00", "$10.50", "$0.075", "", "$0.01"],
    ]
    assert csv.splitlines()[1:] == ["'=m,2026-11-23,,0,10.5,0.075,,0.01", "'=m,,2026-11-23,2,10.5,0.075,,0.01"]
