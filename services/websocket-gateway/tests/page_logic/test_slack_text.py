"""What a session is, as a message for Slack."""

import pytest

from page_logic.node_process import PAGE, Node

SCRIPT = """async ([page, session, detail]) => {
  const { newSession } = await import(`${page}/state/session_state.js`);
  const { slackText } = await import(`${page}/words/slack_text.js`);
  return slackText({ ...newSession(), ...session }, detail, "https://tarsy.test/sessions/s1");
}"""
DETAIL = {
    "title": "Checkout restarts", "severity": "critical", "cluster": "prod", "namespace": "shop", "workload": "checkout"
}  # fmt: skip


@pytest.mark.parametrize(
    ("session", "lines"),
    [
        (
            {"status": "completed", "executiveSummary": "The limit of **memory** is too low.", "finalAnalysis": "x"},
            ["Completed · critical · prod / shop / checkout", "The limit of *memory* is too low."],
        ),
        (
            {"status": "failed", "error": "No model answers."},
            ["Failed · critical · prod / shop / checkout", "No model answers."],
        ),
        ({"status": "in_progress"}, ["Running · critical · prod / shop / checkout"]),
    ],
)
def test_a_message_has_the_title_the_state_what_came_of_it_and_the_address(
    node: Node, session: dict[str, str], lines: list[str]
) -> None:
    text = node.evaluate(SCRIPT, [PAGE, session, DETAIL])
    assert text.splitlines() == ["*Checkout restarts*", *lines, "https://tarsy.test/sessions/s1"]
