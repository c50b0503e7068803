"""In which order the list stands, and which failures are one line: pure modules are called."""

from typing import Any

import pytest

from page_logic.node_process import PAGE, Node
from tarsy_testing.browser.listed_sessions import NOW, Row, session, wire

SORTED = """async ([page, rows, text]) => {
    const { fromRow } = await import(`${page}/state/list_row.js`);
    const { orderOf, ordered } = await import(`${page}/state/list_order.js`);
    return ordered(rows.map(fromRow), orderOf(text)).map((row) => row.id.slice(-1));
}"""
FOLDED = """async ([page, rows, open]) => {
    const { fromRow } = await import(`${page}/state/list_row.js`);
    const { foldSameFailures } = await import(`${page}/state/same_failures.js`);
    const all = rows.map(fromRow);
    const reasons = [...foldSameFailures(all, new Set()).same.values()].map((one) => one.reason);
    const { rows: shown, same } = foldSameFailures(all, new Set(open ? reasons : []));
    return [shown.map((row) => row.id.slice(-1)).join(""), [...same.values()].map((one) => one.others)];
}"""
PER_HOUR = """async ([page, stamps, now, isWhole]) => {
    const { alertsPerHour } = await import(`${page}/state/alerts_per_hour.js`);
    return alertsPerHour(stamps.map((createdAt) => ({ createdAt })), Date.parse(now), isWhole);
}"""
ROWS = [
    session(1, "failed", title="b", severity="warning", input_tokens=5, namespace="a"),
    session(2, "completed", title="A", severity="critical", input_tokens=9, completed_at=wire(NOW)),
    session(3, "completed", title="c", severity=None, output_tokens=7, namespace="b"),
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("title", "213"), ("-title", "312"), ("severity", "213"), ("-severity", "312"), ("tokens", "231"),
        ("took", "213"), ("age", "123"), ("-age", "321"), ("where", "132"), ("status", "231"),
    ],
)  # fmt: skip
def test_a_column_sorts_both_ways_and_equal_rows_keep_their_order(node: Node, text: str, ids: str) -> None:
    assert "".join(node.evaluate(SORTED, [PAGE, ROWS, text])) == ids


def test_a_head_sorts_then_the_other_way_round_then_no_more(node: Node) -> None:
    script = """async ([page]) => {
        const { nextOrder, orderOf } = await import(`${page}/state/list_order.js`);
        const texts = ["title"];
        for (let some = 0; some < 2; some++) texts.push(nextOrder(orderOf(texts.at(-1)), "title"));
        return [...texts, nextOrder(orderOf("-took"), "title"), orderOf("color"), orderOf("")];
    }"""
    assert node.evaluate(script, [PAGE]) == ["title", "-title", "", "title", None, None]


def failed(number: int, reason: str) -> Row:
    return session(number, "failed", error_message=reason)


@pytest.mark.parametrize(
    ("rows", "closed", "opened"),
    [
        (
            [failed(1, "401: no key 7"), failed(2, "401: no key 8"), session(3), failed(4, "401: no key 9")],
            "13",
            "1243",
        ),
        ([failed(1, "401: no key"), failed(2, "429: no key"), failed(3, "500: no key")], "123", "123"),
        ([failed(1, "401"), failed(2, "401")], "12", "12"),
        ([session(number) for number in range(1, 5)], "1234", "1234"),
    ],
)
def test_three_failures_of_one_reason_are_one_line(node: Node, rows: list[Row], closed: str, opened: str) -> None:
    found: list[Any] = [node.evaluate(FOLDED, [PAGE, rows, is_open]) for is_open in (False, True)]
    assert [one[0] for one in found] == [closed, opened]
    assert found[0][1] == ([2] if closed != opened else [])


def test_alerts_are_counted_by_hour_and_what_is_not_known_is_not_nothing(node: Node) -> None:
    stamps = [str(session(minutes)["created_at"]) for minutes in (1, 59, 61, 180)]
    whole: list[int | None] = node.evaluate(PER_HOUR, [PAGE, stamps, wire(NOW), True])
    part: list[int | None] = node.evaluate(PER_HOUR, [PAGE, stamps, wire(NOW), False])

    assert whole[-4:] == [1, 0, 1, 2]
    assert whole[:-4] == [0] * 20
    assert part == [None] * 20 + [1, 0, 1, 2]
    assert node.evaluate(PER_HOUR, [PAGE, [], wire(NOW), True]) == [0] * 24
