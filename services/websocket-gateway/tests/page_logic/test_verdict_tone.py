"""Which tone a verdict has."""

import pytest

from page_logic.node_process import PAGE, Node

SCRIPT = """async ([address, status, level, known, agent]) => {
    const { verdictTone } = await import(address);
    const executions = new Map([["e1", { stage_id: "s1", ...agent }]]);
    const stages = new Map([["s1", { stage_id: "s1", stage_type: agent.of ?? "investigation" }]]);
    const session = { status, partialReason: "", evidenceLimits: [], executions, stages, ...known };
    return verdictTone(session, level === null ? null : { level, why: "", rest: "" });
}"""


@pytest.mark.parametrize(
    ("status", "level", "known", "agent", "tone"),
    [
        ("completed", "high", {}, {}, "good"),
        ("completed", "medium", {}, {}, "warning"),
        ("completed", "low", {}, {}, "bad"),
        ("completed", None, {}, {}, "plain"),
        ("completed", "high", {"evidenceLimits": ["Logs has no tools."]}, {}, "warning"),
        ("completed", "high", {"partialReason": "the context is full"}, {}, "warning"),
        ("completed", "high", {}, {"forced_conclusion": True}, "warning"),
        ("completed", None, {}, {"partial_reason": "cut"}, "warning"),
        ("completed", "high", {}, {"forced_conclusion": True, "of": "chat"}, "good"),
        ("failed", "high", {}, {}, "bad"),
        ("cancelled", None, {"partialReason": "cut"}, {}, "plain"),
    ],
)
def test_the_tone_follows_the_confidence_and_what_it_rests_on(
    node: Node, status: str, level: str | None, known: object, agent: object, tone: str
) -> None:
    found = node.evaluate(SCRIPT, [f"{PAGE}/state/verdict_tone.js", status, level, known, agent])
    assert found == tone
