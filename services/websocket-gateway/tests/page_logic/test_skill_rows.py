"""What the page knows of an agent's skills: its pure module is called."""

from page_logic.node_process import PAGE, Node


def test_each_skill_of_an_agent_says_what_the_agent_did_with_it(node: Node) -> None:
    skills = [
        {"name": "pods", "loaded_by": ["other", "mine"]},
        {"name": "disks", "loaded_by": ["other"]},
        {"name": "house", "loaded_by": []},
        {"name": "of another agent", "loaded_by": []},
    ]
    item = {
        "executionId": "mine",
        "metadata": {"skill_names": ["house"], "offered": ["disks", "pods", "no longer there"]},
    }
    script = """async ([address, skills, item]) => {
        const { skillRows } = await import(address);
        return skillRows(skills, item).map(({ skill, use }) => [skill.name, use]);
    }"""
    found = node.evaluate(script, [f"{PAGE}/state/skill_rows.js", skills, item])
    assert found == [["house", "required"], ["disks", "offered"], ["pods", "loaded"]]
    assert node.evaluate(script, [f"{PAGE}/state/skill_rows.js", skills, {"executionId": None, "metadata": {}}]) == []


def test_replies_say_their_skills_once_and_when_they_change(node: Node) -> None:
    said = [["investigation", "disks"], *[["chat", text] for text in ("disks", "disks", "pods", "disks")]]
    script = """async ([address, said]) => {
        const { standingOf } = await import(address);
        const session = { stages: new Map(), executions: new Map(), items: new Map() };
        Object.assign(session, { lastWords: new Map(), finalAnalysis: "", executiveSummary: "" });
        said.forEach(([type, content], index) => {
            const id = String(index);
            session.stages.set(id, { stage_id: id, stage_type: type });
            session.executions.set(id, { execution_id: id, stage_id: id });
            const about = { type: "skill_loaded", content, sequence: index, metadata: {} };
            session.items.set(id, { id, executionId: id, ...about });
        });
        return [...session.items.values()].map((item) => standingOf(session, item).isHidden);
    }"""
    found = node.evaluate(script, [f"{PAGE}/state/repetition.js", said])
    assert found == [False, False, True, False, False]
