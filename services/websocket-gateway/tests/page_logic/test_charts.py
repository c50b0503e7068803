"""Shapes of charts, and the way of an alert through the system."""

from typing import Any

import pytest

from page_logic.node_process import PAGE, Node

CALL = "async ([page, module, name, given]) => (await import(`${page}/state/${module}.js`))[name](...given)"


def call(node: Node, module: str, name: str, *given: object) -> Any:
    return node.evaluate(CALL, [PAGE, module, name, given])


@pytest.mark.parametrize(
    ("most", "top"),
    [(0, 1), (1, 1), (3, 5), (7, 10), (10, 10), (11, 20), (0.03, 0.05), (9_000_001, 10_000_000), (-1, 1)],
)
def test_an_axis_ends_at_a_round_number(node: Node, most: float, top: float) -> None:
    assert call(node, "charts", "roundUp", most) == pytest.approx(top)


@pytest.mark.parametrize(("most", "top"), [(0, 1), (45, 60), (61, 120), (3600, 3600), (3700, 7200), (40_000, 72_000)])
def test_an_axis_of_time_ends_at_a_length_that_people_name(node: Node, most: float, top: float) -> None:
    assert call(node, "charts", "roundUpSeconds", most) == top


def test_parts_of_a_column_stand_on_one_another(node: Node) -> None:
    blocks = call(node, "charts", "stackColumns", [[5, 0, 3], [0, 0, 0], [20, 0, 0]], 10)

    assert [(one["column"], one["part"], one["y"], one["height"]) for one in blocks] == [
        (0, 0, 50, 50), (0, 2, 20, 30), (2, 0, 0, 100),
    ]  # fmt: skip
    assert all(one["x"] >= 0 and one["x"] + one["width"] <= 100 for one in blocks)


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ([], ""),
        ([None, None], ""),
        ([0, 10], "M25 100L75 0"),
        ([0, None, 5, 10], "M0 100H25M62.5 50L87.5 0"),
        ([99], "M0 0H100"),
    ],
)
def test_a_line_has_gaps_where_nothing_is_known(node: Node, values: list[float | None], path: str) -> None:
    assert call(node, "charts", "linePath", values, 10) == path


def test_few_names_stand_below_many_columns(node: Node) -> None:
    marks = call(node, "charts", "axisMarks", [str(number) for number in range(31)])

    assert [one["label"] for one in marks] == ["0", "8", "15", "23", "30"]
    assert [one["align"] for one in marks] == ["start", "middle", "middle", "middle", "end"]
    assert call(node, "charts", "axisMarks", []) == []


def test_each_hour_of_the_week_has_a_cell(node: Node) -> None:
    hours = [{"weekday": 1, "hour": 0, "sessions": 8}, {"weekday": 7, "hour": 23, "sessions": 1}]

    cells = call(node, "charts", "weekCells", hours)

    assert [len(day) for day in cells] == [24] * 7
    assert (cells[0][0], cells[6][23], cells[3][12]) == (
        {"count": 8, "level": 4}, {"count": 1, "level": 1}, {"count": 0, "level": 0},
    )  # fmt: skip


@pytest.mark.parametrize(("ended", "rate"), [((3, 1), 75), ((0, 0), None), ((0, 4), 0)])
def test_what_was_cancelled_neither_succeeded_nor_failed(node: Node, ended: tuple[int, int], rate: int | None) -> None:
    outcomes = {"completed": ended[0], "failed": ended[1], "cancelled": 9}
    assert call(node, "outcome_rows", "successRate", outcomes) == rate


def overview(**changed: Any) -> dict[str, Any]:
    services = changed.pop("services", ("orchestrator", "tool-gateway", "summarizer"))
    return {
        "queue": {"running": 1, "waiting": 0} | changed.pop("queue", {}),
        "projection": {"lag_records": 0, "lag_seconds": 0, "unprojected": 0} | changed,
        "workers": [{"service": name} for name in services],
    }


@pytest.mark.parametrize(
    ("given", "warnings", "expected"),
    [
        (overview(), [], {"queue": "plain", "orchestrator": "good", "models": "good", "timeline": "good"}),
        (overview(queue={"waiting": 4}), [], {"queue": "good"}),
        (overview(queue={"waiting": 4, "running": 0}), [], {"queue": "warning"}),
        (overview(queue={"waiting": 4}, services=()), [], {"queue": "bad", "orchestrator": "bad", "tools": "bad"}),
        (overview(), ["mcp_health"], {"tools": "warning", "models": "good"}),
        (overview(), ["llm_health"], {"models": "warning"}),
        (overview(lag_records=3, lag_seconds=4.9), [], {"timeline": "good"}),
        (overview(lag_records=3, lag_seconds=5), [], {"timeline": "warning"}),
        (overview(lag_records=3, lag_seconds=60), [], {"timeline": "bad"}),
        (overview(unprojected=1), [], {"timeline": "warning"}),
    ],
)
def test_a_lamp_says_how_a_step_does(
    node: Node, given: dict[str, Any], warnings: list[str], expected: dict[str, str]
) -> None:
    steps = call(node, "pipeline", "pipelineSteps", given, [{"category": one} for one in warnings], True)
    lamps = {step["id"]: step["tone"] for step in steps}
    assert {name: lamps[name] for name in expected} == expected
