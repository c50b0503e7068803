"""What of an analysis says how sure it is."""

import pytest

from page_logic.node_process import PAGE, Node

MODULE = f"{PAGE}/state/confidence.js"


def confidence_of(node: Node, analysis: str) -> dict[str, str] | None:
    script = "async ([path, text]) => (await import(path)).confidenceOf(text)"
    found: dict[str, str] | None = node.evaluate(script, [MODULE, analysis])
    return found


@pytest.mark.parametrize(
    ("line", "level", "why"),
    [
        ("Confidence: high", "high", ""),
        ("Confidence: low - nobody saw the node.", "low", "nobody saw the node."),
        ("**Confidence: medium** \u2014 another cause fits", "medium", "another cause fits"),
        ("- **Confidence:** High. It was *seen* [call 3].", "high", "It was *seen* [call 3]."),
        ("6. __Confidence__: HIGH, as [call 3] shows", "high", "as [call 3] shows"),
        ("> confidence : low", "low", ""),
    ],
)
def test_the_line_is_found_as_models_write_it(node: Node, line: str, level: str, why: str) -> None:
    assert confidence_of(node, f"It was DNS.\n\n{line}") == {"level": level, "why": why, "rest": "It was DNS."}


@pytest.mark.parametrize(
    "analysis",
    [
        "",
        "It was DNS, I say with confidence: high load.",
        "Confidence: highest",
        "Confidence: 90 %",
        "```\nConfidence: high\n```",
        "My confidence is low.",
    ],
)
def test_other_words_are_no_such_line(node: Node, analysis: str) -> None:
    assert confidence_of(node, analysis) is None


@pytest.mark.parametrize("long", [" " * 500_000, "* " * 250_000, f"Confidence: low {' ' * 500_000}x"])
def test_a_long_line_takes_no_longer_than_its_length(node: Node, long: str) -> None:
    found = confidence_of(node, f"{long}\nConfidence: low")
    assert found is not None
    assert found["level"] == "low"


def test_the_first_line_counts_and_the_rest_stays(node: Node) -> None:
    found = confidence_of(node, "Cause\nConfidence: low\nState\nConfidence: high")
    assert found == {"level": "low", "why": "", "rest": "Cause\nState\nConfidence: high"}
